"""What `run` does between its options and the profile: resolves agent and customer, makes or reopens a run folder, plays what is left."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from shopdsl import __version__
from shopdsl.cli.common import INCOMPLETE, USAGE, Trouble, fail_on, open_unit
from shopdsl.cli.searching import engines
from shopdsl.dsl.plan import PlanError, open_plan
from shopdsl.runtime.customer.script import Script
from shopdsl.runtime.execute import AgentSpec, RecordingFailed, Runner
from shopdsl.runtime.record import PLAN, RunBroken, Writer, create_run, read_manifest, read_records
from shopdsl.runtime.world import Trial, World, undamaged

BUILTIN = ("baseline", "silent", "oracle")


@dataclass
class Job:
    """One agent on one plan in one folder."""

    world: World
    agent: AgentSpec
    scripts: dict[str, Script]
    folder: Path
    inventory: list[tuple[str, int]]

    @property
    def count(self) -> int:
        return len(self.inventory)

    def done(self) -> set[tuple[str, int]]:
        """What has been recorded."""
        return {(r["trial"], r.get("repeat", 0)) for r in read_records(self.folder)}

    def is_complete(self) -> bool:
        return not set(self.inventory) - self.done()

    def left(self) -> Iterator[tuple[Trial, int]]:
        """The trials that have no record, one repeat after the other."""
        done = self.done()
        return self._open({entry for entry in self.inventory if entry not in done})

    def _open(self, open_: set[tuple[str, int]]) -> Iterator[tuple[Trial, int]]:
        for repeat in sorted({r for _, r in open_}):
            for trial in self.world.trials():
                if (trial.id, repeat) in open_:
                    yield trial, repeat


def new_job(
    plan: Path,
    agent: str,
    customer: str | None,
    folder: Path | None,
    repeat: int,
    limit: int | None,
    trials: tuple[str, ...],
    package: Path | None,
) -> Job:
    """A fresh run folder."""
    world = open_world(plan)
    spec, customers = resolve(agent, customer, package)
    ids = _choose(world, limit, trials)
    folder = folder or _default_folder(world, spec)
    manifest = {
        "plan": world.plan.digest,
        "suite": world.header["suite"],
        "agent": spec.data,
        "agent_argument": agent,
        "customer_argument": customer,
        "trials": ids,
        "repeat": repeat,
        "shopdsl": __version__,
        "python": sys.version.split()[0],
        "machine": {"system": platform.system(), "processor": platform.machine()},
    }
    try:
        create_run(folder, plan, manifest)
    except RunBroken as error:
        raise Trouble(str(error), USAGE) from None
    return Job(world, spec, _scripts(world, customers, customer), folder, [(t, r) for t in ids for r in range(repeat)])


def resumed(folder: Path, agents: tuple[str, ...], customer: str | None, package: Path | None) -> Job:
    """A run folder that is gone on with; an agent that starts something must be named again, for a folder may come from somebody else."""
    try:
        manifest = read_manifest(folder)
        world = open_world(folder / PLAN)
    except RunBroken as error:
        raise Trouble(str(error), USAGE) from None
    if world.plan.digest != manifest["plan"]:
        raise Trouble(f"the plan in {folder} is not the one that the run began with", USAGE)
    named = manifest["customer_argument"]
    if customer is None and named is not None:
        raise Trouble(f"this run has a customer of its own; name it again: `--customer {named}`", USAGE)
    known = manifest["agent_argument"] if manifest["agent"].get("builtin") in BUILTIN else None
    if known is None and not agents:
        raise Trouble(
            f"this run's agent is not a built-in one; name it again: `shopdsl run --resume {folder} --agent {manifest['agent_argument']}`",
            USAGE,
        )
    spec, customers = resolve(agents[0] if agents else f"std.{manifest['agent']['builtin']}", customer, package)
    if spec.data != manifest["agent"]:
        raise Trouble(f"the agent `{spec.data['name']}` is not what it was when the run began; start a new run", USAGE)
    inventory = [(t, r) for t in manifest["trials"] for r in range(manifest["repeat"])]
    return Job(world, spec, _scripts(world, customers, customer), folder, inventory)


def open_world(plan: Path) -> World:
    """A plan, opened; Trouble where it cannot be used."""
    try:
        return World(open_plan(plan))
    except PlanError as error:
        raise Trouble(str(error), USAGE) from None


def play(job: Job, concurrency: int, advance: Callable[[int], None]) -> None:
    """Play what is left of a job."""
    played = 0

    def note(record: dict[str, Any]) -> None:
        nonlocal played
        played += 1
        advance(played)

    try:
        left = job.left()
    except RunBroken as error:
        raise Trouble(str(error), USAGE) from None
    with engines(job.world) as encoder:
        writer = Writer(job.folder)
        try:
            Runner(job.agent, job.scripts, writer, encoder, concurrency, note).run(left)
        except RecordingFailed as error:
            message = f"cannot record: {error}; {played} trials are recorded, go on with `shopdsl run --resume {job.folder}`"
            raise Trouble(message, INCOMPLETE) from None
        finally:
            writer.close()


def resolve(agent: str, customer: str | None, package: Path | None) -> tuple[AgentSpec, dict[str, dict[str, Any]]]:
    """The agent of an argument (a name, or a file), and the customers that a file or the package defines."""
    name = agent.removeprefix("std.")
    if name in BUILTIN and customer is None and package is None and (agent != name or not _in_own_package()):
        return AgentSpec(builtin_agent(name)), {}
    from shopdsl.compiler.kinds.customer import compile_customer

    files = [Path(a) for a in (agent, customer) if a and Path(a).suffix in (".yaml", ".yml")]
    for file in files:
        if not file.is_file():
            raise Trouble(f"there is no file {file}", USAGE)
    unit, sink = open_unit(package, files)
    found, compiled = _agent(unit, agent)
    wanted = named(unit, "customer", customer) if customer else None
    customers = {wanted.name: unit.compiled(compile_customer, wanted).data} if wanted else {}
    fail_on(sink)
    if compiled is None:
        kinds = ("agent", "mutant")
        names = ", ".join(n for kind in kinds for n in unit.workspace.names(kind, unit.workspace.main.name))
        raise Trouble(f"there is no agent `{agent}`; there are: {names}", USAGE)
    if customer and not customers:
        raise Trouble(f"there is no customer `{customer}`", USAGE)
    home = _place(unit.workspace.main.folder, found).parent
    return AgentSpec(compiled.data, _callable(_spoiled(compiled.data), home), home), customers


def _spoiled(data: dict[str, Any]) -> dict[str, Any]:
    """The agent that a mutant spoils, which may be a callable; any other agent itself."""
    of: dict[str, Any] = data["mutant"]["of"] if data.get("mutant") else data
    return of


def _agent(unit: Any, argument: str) -> tuple[Any, Any]:
    """The document of an agent, or of a mutant, for that is an agent too; and what it compiles to."""
    from shopdsl.compiler.kinds.agent import compile_agent
    from shopdsl.compiler.kinds.mutant import compile_mutant

    found = named(unit, "agent", argument, "mutant")
    if found is None:
        return None, None
    return found, unit.compiled(compile_agent if found.kind == "agent" else compile_mutant, found)


def _in_own_package() -> bool:
    """Is the package at hand another than `std`, so that it may define an agent of a built-in's name?"""
    from shopdsl.compiler.packages import nearest_package, standard_folder

    folder = nearest_package(Path.cwd())
    return folder is not None and folder.resolve() != standard_folder()


def builtin_agent(name: str) -> dict[str, Any]:
    """The plan data of a built-in agent."""
    return {"name": name, "builtin": name, "command": None, "python": None, "timeout": "60", "max_calls": 12}


def named(unit: Any, kind: str, argument: str, *others: str) -> Any:
    """The document that an argument means: by name, or the only one of a file; of a kind, else of another one that will do."""
    path = Path(argument)
    if path.suffix not in (".yaml", ".yml"):
        found = (unit.workspace.find(k, argument, unit.workspace.main.name) for k in (kind, *others))
        return next((d for d in found if d), None)
    main = unit.workspace.main
    places = {path.resolve()}
    inside = [d for k in (kind, *others) for d in unit.documents(k, main.name) if _place(main.folder, d) in places]
    if len(inside) != 1:
        raise Trouble(f"{path} holds {len(inside)} documents of kind {kind}, and one is needed", USAGE)
    return inside[0]


def _place(folder: Path, document: Any) -> Path:
    """The file of a document: shown relative to its package, or as it was named on the command line."""
    shown = Path(document.span.source.path)
    return (folder / shown).resolve() if (folder / shown).is_file() else shown.resolve()


def _callable(data: dict[str, Any], folder: Path) -> Any:
    if not data["python"]:
        return None
    from shopdsl.runtime.agents.external import load_callable

    for place in (folder, Path.cwd()):
        try:
            return load_callable(data["python"], str(place.resolve()))
        except (ImportError, AttributeError) as error:
            problem = error
    raise Trouble(f"cannot load the agent {data['python']}: {problem}", USAGE)


def _choose(world: World, limit: int | None, trials: tuple[str, ...]) -> list[str]:
    ids = list(world.plan.ids)
    for trial in trials:
        if trial not in ids:
            raise Trouble(f"the plan has no trial {trial}; ids are COHORT/NUMBER, for example {ids[0]}", USAGE)
    chosen = [i for i in ids if not trials or i in trials]
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
