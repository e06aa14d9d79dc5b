"""`mutant`: a good agent with one bad habit, and the metrics that must notice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.closed import close
from shopdsl.compiler.constants import literal_tree
from shopdsl.compiler.expressions import Compiled, condition, expression, template
from shopdsl.compiler.kinds.agent import compile_agent
from shopdsl.compiler.kinds.toolset import compile_toolset
from shopdsl.compiler.packages import Document
from shopdsl.compiler.personas import package_personas, records
from shopdsl.compiler.unit import Unit, entries, items, text, value
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import Code, codes, nearest
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Mapping, Node, Scalar
from shopdsl.dsl.vocabulary import Scope, scope

AT = {"turn": ("calls", "instead", "say"), "call": ("calls", "set", "tool", "drop", "repeat", "then"), "say": ("calls", "say")}
"""Where a habit shows, and what it can do there."""
HIDDEN = {"turn": ("call", "text"), "call": ("text",), "say": ("call",)}
"""Names of the vocabulary that mean nothing there."""


@dataclass(frozen=True)
class Mutant:
    """A compiled mutant: its plan data as an agent, the metrics that must get worse, and those that must not."""

    name: str
    worsens: tuple[tuple[str, Span], ...]
    keeps: tuple[tuple[str, Span], ...]
    data: dict[str, Any]
    document: Document


def compile_mutant(unit: Unit, document: Document) -> Mutant:
    """Checks every habit for every persona that it can meet."""
    body = unit.body(document)
    base = unit.resolve("agent", body.get("of"))
    known = records(package_personas(unit, document.package))
    scopes = [close(unit, scope("habit", records=r), document.package, []) for r in known]
    nodes = [n for n in items(body.get("rewrite")) if isinstance(n, Mapping)]
    habits = [[_habit(unit, n, names) for n in nodes] for names in scopes]
    agent = unit.compiled(compile_agent, base).data if base else {}
    data = {
        **agent,
        "name": document.name,
        "builtin": None,
        "command": None,
        "python": None,
        "mutant": {"of": agent, "habits": habits[0]},
    }
    _check_both(unit, body)
    return Mutant(document.name, _metrics(unit, body.get("must_worsen")), _metrics(unit, body.get("must_keep")), data, document)


def _check_both(unit: Unit, body: Mapping) -> None:
    """No metric can get worse and stay as it is."""
    worse = {text(n) for n in items(body.get("must_worsen"))}
    for node in items(body.get("must_keep")):
        if text(node) in worse:
            unit.sink.add(
                codes.REWRITE, f"`{text(node)}` must get worse, and must not", node.span, "keep it in one of the two lists"
            )


def _metrics(unit: Unit, node: Node | None) -> tuple[tuple[str, Span], ...]:
    return tuple((d.name, n.span) for n in items(node) if isinstance(n, Scalar) and (d := unit.resolve("metric", n)))


def _habit(unit: Unit, node: Mapping, everything: Scope) -> dict[str, Any]:
    at = text(node.get("at")) or ("say" if node.get("say") is not None else "call")
    names = everything.with_names({})
    for hidden in HIDDEN.get(at, ()):
        names.names.pop(hidden, None)
    allowed = AT.get(at, ())
    if not allowed:  # reported with the shape
        return _data(unit, node, at, everything)
    misplaced = _misplaced(unit, node, at)
    if not misplaced and not any(node.get(k) is not None for k in allowed):
        help = f"give it one of {', '.join(f'`{k}`' for k in allowed)}"
        unit.sink.add(codes.REWRITE, "this habit changes nothing", node.span, help)
    kept = Mapping([(k, v) for k, v in node if k.text not in misplaced], node.span)
    return _data(unit, kept, at, names)


def _misplaced(unit: Unit, node: Mapping, at: str) -> set[str]:
    """Keys of a habit that belong to one that shows elsewhere; they are reported."""
    found = set()
    for key, _ in node:
        places = [f"`at: {place}`" for place, keys in AT.items() if key.text in keys]
        if places and at in AT and key.text not in AT[at]:
            found.add(key.text)
            help = f"it belongs to a habit with {' or '.join(places)}; here there can be: {', '.join(AT[at])}"
            unit.sink.add(codes.REWRITE, f"a habit with `at: {at}` has no `{key.text}`", key.span, help)
    return found


def _data(unit: Unit, node: Mapping, at: str, names: Scope) -> dict[str, Any]:
    given = node.get("set")
    repeat = node.get("repeat")
    params = _parameters(unit, node)
    return {
        "at": at,
        "when": condition(node.get("when"), names, unit.sink).tree if node.get("when") is not None else None,
        "set": {k.text: _argument(unit, k, v, params, names).tree for k, v in entries(given)},
        "tool": _tool(unit, node.get("tool"), params),
        "drop": bool(value(node.get("drop"), False)),
        "instead": bool(value(node.get("instead"), False)),
        "repeat": expression(repeat, names, unit.sink, t.INT).tree if repeat is not None else None,
        "say": template(node.get("say"), names, unit.sink).tree if node.get("say") is not None else None,
        "calls": [compile_call(unit, n, params, names) for n in items(node.get("calls")) if isinstance(n, Mapping)],
        "then": [compile_call(unit, n, params, names) for n in items(node.get("then")) if isinstance(n, Mapping)],
    }


Parameters = dict[str, list[str]]


def _parameters(unit: Unit, node: Mapping) -> Parameters:
    return parameters(unit, unit.workspace.owner(node.span))


def parameters(unit: Unit, package: str) -> Parameters:
    """The parameters of every tool that is visible from a package."""
    toolsets = [unit.compiled(compile_toolset, d) for d in unit.visible("toolset", package)]
    return {name: [p["name"] for p in tool["params"]] for made in toolsets for name, tool in made.data["tools"].items()}


def _tool(unit: Unit, node: Node | None, params: Parameters, code: Code = codes.REWRITE) -> str | None:
    """A tool's name; one that is nearly that of a tool is a mistake, any other may be meant: agents call tools that are not there."""
    name = text(node) or None
    if node is not None and name is not None and name not in params and (near := nearest(name, params)):
        unit.sink.add(code, f"there is no tool `{name}`", node.span, near)
    return name


def _argument(unit: Unit, key: Scalar, node: Node, params: Parameters, names: Scope, code: Code = codes.REWRITE) -> Compiled:
    _argument_name(unit, key, params, code)
    return expression(node, names, unit.sink)


def _argument_name(unit: Unit, key: Scalar, params: Parameters, code: Code) -> None:
    known = {p for of in params.values() for p in of}
    if key.text not in known and (near := nearest(key.text, known)):
        unit.sink.add(code, f"no tool has a parameter `{key.text}`", key.span, near)


def compile_call(unit: Unit, node: Mapping, params: Parameters, names: Scope, code: Code = codes.REWRITE) -> dict[str, Any]:
    """A call that a spec spells out: its tool, and its arguments as expressions."""
    given = {k.text: _argument(unit, k, v, params, names, code).tree for k, v in entries(node.get("with"))}
    for key, _ in entries(node.get("args")):
        _argument_name(unit, key, params, code)
    literal = {k.text: literal_tree(value(v)) for k, v in entries(node.get("args"))}
    return {"tool": _tool(unit, node.get("tool"), params, code), "with": literal | given}
