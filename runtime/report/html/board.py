"""Cases beside agents: which tasks tell agents apart, which failed and why, and how classes, levels and splits went."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from shopdsl.runtime.report.html.cases import Case
from shopdsl.runtime.report.html.data import Cohort, Row
from shopdsl.runtime.report.tasks import Tasks


@dataclass(frozen=True)
class Line:
    """A case, and the trials of each agent in it: more than one where it was repeated, none where it was not played; do agents differ?"""

    case: Case
    trials: list[list[Row]]
    apart: bool


@dataclass(frozen=True)
class Failed:
    """The failed tasks of one agent, of so many that it was given."""

    agent: int
    rows: list[Row]
    tasks: int


def board(cohort: Cohort) -> dict[str, list[Line]]:
    """The lines of a cohort, by class; the classes by name, their cases in the order of the plan."""
    found: dict[str, list[Line]] = defaultdict(list)
    able = _able(cohort)
    for rows in _by_case(cohort).values():
        own = [[r for r in rows if r.agent == number] for number in range(len(cohort.scores))]
        apart = len({tuple(r.case.done for r in own[number]) for number in able if own[number]}) > 1
        found[rows[0].case.category].append(Line(rows[0].case, own, apart))
    return dict(sorted(found.items()))


def _able(cohort: Cohort) -> set[int]:
    """Whose results are compared: one that does no task at all would make every case tell agents apart."""
    able = {r.agent for r in cohort.rows if r.case.done}
    return able if len(able) > 1 else {r.agent for r in cohort.rows}


def _by_case(cohort: Cohort) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(cohort.rows, key=lambda r: (r.agent, r.repeat)):
        if row.case.name:
            found[row.trial].append(row)
    return {trial: found[trial] for trial in sorted(found, key=_place)}


def _place(trial: str) -> tuple[int, str]:
    number = trial.rpartition("/")[2]
    return (int(number) if number.isdecimal() else 0, trial)


def failed(cohort: Cohort) -> list[Failed]:
    """The failed tasks of every agent that has tasks."""
    found = []
    for number in range(len(cohort.scores)):
        tasks = [r for r in cohort.rows if r.agent == number and r.case.done is not None]
        if tasks:
            found.append(Failed(number, [r for r in tasks if not r.case.done], len(tasks)))
    return found


def dimensions(cohort: Cohort) -> list[tuple[str, dict[str, list[dict[str, Any] | None]]]]:
    """Rates by class, level and split, for each value those of every agent."""
    tasks = [score.tasks if score else None for score in cohort.scores]
    own = [dict(t.parts) if t else {} for t in tasks]
    everything = Tasks([row for t in tasks if t for row in t.rows])
    return [(title, {value: [o.get(title, {}).get(value) for o in own] for value in parts}) for title, parts in everything.parts]
