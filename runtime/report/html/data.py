"""What the report shows: the runs of some agents on one plan, by cohort; cohorts are never averaged together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Any

from shopdsl.runtime.examine import Examiner, Look
from shopdsl.runtime.manifest import MANIFEST, RunBroken, read_manifest
from shopdsl.runtime.record import read_records
from shopdsl.runtime.report.html.cases import NO_CASE, Case
from shopdsl.runtime.report.text import slug
from shopdsl.runtime.score import CohortScore, MetricScore, Scorer
from shopdsl.runtime.statistics import around, bootstrap_means, interval

GROUPS = ("outcome", "cart", "search", "tools", "grounding", "conversation", "pacing", "safety")


@dataclass
class Run:
    """The scored run of one agent; `label` is the agent's name, and tells two runs of one agent apart."""

    label: str
    folder: Path
    scorer: Scorer
    scores: dict[str, CohortScore]

    @property
    def slug(self) -> str:
        return slug(self.label)

    def looks(self) -> Iterator[Look]:
        """Every record that counted, to be looked into; those that cannot be read were told of when they were scored."""
        manifest = read_manifest(self.folder)
        played, seen = set(manifest["trials"]), set[tuple[str, int]]()
        for record in read_records(self.folder, []):
            key = (record["trial"], record["repeat"])
            counts = key[0] in played and 0 <= key[1] < manifest["repeat"] and key not in seen
            if counts and (look := self._look(record)):
                seen.add(key)
                yield look

    def _look(self, record: dict[str, Any]) -> Look | None:
        try:
            return self.scorer.examiner.look(record)
        except RunBroken:
            return None


@dataclass(frozen=True)
class Row:
    """A trial in the table of trials."""

    agent: int
    cohort: str
    trial: str
    repeat: int
    tier: str
    reveal: str
    end: str
    wanted: tuple[str, ...]
    values: dict[str, float | None]
    case: Case = NO_CASE


@dataclass(frozen=True)
class Mean:
    """The mean of a group's metrics, each turned so that 1 is best."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Measured:
    """A metric of a cohort: what the plan says of it, and each agent's score, None where it has none."""

    about: dict[str, Any]
    scores: list[MetricScore | None]


@dataclass
class Group:
    """A group of metrics; `weight` is its share of the score, None where the cohort has no rubric."""

    name: str
    weight: float | None
    means: list[Mean | None]
    metrics: list[Measured]


@dataclass
class Cohort:
    """A cohort with the scores of every agent that played it (None: it did not), in the order of agents."""

    name: str
    title: str
    scores: list[CohortScore | None]
    groups: list[Group]
    rows: list[Row] = field(default_factory=list)

    @property
    def slug(self) -> str:
        return slug(self.name)

    @property
    def tiers(self) -> list[str]:
        return sorted({t for s in self.scores if s for t in s.ends_by_tier})

    @property
    def of_cases(self) -> bool:
        """Is every trial of it a case? Cases are not drawn, and have no tiers."""
        return bool(self.rows) and all(r.case.name for r in self.rows)

    @property
    def buys(self) -> bool:
        """Is it worth telling how often was bought? Of cases it is not where none led to a purchase."""
        return not self.of_cases or "purchase_complete" in self.ends

    @property
    def ends(self) -> list[str]:
        """How trials ended: a purchase first, then the most frequent."""
        counts: dict[str, int] = {}
        for score in filter(None, self.scores):
            for reason, n in score.ends.items():
                counts[reason] = counts.get(reason, 0) + n
        return sorted(counts, key=lambda r: (r != "purchase_complete", -counts[r], r))


@dataclass
class Report:
    """Everything that the index shows."""

    runs: list[Run]
    cohorts: list[Cohort]
    rows: list[Row] = field(default_factory=list)

    @property
    def cases(self) -> bool:
        """Is any trial of it a case?"""
        return any(r.case.name for r in self.rows)

    @property
    def examiner(self) -> Examiner:
        """Who looked at the records: all runs were looked at alike."""
        return self.runs[0].scorer.examiner


def run_folders(given: Iterable[Path]) -> list[Path]:
    """The run folders that are meant: each one given, or those inside of it."""
    found: list[Path] = []
    for folder in given:
        inside = [folder] if (folder / MANIFEST).exists() else sorted(p.parent for p in folder.glob(f"*/{MANIFEST}"))
        if not inside:
            raise RunBroken(f"{folder} holds no run, and no folder in it does (there is no {MANIFEST})")
        found += [p for p in inside if p not in found]
    return found


def one_plan(folders: Iterable[Path]) -> None:
    """Raises RunBroken where the runs are of several plans."""
    plans: dict[str, Path] = {}
    for folder in folders:
        plans.setdefault(read_manifest(folder)["plan"], folder)
    if len(plans) > 1:
        first, second = list(plans.values())[:2]
        raise RunBroken(
            f"{second} was played on another plan than {first}; agents are compared on the same trials, so make a report for each"
        )


def label(runs: list[Run]) -> None:
    """Tell runs of one agent apart: the second of `mine` is `mine-2`, unless another one is called so."""
    taken: set[str] = set()
    for run in runs:
        name, number = run.label, 1
        while run.label in taken or run.slug in {slug(t) for t in taken}:
            number += 1
            run.label = f"{name}-{number}"
        taken.add(run.label)


def cohorts(runs: list[Run], rows: list[Row]) -> list[Cohort]:
    """The cohorts that any of the runs played."""
    header = runs[0].scorer.examiner.world.header
    return [
        _cohort(name, about, runs, rows) for name, about in header["cohorts"].items() if any(r.scores[name].trials for r in runs)
    ]


def _cohort(name: str, about: dict[str, Any], runs: list[Run], rows: list[Row]) -> Cohort:
    scores = [r.scores[name] if r.scores[name].trials else None for r in runs]
    scoring = runs[0].scorer.scoring
    applying = [m for m in scoring["metrics"].values() if name in m["for"]]
    rubric = scoring["rubrics"].get(name)
    own = [[r for r in rows if r.cohort == name and r.agent == i] for i in range(len(runs))]
    groups = []
    for group in sorted({m["group"] for m in applying}, key=_order):
        metrics = [m for m in applying if m["group"] == group]
        weight = float(rubric["weights"].get(group, 0)) if rubric else None
        measured = [Measured(m, [s.metrics.get(m["name"]) if s else None for s in scores]) for m in metrics]
        groups.append(Group(group, weight, [group_mean(r, metrics) for r in own], measured))
    return Cohort(name, about["title"], scores, groups, [r for rows in own for r in rows])


def _order(group: str) -> tuple[int, str]:
    return (GROUPS.index(group) if group in GROUPS else len(GROUPS), group)


def group_mean(rows: list[Row], metrics: list[dict[str, Any]]) -> Mean | None:
    """The mean over metrics of their means over trials, with an interval; None where none applies."""
    import numpy as np

    metrics = [m for m in metrics if m.get("scale") != "count"]  # a number of things has no best value to be turned to
    if not rows or not metrics:
        return None
    matrix = _by_trial(rows, [m["name"] for m in metrics])
    flip = np.array([m["better"] == "lower" for m in metrics])
    value = _mean_of_means(_mean(matrix)[None, :], flip)[0]
    if isnan(value):
        return None
    bounds = around(float(value), interval(_mean_of_means(bootstrap_means(matrix), flip)))
    return Mean(float(value), *(bounds or (None, None)))


def _by_trial(rows: list[Row], names: list[str]) -> Any:
    """A (trials × metrics) matrix; repeats of a trial are averaged."""
    import numpy as np

    grouped: dict[str, list[list[float]]] = {}
    for row in rows:
        found = [row.values.get(n) for n in names]
        grouped.setdefault(row.trial, []).append([np.nan if v is None else v for v in found])
    return np.array([_mean(np.array(block, dtype=float)) for block in grouped.values()])


def _mean(block: Any) -> Any:
    """Means of columns without NaN; a column of nothing gives NaN."""
    import numpy as np

    known = ~np.isnan(block)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(known, block, 0).sum(axis=0) / known.sum(axis=0)


def _mean_of_means(means: Any, flip: Any) -> Any:
    import numpy as np

    return _mean(np.where(flip, 1 - means, means).T)
