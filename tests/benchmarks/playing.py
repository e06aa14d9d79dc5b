"""Puts a plan, an agent and a run folder together, as `shopdsl run` does, without the command line around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from shopdsl.cli.casting import builtin_agent
from shopdsl.dsl.plan import open_plan
from shopdsl.runtime.agents.spec import AgentSpec
from shopdsl.runtime.cast import Cast
from shopdsl.runtime.customer.script import Script
from shopdsl.runtime.execute import Runner
from shopdsl.runtime.manifest import create_run
from shopdsl.runtime.models.clients import Models
from shopdsl.runtime.recording import Writer
from shopdsl.runtime.shop.encoder import Encoder
from shopdsl.runtime.world import Trial, World


def patient(suite: str, trials: int, turns: int, items: int = 2, reveal: str = "linear") -> str:
    """The specs of a suite whose trials have all the same length: the customer never leaves, and buys nothing."""
    return f"""
kind: cohort
name: general
extends: std.general
store: general_lexical
customer: patient
trials: {trials}
draw:
  target: "{{p: 1 for p in basket[:{items}]}}"
  turn_budget: "{turns}"
  reveal: '"{reveal}"'
---
kind: customer
name: patient
doc: Stays to the end whatever happens; frustration ends at 10.
extends: std.scripted
frustration: {{complain_at: 11, leave_at: 11}}
---
kind: suite
name: {suite}
seed: 1
cohorts: [general]
rubrics: {{general: std.general}}
"""


def opened(plan: Path) -> World:
    """A plan with its stores; they have no engines yet."""
    return World(open_plan(plan))


def scripts(world: World) -> dict[str, Script]:
    """The customer of each cohort."""
    return {name: Script(world.header["customers"][cohort["customer"]]) for name, cohort in world.header["cohorts"].items()}


def agent(name: str, call: Callable[[Any], Any] | None = None) -> AgentSpec:
    """A built-in agent, or a Python callable."""
    ways = {"builtin": None, "python": name} if call else {"builtin": name}
    return AgentSpec({**builtin_agent(name), **ways}, call)


def model(name: str) -> dict[str, Any]:
    """The plan data of a model that calls tools natively and may be asked as fast as it answers."""
    limits = dict.fromkeys(("requests_per_minute", "tokens_per_minute", "at_once"))
    plain = {"sampling": {}, "extra": "{}", "tool_calls": "native", "price": None}
    return {"name": name, "model": name, **plain, "limits": {**limits, "timeout": "120", "retries": 5}}


def model_agent(name: str) -> AgentSpec:
    """An agent that is a model."""
    return AgentSpec({**builtin_agent("model"), "builtin": None, "model": model(name)})


def play(
    world: World,
    trials: Iterable[Trial],
    who: AgentSpec,
    folder: Path,
    encoder: Encoder | None = None,
    models: Models | None = None,
    concurrency: int = 16,
) -> None:
    """Play trials into a new run folder."""
    create_run(folder, world.plan.path, {})
    writer = Writer(folder)
    try:
        cast = Cast(who, scripts(world), encoder, models or Models())
        Runner(cast, writer, concurrency).run((trial, 0) for trial in trials)
    finally:
        writer.close()
