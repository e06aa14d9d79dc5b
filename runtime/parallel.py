"""Reads the records of a run one after the other, or, where there are many, in several processes; memory does not grow with their number."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from shopdsl.dsl.plan import open_plan
from shopdsl.runtime.examine import Examiner, Seen
from shopdsl.runtime.judges.rules import Rules
from shopdsl.runtime.manifest import RECORDS, RunBroken
from shopdsl.runtime.record import not_a_record, parse_record, read_records, record_lines
from shopdsl.runtime.world import World

SPAWN_BYTES = 30_000_000
"""Below, starting processes that read the plan again takes longer than it saves."""
FORK_BYTES = 500_000
"""Below, even a process that has the plan already does."""
CHUNK = 16


def seen_all(folder: Path, examiner: Examiner, problems: list[str]) -> Iterator[Seen]:
    """What every record of a run gives; what is wrong with one is added to `problems`, and the rest is read."""
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    path = folder / RECORDS
    size = path.stat().st_size if path.is_file() else 0
    method = "fork" if _may_fork() else "spawn"
    many = size > (FORK_BYTES if method == "fork" else SPAWN_BYTES)
    if many and workers > 1 and isinstance(examiner.answerer, Rules):
        yield from _in_processes(folder, examiner, problems, workers, method)
        return
    for record in read_records(folder, problems):
        try:
            yield examiner.seen(record)
        except RunBroken as error:
            problems.append(str(error))


def _may_fork() -> bool:
    """A copy of this process has all that it has read; that is safe only while it has one thread, and no library that keeps its own."""
    return sys.platform == "linux" and threading.active_count() == 1 and "torch" not in sys.modules


def _in_processes(folder: Path, examiner: Examiner, problems: list[str], workers: int, method: str) -> Iterator[Seen]:
    """The same in the same order; only a few chunks of lines are held at a time."""
    global _examiner
    _examiner = examiner  # what a forked process begins with; a spawned one makes its own
    anew = (str(examiner.world.plan.path), examiner.scoring, examiner.view) if method == "spawn" else None
    start = partial(_begin, os.getpid(), anew)
    lines = record_lines(folder)
    with ProcessPoolExecutor(workers, get_context(method), start) as pool:
        waiting: deque[Future[list[Seen | str]]] = deque()
        while True:
            while len(waiting) < 2 * workers and (chunk := list(islice(lines, CHUNK))):
                waiting.append(pool.submit(_read, folder, chunk))
            if not waiting:
                return
            for found in waiting.popleft().result():
                if isinstance(found, Seen):
                    yield found
                else:
                    problems.append(found)


_examiner: Examiner | None = None


def _begin(parent: int, anew: tuple[str, dict[str, Any], str] | None) -> None:
    """A process that was not forked opens the plan itself."""
    global _examiner
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    if anew is not None:
        plan, scoring, view = anew
        _examiner = Examiner(World(open_plan(Path(plan))), scoring, view)


def _end_with(parent: int) -> None:
    """A process that waits for work does not notice that nobody is left to give it any."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _read(folder: Path, lines: list[tuple[int, bytes]]) -> list[Seen | str]:
    assert _examiner is not None
    return [_one(_examiner, folder, number, line) for number, line in lines]


def _one(examiner: Examiner, folder: Path, number: int, line: bytes) -> Seen | str:
    record = parse_record(line)
    try:
        return not_a_record(folder, number) if record is None else examiner.seen(record)
    except RunBroken as error:
        return str(error)
