"""Puts a plan, an agent and a run folder together, as `shopdsl run` does, without the command line around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from shopdsl.dsl.plan import open_plan
from shopdsl.runtime.customer.script import Script
from shopdsl.runtime.execute import AgentSpec, Runner
from shopdsl.runtime.record import Writer, create_run
from shopdsl.runtime.shop.encoder import Encoder
from shopdsl.runtime.world import Trial, World


def opened(plan: Path) -> World:
    """A plan with its stores; they have no engines yet."""
    return World(open_plan(plan))


def scripts(world: World) -> dict[str, Script]:
    """The customer of each cohort."""
    return {name: Script(world.header["customers"][cohort["customer"]]) for name, cohort in world.header["cohorts"].items()}


def agent(name: str, call: Callable[[Any], Any] | None = None) -> AgentSpec:
    """A built-in agent, or a Python callable."""
    data = {
        "name": name,
        "builtin": None if call else name,
        "command": None,
        "python": name if call else None,
        "timeout": "60",
        "max_calls": 12,
    }
    return AgentSpec(data, call)


def play(world: World, trials: Iterable[Trial], who: AgentSpec, folder: Path, encoder: Encoder | None = None) -> None:
    """Play trials into a new run folder."""
    create_run(folder, world.plan.path, {})
    writer = Writer(folder)
    try:
        Runner(who, scripts(world), writer, encoder).run((trial, 0) for trial in trials)
    finally:
        writer.close()
