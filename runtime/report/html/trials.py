"""Writes the pages of trials; where there are many, in several processes that read the plan again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from shopdsl.dsl.plan import open_plan
from shopdsl.runtime.examine import Examiner, Look, readable
from shopdsl.runtime.judges.rules import Rules
from shopdsl.runtime.manifest import RunBroken
from shopdsl.runtime.report.html.data import Row, Run
from shopdsl.runtime.report.html.pages import Link, Pages, page_name
from shopdsl.runtime.report.html.scene import Scene, scene
from shopdsl.runtime.score import Scorer
from shopdsl.runtime.world import World

TRIALS = "trials"
MANY = 400
"""Below so many pages, starting processes takes longer than it saves."""
Place = tuple[str, str, int]
"""A trial of a run: its cohort, its id, and which repeat it is."""


@dataclass(frozen=True)
class Task:
    """A part of the records of a run: every `parts`-th one, from the place `part` on."""

    number: int
    part: int
    parts: int


def write_trials(runs: list[Run], out: Path) -> list[Row]:
    """A page for every record of every run; the rows of the table, in the order of runs and records."""
    for run in runs:
        (out / TRIALS / run.slug).mkdir(parents=True)
    places = [[_place(look) for look in run.looks()] for run in runs]
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    alone = workers == 1 or sum(map(len, places)) < MANY or not isinstance(runs[0].scorer.examiner.answerer, Rules)
    parts = 1 if alone or len(runs) >= workers else workers
    tasks = [Task(number, part, parts) for number in range(len(runs)) for part in range(parts)]
    writer = Writer(runs, places, out)
    made = map(writer.write, tasks) if alone else _in_processes(writer, tasks, workers)
    found = [(task.number, at, row) for task, rows in zip(tasks, made, strict=True) for at, row in rows]
    return [row for _, _, row in sorted(found, key=lambda f: f[:2])]


class Writer:
    """Writes pages of trials to a folder."""

    def __init__(self, runs: list[Run], places: list[list[Place]], out: Path) -> None:
        self.runs, self.places, self.out = runs, places, out
        self._pages = Pages()

    def write(self, task: Task) -> list[tuple[int, Row]]:
        """Write the pages of a part; the rows of the table, each with its place among the records of its run."""
        run = self.runs[task.number]
        around = _Around(self.runs, task.number, self.places)
        looks = ((at, look) for at, look in enumerate(run.looks()) if at % task.parts == task.part)
        made = ((at, self._one(run, task.number, look, around.links(at))) for at, look in looks)
        return [(at, row) for at, row in made if row is not None]

    def _one(self, run: Run, number: int, look: Look, links: dict[str, Any]) -> Row | None:
        """The page of a record; none where the record cannot be shown, which is no reason to show no other."""
        try:
            with readable(look.trial.id):
                shown = scene(look)
                page = self._pages.trial(shown, agent=run.label, **links)
        except RunBroken:
            page, shown = "", None
        if shown is None:
            return None
        (self.out / TRIALS / run.slug / page_name(*_place(look))).write_text(page, "utf-8", newline="\n")
        return _row(number, look, shown)


def _in_processes(writer: Writer, tasks: list[Task], workers: int) -> Iterator[list[tuple[int, Row]]]:
    examiner = writer.runs[0].scorer.examiner
    opened = [(run.label, run.folder) for run in writer.runs]
    start = (examiner.world.plan.path, examiner.scoring, examiner.view, opened, writer.places, writer.out)
    with ProcessPoolExecutor(min(workers, len(tasks)), get_context("spawn"), _begin, start) as pool:
        yield from pool.map(_work, tasks)


_writer: Writer | None = None


def _begin(
    plan: Path, scoring: dict[str, Any], view: str, opened: list[tuple[str, Path]], places: list[list[Place]], out: Path
) -> None:
    global _writer
    examiner = Examiner(World(open_plan(plan)), scoring, view)
    _writer = Writer([Run(label, folder, Scorer(examiner, (), 1), {}) for label, folder in opened], places, out)


def _work(task: Task) -> list[tuple[int, Row]]:
    assert _writer is not None
    return _writer.write(task)


def _place(look: Look) -> Place:
    return look.record["cohort"], look.record["trial"], look.record["repeat"]


def _row(number: int, look: Look, shown: Scene) -> Row:
    data = look.trial.data
    wanted = tuple(f"{i.quantity} × {i.product.title}" for i in look.trial.items())
    tier = str(data["drawn"].get("tier", ""))
    reveal = "" if shown.fixed else str(data["reveal"])
    values = dict(look.values) if shown.values else {}
    return Row(number, *_place(look), tier, reveal, shown.end, wanted, values, shown.case)


class _Around:
    """Where a trial's page leads to: its neighbours, and the same trial with other agents and repeats."""

    def __init__(self, runs: list[Run], number: int, places: list[list[Place]]) -> None:
        self._own = places[number]
        self._number, self._runs = number, runs
        self._others: dict[str, list[tuple[int, Place]]] = {}
        for i, found in enumerate(places):
            for place in found:
                self._others.setdefault(place[1], []).append((i, place))

    def links(self, at: int) -> dict[str, Any]:
        here = self._own[at]
        before = self._own[at - 1] if at else None
        after = self._own[at + 1] if at + 1 < len(self._own) else None
        return {"before": self._neighbour(before), "after": self._neighbour(after), "same": self._same(here), "repeat": here[2]}

    def _neighbour(self, place: Place | None) -> Link | None:
        return Link(page_name(*place), place[1]) if place else None

    def _same(self, here: Place) -> list[Link]:
        found = self._others[here[1]]
        if len(found) == 1:
            return []
        return [
            Link(
                f"../{self._runs[i].slug}/{page_name(*place)}",
                self._runs[i].label + (f", repeat {place[2]}" if place[2] else ""),
                (i, place) == (self._number, here),
            )
            for i, place in found
        ]
