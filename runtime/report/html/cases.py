"""A business case in one trial as the pages name it: what it is, whether it is done, and why not."""

from __future__ import annotations

from dataclasses import dataclass, replace

from shopdsl.runtime.examine import Look
from shopdsl.runtime.report.task_text import why
from shopdsl.runtime.report.text import cut

MOST = 300
"""So much of a reason stands on the index: it quotes what agents say, and the trial's page has all of it."""


@dataclass(frozen=True)
class Case:
    """The case of a trial, and what became of it; `done` and `credit` are None where it is not scored as a task."""

    name: str = ""
    id: str = ""
    category: str = ""
    level: str = ""
    split: str = ""
    done: bool | None = None
    credit: float | None = None
    why: str = ""

    @property
    def verdict(self) -> str:
        """Is it done, in a word that can be filtered by?"""
        return "" if self.done is None else "yes" if self.done else "no"


NO_CASE = Case()
"""That of a trial that was drawn."""


def case_of(look: Look, scored: bool) -> Case:
    """The case of a record; one of a trial that is lost is not scored."""
    about = look.examiner.scoring.get("cases", {}).get(look.trial.data.get("case", ""))
    if about is None:
        return NO_CASE
    task = look.task if scored else None
    name, id, category, level, split = (about.get(n) or "" for n in ("name", "id", "category", "level", "split"))
    found = Case(name, id, category, level, split)
    if task is None:
        return found
    return replace(found, done=task.success, credit=task.score, why="" if task.success else cut(why(task), MOST))
