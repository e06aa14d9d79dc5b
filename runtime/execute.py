"""Many trials: a fixed inventory, so many at once, each recorded as soon as it is over; one that fails loses no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from shopdsl.runtime.agents.builtin import builtin
from shopdsl.runtime.agents.external import Command, PythonAgent
from shopdsl.runtime.agents.mutant import Mutant
from shopdsl.runtime.agents.protocol import Agent
from shopdsl.runtime.customer.controller import Program
from shopdsl.runtime.customer.script import Script
from shopdsl.runtime.ledger import Ledger
from shopdsl.runtime.shop.encoder import Encoder
from shopdsl.runtime.trial import Play, make_customer, make_ledger
from shopdsl.runtime.world import Trial


class RecordingFailed(Exception):
    """The disk does not take records any more; what was recorded before is whole."""


@dataclass
class AgentSpec:
    """Who is evaluated: the plan data of an agent, for a Python agent its callable, for a program the folder it is started in."""

    data: dict[str, Any]
    call: Callable[[Any], Any] | None = None
    folder: Path | None = None

    def make(self, trial: Trial, ledger: Ledger) -> Agent:
        """A fresh agent for one trial."""
        mutant = self.data.get("mutant")
        if mutant:
            inner = replace(self, data=mutant["of"]).make(trial, ledger)
            return Mutant(inner, mutant["habits"], trial, ledger)
        timeout = float(self.data["timeout"])
        if self.data["command"]:
            return Command(self.data["command"], timeout, self.folder)
        if self.call is not None:
            return PythonAgent(self.call, timeout)
        return builtin(self.data["builtin"], trial, ledger)


class Recorder(Protocol):
    """Takes the record of every trial that is over."""

    def append(self, record: dict[str, Any]) -> None:
        """Keep it; an OSError ends the run."""


@dataclass
class Runner:
    """Plays trials with one agent and one customer."""

    agent: AgentSpec
    scripts: dict[str, Script]
    writer: Recorder
    encoder: Encoder | None = None
    concurrency: int = 16
    progress: Callable[[dict[str, Any]], None] | None = None
    _programs: dict[int, Program] = field(default_factory=dict)
    _failed: OSError | None = None

    def run(self, trials: Iterable[tuple[Trial, int]]) -> None:
        """Play every (trial, repeat); raises RecordingFailed where records cannot be written."""
        try:
            asyncio.run(self._all(iter(trials)))
        except BaseExceptionGroup as group:  # what went wrong in one worker ends the run as itself
            raise group.exceptions[0] from None
        if self._failed is not None:
            raise RecordingFailed(self._failed.strerror or str(self._failed))

    async def _all(self, trials: Iterator[tuple[Trial, int]]) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(self.concurrency):
                group.create_task(self._worker(trials))

    async def _worker(self, trials: Iterator[tuple[Trial, int]]) -> None:
        for trial, repeat in trials:
            if self._failed is not None:
                return
            record = await self._play(trial) | {"repeat": repeat}
            self._keep(record)

    def _keep(self, record: dict[str, Any]) -> None:
        if self._failed is not None:
            return
        try:
            self.writer.append(record)
        except OSError as error:
            self._failed = error
            return
        if self.progress:
            self.progress(record)

    async def _play(self, trial: Trial) -> dict[str, Any]:
        ledger = make_ledger(trial)
        script = self.scripts[trial.data["cohort"]]
        program = self._program(trial)
        try:
            customer = make_customer(script, program, trial, ledger)
            make = partial(self.agent.make, trial, ledger)
            return await Play(trial, ledger, make, customer, self.encoder, self.agent.data["max_calls"]).run()
        except (
            Exception
        ) as error:  # a fault of the customer or of shopdsl ends this trial, under a reason of its own, and no other
            if type(error).__name__ == "EncoderMissing":
                raise
            return _fault(trial, ledger, error)

    def _program(self, trial: Trial) -> Program:
        key = id(trial.reveal)
        if key not in self._programs:
            self._programs[key] = Program(trial.reveal, trial.beats)
        return self._programs[key]


def _fault(trial: Trial, ledger: Ledger, error: Exception) -> dict[str, Any]:
    reason = "customer_error" if type(error).__name__ == "Failed" else "infrastructure"
    return {
        "trial": trial.id,
        "cohort": trial.data["cohort"],
        "task": trial.data["task"],
        "says": [],
        "events": [],
        "end": {"reason": reason, "detail": f"{type(error).__name__}: {error}"},
        "final": {"cart": {}, "order": None},
        "seconds": 0.0,
    }
