"""One record at a time: every metric of its cohort, what failed, whether its customer was faithful, and what the backend could have found."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from shopdsl.dsl.values import Failed
from shopdsl.runtime.customer.faithful import Unfaithful, unfaithful
from shopdsl.runtime.evidence import Reader, penalty_rows
from shopdsl.runtime.judges.asking import Asked, Asker
from shopdsl.runtime.judges.question import Answerer, Judge, Waiting
from shopdsl.runtime.judges.rules import Rules
from shopdsl.runtime.manifest import RunBroken
from shopdsl.runtime.metric import MetricValue, Moment, place
from shopdsl.runtime.report.tasks import Task, task_of
from shopdsl.runtime.world import Trial, World

LOST = ("lost", "infrastructure", "customer_error", "judge_error")
"""End reasons that are nobody's performance: such trials are shown, and not scored."""
NOT_APPLICABLE, UNSCORED = float("nan"), -1.0
FULL = "full"
"""The view that keeps everything; with less there are values, and no score that could be compared with one."""


@dataclass(frozen=True)
class Seen:
    """What is kept of a record; `values` are in the order of the cohort's metrics, NOT_APPLICABLE and UNSCORED among them."""

    trial: str
    cohort: str
    repeat: int
    reason: str
    tier: str
    turns: int = 0
    calls: int = 0
    values: array[float] = field(default_factory=lambda: array("d"))
    failures: dict[str, str] = field(default_factory=dict)
    unfaithful: int = 0
    reachable: tuple[int, int] = (0, 0)
    task: Task | None = None


@contextmanager
def readable(trial: str) -> Iterator[None]:
    """Reading what `run` wrote fails in these ways only where somebody else has written it: RunBroken."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, ArithmeticError) as error:
        what = f"{type(error).__name__}: {error}"
        message = f"the record of trial {trial} cannot be read; it was edited, damaged, or written by a newer shopdsl ({what})"
        raise RunBroken(message) from None


def _bare(trial: Trial, record: dict[str, Any]) -> Seen:
    """Which trial it was, and how it ended."""
    tier = str(trial.data["drawn"].get("tier", ""))
    return Seen(trial.id, record["cohort"], record["repeat"], record["end"]["reason"], tier)


class Examiner:
    """Reads records of one plan with the metrics of a scoring (none: the plan's), of which it sees what a view keeps."""

    def __init__(
        self, world: World, scoring: dict[str, Any] | None = None, view: str = FULL, answerer: Answerer | None = None
    ) -> None:
        self.world, self.scoring, self.view = world, scoring or world.header, view
        self.answerer = answerer or Rules()
        self.metrics = {n: MetricValue(m, view) for n, m in self.scoring["metrics"].items()}
        self.judges = {n: Judge(j) for n, j in self.scoring.get("judges", {}).items()}
        cohorts = world.header["cohorts"]
        self.applying = {c: [n for n, m in self.metrics.items() if c in m.data["for"]] for c in cohorts}
        penalties = {name: self._penalties(about["store"], name) for name, about in cohorts.items()}
        self._reader = Reader(penalties, self.scoring.get("forbid", {}), self.scoring.get("cases", {}))

    def _penalties(self, store: str, cohort: str) -> dict[str, Any]:
        toolset = self.world.header["stores"][store]["toolset"]["penalties"]
        return penalty_rows(toolset | self.scoring["rubrics"].get(cohort, {}).get("penalties", {}))

    def seen(self, record: dict[str, Any]) -> Seen:
        """What a record gives; raises RunBroken where it is not one of this plan, or cannot be read."""
        trial = self._trial(record)
        with readable(trial.id):
            return self._seen(trial, record)

    def _seen(self, trial: Trial, record: dict[str, Any]) -> Seen:
        bare = _bare(trial, record)
        return bare if bare.reason in LOST else self.summary(self._look(trial, record))

    def summary(self, look: Look) -> Seen:
        """What is kept of a record that was looked into; of one whose end is nobody's performance, only that."""
        record, bare = look.record, _bare(look.trial, look.record)
        if bare.reason in LOST:
            return bare
        values, failures = look.results
        names, calls = look.names, sum(e["type"] == "call" for e in record["events"])
        ranks = record.get("ceiling", [])
        return replace(
            bare, turns=len(names["turns"]), calls=calls, values=values, failures=failures, unfaithful=len(look.unfaithful),
            reachable=(sum(r > 0 for r in ranks), len(ranks)), task=look.task,
        )  # fmt: skip

    def look(self, record: dict[str, Any]) -> Look:
        """A record to be looked into; raises RunBroken."""
        return self._look(self._trial(record), record)

    def _trial(self, record: dict[str, Any]) -> Trial:
        data = self.world.plan.trial(record["trial"])
        if data is None or data["task"] != record["task"] or data["cohort"] != record["cohort"]:
            raise RunBroken(f"the record of trial {record['trial']} belongs to another plan")
        return self.world.trial(data)

    def _look(self, trial: Trial, record: dict[str, Any]) -> Look:
        with readable(trial.id):
            return Look(self, trial, record, self._reader.names(trial, record))


@dataclass
class Look:
    """A record and the names that metrics see of it."""

    examiner: Examiner
    trial: Trial
    record: dict[str, Any]
    names: dict[str, Any]

    @cached_property
    def _asker(self) -> Asker:
        return Asker(self.examiner.judges, self.examiner.answerer, self.names)

    @cached_property
    def results(self) -> tuple[array[float], dict[str, str]]:
        """The value of every metric of the cohort, and why some have none."""
        values: array[float] = array("d")
        failures: dict[str, str] = {}
        for name in self.examiner.applying[self.record["cohort"]]:
            try:
                value = self.examiner.metrics[name].of(self.names, self._asker)
                values.append(NOT_APPLICABLE if value is None else value)
            except (Failed, Waiting) as error:
                values.append(UNSCORED)
                failures[name] = str(error)
        return values, failures

    @cached_property
    def values(self) -> dict[str, float | None]:
        """The metrics by name: None where one does not apply, NaN where it is unscored."""
        applying = self.examiner.applying[self.record["cohort"]]
        return {
            n: None if v != v else float("nan") if v == UNSCORED else v for n, v in zip(applying, self.results[0], strict=True)
        }

    @cached_property
    def task(self) -> Task | None:
        """What became of the business task that it is, if it is one."""
        case = self.names["own_case"]
        whole = case is not None and self.examiner.view == FULL
        return task_of(case, self.record, self.names, self.values) if whole else None

    def asked(self) -> list[Asked]:
        """Every question that the metrics of the cohort put, with its answers."""
        _ = self.results
        return self._asker.asked

    def at(self, subject: Any) -> int | None:
        """The event that the subject of a question belongs to."""
        return None if subject is None else place(subject, self.names)

    def moments(self, metric: str) -> list[Moment]:
        """The moments that decided a metric; for one of the end state, the last change of the cart."""
        if self.values[metric] is None:
            return []
        try:
            found = self.examiner.metrics[metric].moments(self.names, self._asker)
        except (Failed, Waiting):
            return []
        return found or (self._last_change() if "F" in self.examiner.metrics[metric].data["evidence"] else [])

    def _last_change(self) -> list[Moment]:
        changes = [at for at, e in enumerate(self.record["events"]) if "cart" in e or e.get("order")]
        return [Moment(changes[-1], None, "")] if changes else []

    @cached_property
    def unfaithful(self) -> list[Unfaithful]:
        """The customer's messages that did not say what they should, or said what they should not."""
        return unfaithful(self.trial, self.record)
