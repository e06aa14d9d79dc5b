"""Business tasks on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shopdsl.dsl.terminal import clean, padded
from shopdsl.runtime.report.tasks import Task, Tasks

MOST = 10
"""So many failed tasks are shown."""


def lines(tasks: Tasks) -> Iterator[str]:
    """Success by class, level and split; the failed tasks with their reasons; what they suggest."""
    for title, parts in tasks.parts:
        yield ""
        yield f"{title:<24} tasks   done  calls  answer  state  credit"
        for value, part in parts.items():
            yield f"  {padded(value, 22)} {part['cases']:>5}  {_cells(part)}"
    failed = [t for t in tasks.rows if not t.success]
    if failed:
        yield ""
        yield f"failed tasks ({len(failed)} of {len(tasks.rows)})"
        for task in failed[:MOST]:
            yield f"  {clean(task.case_id)}: {clean(why(task))}"
        if len(failed) > MOST:
            yield f"  … and {len(failed) - MOST} more; `shopdsl score --format json` has them all"
    yield ""
    yield "what this suggests"
    for text in tasks.notes:
        yield f"  {clean(text)}"


def why(task: Task) -> str:
    """Why a task failed: how it broke off, and the first two reasons."""
    return "; ".join([*([task.error] if task.error else []), *task.reasons[:2]]) or "its rule of success does not hold"


def _cells(part: dict[str, Any]) -> str:
    shown = [_rate(part[n]) for n in ("success_rate", "tool_call_accuracy", "answer_accuracy", "state_accuracy")]
    return f"{shown[0]:>5}  {shown[1]:>5}  {shown[2]:>6}  {shown[3]:>5}  {part['partial_credit']:>6.2f}"


def _rate(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"
