"""What is to be played, by whom, into which folder: a fresh run, or one that is gone on with."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import Any

from shopdsl import __version__
from shopdsl.cli.casting import BUILTIN, resolve
from shopdsl.cli.code import code_of
from shopdsl.cli.common import USAGE, Trouble
from shopdsl.cli.foreseeing import Asked
from shopdsl.dsl.plan import PlanError, digest, open_plan
from shopdsl.runtime.agents.spec import AgentSpec
from shopdsl.runtime.customer.script import Script
from shopdsl.runtime.manifest import PLAN, RunBroken, create_run, inventory, lasting, read_manifest
from shopdsl.runtime.record import read_records
from shopdsl.runtime.world import Trial, World, undamaged


@dataclass(frozen=True)
class Wish:
    """What the user wants to have played: which trials of a plan, how often, by whom, and which part of them here."""

    plan: Path
    agent: str
    customer: str | None = None
    repeat: int = 1
    limit: int | None = None
    trials: tuple[str, ...] = ()
    shard: tuple[int, int] | None = None


@dataclass
class Job:
    """One agent on one plan in one folder: who plays, and each trial and repeat that is to be recorded there. `manifest` is what the folder says of it."""

    world: World
    agent: AgentSpec
    scripts: dict[str, Script]
    folder: Path
    manifest: dict[str, Any]

    @property
    def inventory(self) -> list[tuple[str, int]]:
        return inventory(self.manifest)

    @property
    def count(self) -> int:
        return len(self.inventory)

    @property
    def asked(self) -> Asked:
        """Who of it is a model."""
        return Asked(self.agent, self.scripts)

    @property
    def again(self) -> str:
        """The command that goes on with it."""
        named = "" if self.agent.data.get("builtin") else f" --agent {quote(self.manifest['agent_argument'])}"
        customer = self.manifest["customer_argument"]
        return f"shopdsl run --resume {quote(str(self.folder))}{named}" + (f" --customer {quote(customer)}" if customer else "")

    def create(self) -> None:
        """Make its folder; Trouble where that cannot be."""
        try:
            create_run(self.folder, self.world.plan.path, self.manifest)
        except RunBroken as error:
            raise Trouble(str(error), USAGE) from None

    def done(self) -> set[tuple[str, int]]:
        """What has been recorded."""
        return {(r["trial"], r.get("repeat", 0)) for r in read_records(self.folder)}

    def left(self) -> set[tuple[str, int]]:
        """What has no record."""
        return set(self.inventory) - self.done()

    def is_complete(self) -> bool:
        return not self.left()

    def trials(self, entries: set[tuple[str, int]]) -> Iterator[tuple[Trial, int]]:
        """Trials of the plan, one repeat after the other."""
        for repeat in sorted({r for _, r in entries}):
            for trial in self.world.trials():
                if (trial.id, repeat) in entries:
                    yield trial, repeat


def new_job(wish: Wish, folder: Path | None, package: Path | None) -> Job:
    """A job for a fresh folder (where none is named, one in runs/), which is not made yet; Trouble where a wish cannot be fulfilled."""
    world = open_world(wish.plan)
    spec, customers = resolve(wish.agent, wish.customer, package)
    scripts = _scripts(world, customers, wish.customer)
    manifest = {
        "plan": world.plan.digest,
        "suite": world.header["suite"],
        "agent": spec.data,
        "agent_argument": wish.agent,
        "customer_argument": wish.customer,
        "trials": _choose(world, wish.limit, wish.trials),
        "repeat": wish.repeat,
        "shard": list(wish.shard) if wish.shard else None,
        "models": {
            n: {k: m[k] for k in ("model", "sampling", "extra")} for (_, n), m in sorted(Asked(spec, scripts).models().items())
        },
        "customers": {name: digest(lasting(script.data)) for name, script in scripts.items()},
        "code": code_of(spec.played, spec.folder),
        "shopdsl": __version__,
        "python": sys.version.split()[0],
        "machine": {"system": platform.system(), "processor": platform.machine()},
    }
    return Job(world, spec, scripts, folder or _default_folder(world, spec), manifest)


def resumed(folder: Path, agents: tuple[str, ...], customer: str | None, package: Path | None) -> Job:
    """A run folder that is gone on with; an agent that starts something must be named again, for a folder may come from somebody else."""
    if len(agents) > 1:
        raise Trouble("a run folder has one agent; name that one", USAGE)
    try:
        manifest = read_manifest(folder)
        lasting(manifest)
        world = open_world(folder / PLAN)
    except (RunBroken, RecursionError) as error:
        runs = below(folder)
        which = f"; it holds the runs {', '.join(runs)}, of which one can be gone on with" if runs else ""
        raise Trouble(f"{error}{which}", USAGE) from None
    if world.plan.digest != manifest["plan"]:
        raise Trouble(f"the plan in {folder} is not the one that the run began with", USAGE)
    named = manifest["customer_argument"]
    if customer is None and named is not None:
        raise Trouble(f"this run has a customer of its own; name it again: `--customer {quote(named)}`", USAGE)
    known = manifest["agent_argument"] if manifest["agent"].get("builtin") in BUILTIN else None
    if known is None and not agents:
        command = f"shopdsl run --resume {quote(str(folder))} --agent {quote(manifest['agent_argument'])}"
        raise Trouble(f"this run's agent is not a built-in one; name it again: `{command}`", USAGE)
    spec, customers = resolve(agents[0] if agents else f"std.{manifest['agent']['builtin']}", customer, package)
    if lasting(spec.data) != lasting(manifest["agent"]):
        raise Trouble(f"the agent `{spec.data['name']}` is not what it was when the run began; start a new run", USAGE)
    scripts = _scripts(world, customers, customer)
    if manifest.get("customers") != {name: digest(lasting(script.data)) for name, script in scripts.items()}:
        raise Trouble("the customer is not what it was when the run began; start a new run", USAGE)
    return Job(world, spec, scripts, folder, manifest)


def below(folder: Path) -> list[str]:
    """The runs of several agents that lie in one folder."""
    return sorted(path.parent.name for path in folder.glob("*/manifest.json")) if folder.is_dir() else []


def open_world(plan: Path) -> World:
    """A plan, opened; Trouble where it cannot be used."""
    try:
        return World(open_plan(plan))
    except PlanError as error:
        raise Trouble(str(error), USAGE) from None


def _choose(world: World, limit: int | None, trials: tuple[str, ...]) -> list[str]:
    ids = list(world.plan.ids)
    wanted = {trial: world.plan.called(trial) for trial in trials}
    for trial, found in wanted.items():
        if not found:
            raise Trouble(f"the plan has no trial and no case {trial}; ids are COHORT/NUMBER, for example {ids[0]}", USAGE)
    chosen = [i for i in ids if not trials or any(i in found for found in wanted.values())]
    return chosen[:limit] if limit else chosen


def _scripts(world: World, customers: dict[str, dict[str, Any]], wanted: str | None) -> dict[str, Script]:
    """The script that plays each cohort's customer."""
    known = world.header["customers"] | customers
    result = {}
    try:
        with undamaged(world.plan):
            for name, cohort in world.header["cohorts"].items():
                customer = next(iter(customers), None) if wanted else cohort["customer"]
                result[name] = Script(known[customer or cohort["customer"]])
    except PlanError as error:
        raise Trouble(str(error), USAGE) from None
    return result


def _default_folder(world: World, spec: AgentSpec) -> Path:
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    base = Path("runs") / f"{world.header['suite']}-{spec.data['name']}-{stamp}"
    folder, n = base, 2
    while folder.exists():
        folder, n = base.with_name(f"{base.name}-{n}"), n + 1
    return folder
