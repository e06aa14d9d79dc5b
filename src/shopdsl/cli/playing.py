"""Plays what is left of a job: by whom it is watched, what it may cost, what is said when it does not come to its end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import islice

import click

from shopdsl.cli.common import INCOMPLETE, USAGE, Trouble
from shopdsl.cli.endpoints import served
from shopdsl.cli.foreseeing import a_trial, foresee
from shopdsl.cli.jobs import Job
from shopdsl.cli.searching import engines
from shopdsl.cli.watching import shown
from shopdsl.runtime.cast import Cast
from shopdsl.runtime.execute import Plays, RecordingFailed, Runner
from shopdsl.runtime.manifest import RunBroken
from shopdsl.runtime.models.usage import Purse
from shopdsl.runtime.recording import Writer, in_order
from shopdsl.runtime.spending import Spending
from shopdsl.runtime.watch import Note, unwatched

FILES = 6
"""Of so many a trial makes use."""
GUESSED = 200
"""Of so many trials it is guessed what one will cost."""


@dataclass
class Terms:
    """On which terms trials are played: how many at once (by each of the workers, where a cluster plays), at which addresses, from which purse, and
    who watches.
    """

    concurrency: int = 16
    workers: int | None = None
    endpoints: tuple[str, ...] = ()
    purse: Purse = field(default_factory=Purse)
    note: Note = unwatched


def play(job: Job, terms: Terms) -> Runner:
    """Play what is left of a job; what was played says whether it was stopped before its end."""
    try:
        left = job.left()
        writer = Writer(job.folder)
    except RunBroken as error:
        raise Trouble(str(error), USAGE) from None
    try:
        with shown(terms.note) as note, _cast(job, terms, note) as (cast, at_once):
            runner = Runner(cast, writer, at_once, _spending(job, terms.purse), _interrupted)
            _watch(job, len(left), runner, lambda: runner.run(job.trials(left)))
        if job.is_complete():
            _put_in_order(job)
    except RecordingFailed as error:
        message = f"cannot record: {error}; {len(job.done())} trials are recorded, go on with `{job.again}`"
        raise Trouble(message, INCOMPLETE) from None
    finally:
        writer.close()
    return runner


@contextmanager
def _cast(job: Job, terms: Terms, note: Note) -> Iterator[tuple[Plays, int]]:
    """Who plays, and how many trials at once: this process, or the workers of a cluster."""
    if terms.workers is None:
        _open_files(terms.concurrency)
        with engines(job.world) as encoder:
            models = served(list(job.asked.models().values()), "a model", terms.endpoints, terms.purse, note)
            yield Cast(job.agent, job.scripts, encoder, models, note), terms.concurrency
        return
    from shopdsl.cli.clustered import clustered

    yield clustered(job, terms.workers, terms, note), terms.concurrency * terms.workers


def _open_files(trials: int) -> None:
    """Many shells allow a process 1,024 files, and each trial may hold a few: connections, the pipes of a program."""
    try:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = FILES * trials + 256
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    except (ImportError, ValueError, OSError):  # then it goes as far as it goes
        return


def _put_in_order(job: Job) -> None:
    try:
        in_order(job.folder, job.inventory)
    except OSError as error:  # nothing is missing, so the run goes on
        click.echo(f"warning: the records stay in the order in which trials ended: {error.strerror}", err=True)


def _spending(job: Job, purse: Purse) -> Spending:
    """A purse with a limit begins with what a trial is thought to cost."""
    if purse.most_cost is None and purse.most_tokens is None:
        return Spending(purse)
    first = islice((t for t, _ in job.trials(set(job.inventory))), GUESSED)
    return Spending(purse, a_trial(foresee(job.world, first, job.asked), job.asked))


def _watch(job: Job, left: int, runner: Runner, run: Callable[[], None]) -> None:
    """Say when a run begins and ends to those who watch."""
    note, started, purse = runner.cast.note, time.perf_counter(), runner.spending.purse
    before = deepcopy(purse)
    plan = job.world.plan.digest
    note({"event": "run_started", "agent": job.agent.data["name"], "plan": plan, "trials": job.count, "left": left})
    try:
        run()
    finally:
        seconds = round(time.perf_counter() - started, 3)
        usage, cost = purse.since(before)
        note(
            {
                "event": "run_finished", "finished": runner.finished, "lost": runner.lost, "seconds": seconds,
                "usage": usage.as_data(), "cost": str(cost),
            }
        )  # fmt: skip


def _interrupted(running: int) -> None:
    if sys.stderr.isatty():  # the table says it
        return
    click.echo(f"\nno further trial begins; {running} are being played to their end (interrupt again to stop at once)", err=True)
