"""Agents and customers that the user names: a document of the package at hand or of `std`, or a file that holds one."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from shopdsl.cli.common import USAGE, Trouble, fail_on, open_unit
from shopdsl.dsl.diagnostics import nearest
from shopdsl.runtime.agents.spec import AgentSpec

BUILTIN = ("baseline", "silent", "oracle")


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
        raise Trouble(_unknown(unit, agent, "agent", "mutant"), USAGE)
    if customer and not customers:
        raise Trouble(_unknown(unit, customer, "customer"), USAGE)
    home = _place(unit.workspace.main.folder, found).parent
    spec = AgentSpec(compiled.data, folder=home)
    spec.call = _callable(spec.played, home)
    if spec.played["mcp"] and find_spec("mcp") is None:
        raise Trouble("an agent with `mcp: true` needs the package mcp; install it with `pip install 'shopdsl[mcp]'`", USAGE)
    return spec, customers


def _unknown(unit: Any, name: str, *kinds: str) -> str:
    """That there is no such document, and which was meant or which there are."""
    space = unit.workspace
    if kinds[0] == "agent" and space.find("model", name, space.main.name):
        return f"`{name}` is a model; write an agent that it plays: `kind: agent`, `model: {name}`"
    known = [n for kind in kinds for n in space.names(kind, space.main.name)]
    return f"there is no {kinds[0]} `{name}`; {nearest(name, known) or 'there are: ' + ', '.join(known)}"


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
    others: dict[str, Any] = dict.fromkeys(("command", "python", "http", "model", "prompt"))
    most = 200 if name == "oracle" else 12  # what a case lists may all be due in one turn
    limits = {"timeout": "60", "turn_timeout": "600", "trial_timeout": "3600", "max_calls": most}
    return {"name": name, "builtin": name, **others, "mcp": False, **limits}


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
        except (Exception, SystemExit) as error:  # a module of the user's may fail in any way
            problem = f"{type(error).__name__}: {error}"
    raise Trouble(f"cannot load the agent {data['python']}: {problem}", USAGE)
