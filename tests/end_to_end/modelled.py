"""The small package with models as agents and customers, and trials of it played in this process."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from shopdsl.cli import cli
from shopdsl.cli.jobs import Job, open_world
from shopdsl.cli.playing import Terms, play
from shopdsl.runtime.agents.spec import AgentSpec
from shopdsl.runtime.customer.script import Script
from shopdsl.runtime.execute import Runner
from shopdsl.runtime.manifest import create_run
from shopdsl.runtime.models.usage import Purse
from shopdsl.runtime.world import World
from tests.conftest import CORNER


@dataclass
class Stage:
    """A package, its plan, and the agents and customers that it defines."""

    package: Path
    plan: Path
    agents: dict[str, dict[str, Any]]
    customers: dict[str, dict[str, Any]]
    world: World = field(init=False)

    def __post_init__(self) -> None:
        self.world = open_world(self.plan)

    def script(self, customer: str | None = None) -> Script:
        """The customer of the package's only cohort, or another one."""
        header = self.world.header
        return Script(self.customers[customer] if customer else header["customers"][header["cohorts"]["daily"]["customer"]])


def staged(folder: Path, specs: str) -> Stage:
    """A copy of the small package with further documents, compiled once."""
    from shopdsl.compiler.kinds.agent import compile_agent
    from shopdsl.compiler.kinds.customer import compile_customer
    from shopdsl.compiler.packages import load
    from shopdsl.compiler.pipeline import compile_plan, find_suite
    from shopdsl.compiler.unit import Unit
    from shopdsl.dsl.diagnostics import Sink
    from shopdsl.dsl.diagnostics.render import text

    package = Path(shutil.copytree(CORNER, folder / "corner"))
    (package / "models.yaml").write_text(specs, "utf-8")
    sink = Sink()
    unit = Unit(load(package, sink), sink)
    suite = find_suite(unit, None)
    assert suite is not None, text(sink.all())
    assert compile_plan(unit, suite, folder / "daily.plan.jsonl") is not None, text(sink.all())
    agents = {d.name: unit.compiled(compile_agent, d).data for d in unit.documents("agent", "corner")}
    customers = {d.name: unit.compiled(compile_customer, d).data for d in unit.documents("customer", "corner")}
    assert not sink.has_errors, text(sink.all())
    return Stage(package, folder / "daily.plan.jsonl", agents, customers)


@dataclass
class Played:
    """A run folder, and what was seen while it was filled."""

    folder: Path
    runner: Runner
    events: list[dict[str, Any]]

    @property
    def lines(self) -> bytes:
        return (self.folder / "records.jsonl").read_bytes()

    @property
    def records(self) -> dict[str, dict[str, Any]]:
        return {r["trial"]: r for line in self.lines.splitlines() for r in [json.loads(line)]}

    @property
    def losses(self) -> list[dict[str, Any]]:
        path = self.folder / "lost.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    def kinds(self, event: str) -> list[dict[str, Any]]:
        """The events of a name."""
        return [e for e in self.events if e["event"] == event]


def act(
    stage: Stage, agent: str, url: str, folder: Path, *, trials: int | list[int] = 1, customer: str | None = None, at_once: int = 4,
    purse: Purse | None = None,
) -> Played:  # fmt: skip
    """Play trials of the package as `run` does; a folder that holds records already is gone on with."""
    chosen = list(range(trials)) if isinstance(trials, int) else trials
    manifest = {"trials": [f"daily/{n}" for n in chosen], "repeat": 1, "agent_argument": agent, "customer_argument": customer}
    if not folder.exists():
        create_run(folder, stage.plan, manifest)
    spec = AgentSpec(stage.agents[agent] if agent in stage.agents else _builtin(agent))
    job = Job(stage.world, spec, {"daily": stage.script(customer)}, folder, manifest)
    events: list[dict[str, Any]] = []
    runner = play(job, Terms(concurrency=at_once, endpoints=(url,), purse=purse or Purse(), note=events.append))
    return Played(folder, runner, events)


def _builtin(name: str) -> dict[str, Any]:
    from shopdsl.cli.casting import builtin_agent

    return builtin_agent(name)


def shopdsl(*arguments: str | Path, env: dict[str, str] | None = None) -> Result:
    """The command line in this process; a traceback fails the test."""
    result = CliRunner().invoke(cli, [str(a) for a in arguments], env=env)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert "Traceback" not in result.output
    assert "made a mistake" not in result.output
    return result
