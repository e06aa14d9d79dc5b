"""Many trials: a fixed inventory, so many at once, each recorded as soon as it is over; one that is lost loses no other, and is played again on resume."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from shopdsl.runtime.models.faults import BudgetSpent, Denied, EndpointFault
from shopdsl.runtime.shop.encoder import EncoderMissing
from shopdsl.runtime.spending import Spending
from shopdsl.runtime.watch import Note
from shopdsl.runtime.world import Trial

GIVE_UP = 16
"""After so many lost trials in a row no more are begun: what is down would be waited for by the hour."""


class RecordingFailed(Exception):
    """The disk does not take records any more; what was recorded before is whole."""


class Recorder(Protocol):
    """Takes the record of every trial that is over."""

    def append(self, record: dict[str, Any]) -> None:
        """Keep it; an OSError ends the run."""

    def lose(self, loss: dict[str, Any]) -> None:
        """Note why a trial has no record; an OSError ends the run."""


class Plays(Protocol):
    """Who plays a trial: here, or elsewhere."""

    @property
    def note(self) -> Note:
        """Who watches."""

    async def play(self, trial: Trial, repeat: int = 0) -> dict[str, Any]:
        """The record of one trial; whatever it raises means that the trial was not played to its end."""

    async def close(self) -> None:
        """Close what was opened."""


@dataclass
class Runner:
    """Plays trials, so many at once. `stopped` says why not all were played; `interrupted` is told how many are running when the user asks for an end
    in order; `cancelled` says that they were not waited for.
    """

    cast: Plays
    recorder: Recorder
    concurrency: int = 16
    spending: Spending = field(default_factory=Spending)
    interrupted: Callable[[int], None] = lambda running: None
    stopped: str | None = None
    cancelled: bool = False
    finished: int = 0
    lost: int = 0
    last_loss: str = ""
    _running: int = 0
    _in_a_row: int = 0
    _failed: OSError | None = None
    _ended: asyncio.Event = field(default_factory=asyncio.Event)
    _workers: list[asyncio.Task[None]] = field(default_factory=list)

    def run(self, trials: Iterable[tuple[Trial, int]]) -> None:
        """Play every (trial, repeat); raises RecordingFailed where records cannot be written."""
        try:
            asyncio.run(self._all(iter(trials)))
        except BaseExceptionGroup as group:  # what went wrong in one worker ends the run as itself
            raise group.exceptions[0] from None
        if self._failed is not None:
            raise RecordingFailed(self._failed.strerror or str(self._failed))

    async def _all(self, trials: Iterator[tuple[Trial, int]]) -> None:
        with self._signals():
            try:
                async with asyncio.TaskGroup() as group:
                    self._workers = [group.create_task(self._worker(trials)) for _ in range(self.concurrency)]
            finally:
                await self.cast.close()

    async def _worker(self, trials: Iterator[tuple[Trial, int]]) -> None:
        while not self.stopped and (entry := next(trials, None)) is not None:
            await self._paid_for()
            if not self.stopped:
                await self._one(*entry)

    async def _paid_for(self) -> None:
        """Wait until what is left of the budget pays for one more trial; where that will not come about, stop."""
        while not self.stopped and not self.spending.may_start(self._running):
            if self._running == 0:
                self.stop("what is left of the budget does not pay for another trial")
            else:  # a trial that ends may cost less than was thought
                self._ended.clear()
                await self._ended.wait()

    async def _one(self, trial: Trial, repeat: int) -> None:
        self._running += 1
        names = {"trial": trial.id, "repeat": repeat}
        self.cast.note({"event": "trial_started", **names})
        try:
            record = await self.cast.play(trial, repeat)
        except EncoderMissing:
            raise
        except Exception as error:
            self._lost(names, error)
        else:
            self._finished(names, record)
        finally:
            self._running -= 1
            self._ended.set()

    def _finished(self, names: dict[str, Any], record: dict[str, Any]) -> None:
        self._in_a_row = 0
        self.finished += 1
        self.spending.finished(record)
        self._keep(self.recorder.append, record)
        turns = sum(e["type"] == "agent" for e in record["events"])
        end = {"reason": record["end"]["reason"], "turns": turns, "seconds": round(record["seconds"], 4)}
        self.cast.note({"event": "trial_finished", **names, **end})

    def _lost(self, names: dict[str, Any], error: Exception) -> None:
        """A trial that was not played to its end has no record, and is played again when the run is gone on with."""
        if isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        self._in_a_row += 1
        self.lost += 1
        self.last_loss = str(error) or type(error).__name__
        spent = isinstance(error, BudgetSpent)
        detail = str(error) if isinstance(error, BudgetSpent | EndpointFault) else f"{type(error).__name__}: {error}"
        loss = {**names, "reason": "budget" if spent else "infrastructure", "detail": detail}
        self._keep(self.recorder.lose, loss | {"time": round(time.time(), 3)})
        self.cast.note({"event": "trial_lost", **loss})
        if isinstance(error, BudgetSpent | Denied):
            self.stop(detail)
        elif self._in_a_row >= GIVE_UP:
            self.stop(f"{GIVE_UP} trials in a row were lost, the last one to: {detail}")

    def _keep(self, write: Callable[[dict[str, Any]], None], data: dict[str, Any]) -> None:
        if self._failed is not None:
            return
        try:
            write(data)
        except OSError as error:
            self._failed = error
            self.stop("records cannot be written")

    def stop(self, why: str) -> None:
        """Begin no further trial."""
        if self.stopped is None:
            self.stopped = why
            self._ended.set()
            self.cast.note({"event": "run_stopping", "why": why})

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """SIGINT and SIGTERM end the run in order, a second one at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        asked = 0

        def caught(number: int, frame: Any) -> None:
            nonlocal asked
            asked += 1
            if asked > 2:  # an agent's own function may never give the loop its turn
                raise KeyboardInterrupt
            loop.call_soon_threadsafe(self._signalled)

        before = {number: signal.signal(number, caught) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _signalled(self) -> None:
        if self.stopped is None:
            self.stop("interrupted")
            self.interrupted(self._running)
            return
        self.cancelled = True
        self._end_at_once()

    def _end_at_once(self) -> None:
        """Cancel all that still run, until they have noticed: code of others may take a cancellation for its own."""
        left = [worker for worker in self._workers if not worker.done()]
        for worker in left:
            worker.cancel()
        if left:
            asyncio.get_running_loop().call_later(0.5, self._end_at_once)
