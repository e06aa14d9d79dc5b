"""Do metrics notice? Mutants are played on a sample of trials beside the agent that they spoil, and compared trial by trial."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from shopdsl.cli.casting import builtin_agent
from shopdsl.cli.common import Trouble, fail_on, progress
from shopdsl.cli.searching import engines
from shopdsl.compiler.kinds.case import Case
from shopdsl.compiler.kinds.mutant import Mutant
from shopdsl.compiler.kinds.suite import Suite, compile_suite
from shopdsl.compiler.pipeline import find_suite, write_plan
from shopdsl.compiler.unit import Unit
from shopdsl.dsl.plan import digest, open_plan
from shopdsl.dsl.source import Span
from shopdsl.runtime.agents.spec import AgentSpec
from shopdsl.runtime.cast import Cast
from shopdsl.runtime.customer.script import Script
from shopdsl.runtime.examine import LOST, UNSCORED, Examiner, Seen
from shopdsl.runtime.execute import Runner
from shopdsl.runtime.world import Trial, World

LEAST = 1e-6
"""A mean that moves by less has not moved."""


@dataclass
class Kept:
    """Takes records instead of a file, and keeps what they give."""

    examiner: Examiner
    seen: list[Seen] = field(default_factory=list)
    forbidden: dict[str, list[str]] = field(default_factory=dict)

    def lose(self, loss: dict[str, Any]) -> None:
        self.forbidden[loss["trial"]] = [f"lost ({loss['detail']})"]

    def append(self, record: dict[str, Any]) -> None:
        look = self.examiner.look(record)
        self.seen.append(seen := self.examiner.summary(look))
        lost = [f"lost ({seen.reason})"] if seen.reason in LOST else []
        self.forbidden[record["trial"]] = lost + [event.name for event in look.names["forbidden"].get()]


def teeth(unit: Unit, mutants: list[Mutant], cases: list[Case], sample: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A result for every metric that a mutant must worsen, or must keep; and one for every case whose reference was played."""
    with tempfile.TemporaryDirectory() as folder:
        world = _world(unit, Path(folder) / "teeth.plan.jsonl")
        with engines(world) as encoder, progress("playing mutants", len(mutants)) as advance:
            stage = Stage(world, list(_sample(world, sample)), encoder)
            results = []
            for done, mutant in enumerate(mutants, 1):
                results += list(_verdicts(mutant, stage))
                advance(done)
            return results, list(_references(world, cases, encoder))


def _references(world: World, cases: list[Case], encoder: Any) -> Iterator[dict[str, Any]]:
    """The oracle plays what a case gives as its reference: what the case forbids must not happen in it."""
    trials = {t.data.get("case"): t for t in _sample(world, 1)}
    named = [(case, trials.get(f"{case.document.package}.{case.name}")) for case in cases]
    played = [(case, trial) for case, trial in named if trial is not None]
    broken = Stage(world, [trial for _, trial in played], encoder).forbidden(builtin_agent("oracle")) if played else {}
    yield from (_reference_row(case, broken[trial.id]) for case, trial in played)


def _reference_row(case: Case, broken: list[str]) -> dict[str, Any]:
    span = case.document.span
    return {
        "test": case.name, "metric": "its reference", "expected": "nothing forbidden", "found": ", ".join(broken) or "nothing forbidden",
        "passed": not broken, "file": span.source.path, "line": span.place[0],
    }  # fmt: skip


def _world(unit: Unit, path: Path) -> World:
    suite = _stage(unit)
    click.echo(f"playing trials of {', '.join(c.name for c in suite.cohorts)}", err=True)
    write_plan(unit, suite, path)
    if unit.sink.has_errors:
        fail_on(unit.sink)
    return World(open_plan(path))


def _stage(unit: Unit) -> Suite:
    """The default suite, and the cohorts of the package's other suites that it does not have."""
    default = find_suite(unit, None)
    if unit.sink.has_errors:
        fail_on(unit.sink)
    if default is None:
        raise Trouble("mutants are played on the trials of a suite: name one in `default_suite` of shopdsl.yaml")
    suites = [default, *(d for d in unit.documents("suite", unit.workspace.main.name) if d is not default)]
    made = [unit.compiled(compile_suite, d) for d in suites]
    cohorts = {c.name: c for suite in reversed(made) for c in suite.cohorts}
    rubrics = {name: r for suite in reversed(made) for name, r in suite.rubrics.items()}
    return Suite(made[0].name, made[0].seed, list(cohorts.values()), rubrics, made[0].document)


def _sample(world: World, each: int) -> Iterator[Trial]:
    """The first trials of every cohort, tier and reveal plan; all cases."""
    taken: dict[tuple[str, ...], int] = {}
    for data in world.plan.trials():
        key = (data["cohort"], str(data["drawn"].get("tier", "")), data["reveal"], data.get("case", ""))
        taken[key] = taken.get(key, 0) + 1
        if taken[key] <= each:
            yield world.trial(data)


class Stage:
    """Plays agents on the sample; one that was played is not played again."""

    def __init__(self, world: World, trials: list[Trial], encoder: Any) -> None:
        self.examiner = Examiner(world)
        self._trials, self._encoder = trials, encoder
        customers, cohorts = world.header["customers"], world.header["cohorts"]
        self._scripts = {name: Script(customers[about["customer"]]) for name, about in cohorts.items()}
        self._played: dict[str, dict[str, Seen]] = {}

    def play(self, data: dict[str, Any]) -> dict[str, Seen]:
        """What an agent's trials give, by trial."""
        key = digest(data)
        if key not in self._played:
            kept = Kept(self.examiner)
            Runner(Cast(AgentSpec(data), self._scripts, self._encoder), kept).run((t, 0) for t in self._trials)
            self._played[key] = {s.trial: s for s in kept.seen}
        return self._played[key]

    def forbidden(self, data: dict[str, Any]) -> dict[str, list[str]]:
        """The rules that an agent broke, by trial."""
        kept = Kept(self.examiner)
        Runner(Cast(AgentSpec(data), self._scripts, self._encoder), kept).run((t, 0) for t in self._trials)
        return kept.forbidden

    def means(self, metric: str, mutant: dict[str, Any]) -> Iterator[tuple[str, float, float]]:
        """For each cohort the means of a metric, the spoiled agent's and the mutant's, over the trials where the mutant has a value.

        Where the spoiled agent has none there was nothing to do wrong: it counts as the best value.
        """
        spoiled, whole = self.play(mutant), self.play(mutant["mutant"]["of"])
        best = 1.0 if self.examiner.metrics[metric].data["better"] == "higher" else 0.0
        for cohort, names in self.examiner.applying.items():
            if metric not in names:
                continue
            place = names.index(metric)
            both = [
                (whole[t].values, s.values)
                for t, s in spoiled.items()
                if s.cohort == cohort and t in whole and s.values and whole[t].values
            ]
            pairs = [(a[place] if _known(a[place]) else best, b[place]) for a, b in both if _known(b[place])]
            if pairs:
                yield cohort, sum(a for a, _ in pairs) / len(pairs), sum(b for _, b in pairs) / len(pairs)


def _known(value: float) -> bool:
    return value == value and value != UNSCORED


def _verdicts(mutant: Mutant, stage: Stage) -> Iterator[dict[str, Any]]:
    for name, span in mutant.worsens:
        losses = _losses(name, mutant, stage)
        yield _row(mutant, name, span, "worse", losses, any(loss > LEAST for loss, _ in losses))
    for name, span in mutant.keeps:
        losses = _losses(name, mutant, stage)
        yield _row(mutant, name, span, "no worse", losses, all(loss <= LEAST for loss, _ in losses))


Loss = tuple[float, str]


def _losses(metric: str, mutant: Mutant, stage: Stage) -> list[Loss]:
    """For each cohort how much worse a metric is with the mutant, and its means in words."""
    if metric not in stage.examiner.metrics:
        return []
    sign = 1 if stage.examiner.metrics[metric].data["better"] == "higher" else -1
    return [(sign * (a - b), f"{a:.3f}, spoiled {b:.3f}, in {c}") for c, a, b in stage.means(metric, mutant.data)]


def _row(mutant: Mutant, metric: str, span: Span, expected: str, losses: list[Loss], passed: bool) -> dict[str, Any]:
    found = "; ".join(text for _, text in losses) or "never told"
    return {
        "test": mutant.name, "metric": metric, "expected": expected, "found": found, "passed": passed,
        "file": span.source.path, "line": span.place[0],
    }  # fmt: skip
