"""Proves the cases of a plan before it is kept: what is wrong with one is a finding of the compiler, at the case."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from shopdsl.dsl.diagnostics import codes

if TYPE_CHECKING:
    from shopdsl.compiler.kinds.case import Case
    from shopdsl.compiler.kinds.suite import Suite
    from shopdsl.compiler.unit import Unit
    from shopdsl.runtime.expect.proof import Flaw
    from shopdsl.runtime.shop.encoder import Encoder
    from shopdsl.runtime.world import Trial, World

KINDS = {
    "unproved": codes.UNPROVED,
    "idle": codes.IDLE,
    "survives": codes.SURVIVES,
    "leak": codes.LEAK,
    "tie": codes.TIE,
    "equal": codes.TIE,
    "nothing": codes.TIE,
}
HELP = {
    "unproved": "expect what the shop can do, or give the case a `reference`",
    "idle": "expect something that must be done or said; where doing nothing is right, write `inaction: right`",
    "survives": "expect it more exactly, or do not count this group in `success`",
    "leak": "take the answer out of that text, or expect something that must be found out",
    "nothing": "look at `among`: nothing in the store fits it",
    "tie": "make the query narrower, or write `ties: accept`",
    "equal": "expect what every choice has, such as its `total`",
}


def prove_cases(unit: Unit, path: Path, suite: Suite) -> None:
    """Report what is wrong with the cases of a plan that expect something of calls, answer or state."""
    cases = {f"{case.document.package}.{case.name}": case for cohort in suite.cohorts for case in cohort.cases}
    proving = {name for name, case in cases.items() if case.expected.data["groups"]}
    if not proving:
        return
    from shopdsl.cli.searching import engines
    from shopdsl.dsl.plan import open_plan
    from shopdsl.runtime.world import World

    world = World(open_plan(path))
    trials = [world.trial(data) for data in world.plan.trials() if data.get("case") in proving]
    with engines(world) as encoder:
        for trial, flaw in _flaws(world, trials, encoder):
            _report(unit, cases[trial.data["case"]], flaw)


def _flaws(world: World, trials: list[Trial], encoder: Encoder | None) -> Iterator[tuple[Trial, Flaw]]:
    """Cases with fixed messages are proved at once; those whose wishes come out by plan must be played first."""
    from shopdsl.cli.rehearsing import rehearse
    from shopdsl.runtime.expect.perform import Performer
    from shopdsl.runtime.expect.proof import prove_case, prove_played

    performer = Performer(encoder)
    planned = [t for t in trials if not t.data["script"]["messages"]]
    right, silent = (rehearse(world, planned, encoder, agent) if planned else {} for agent in ("oracle", "silent"))
    for trial in trials:
        if trial.data["script"]["messages"]:
            yield from ((trial, flaw) for flaw in prove_case(trial, performer))
        elif trial.id in right and trial.id in silent:
            yield from ((trial, flaw) for flaw in prove_played(trial, performer, right[trial.id], silent[trial.id]))


def _report(unit: Unit, case: Case, flaw: Flaw) -> None:
    from shopdsl.compiler.origin import Origin

    span = case.expected.spans.get(flaw.group, case.document.span)
    place = Origin(unit, case.document).place(flaw.group, span)
    unit.sink.add(KINDS[flaw.kind], f"{case.name}: {flaw.message}", place, HELP[flaw.kind])
