"""`toolset`: the tools an agent may call, with parameters, preconditions, effects and results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.effects import compile_effect
from shopdsl.compiler.expressions import condition, expression
from shopdsl.compiler.packages import Document
from shopdsl.compiler.typespec import data as type_data
from shopdsl.compiler.typespec import read_type
from shopdsl.compiler.unit import Unit, decimal_text, entries, items, ordered_entries, text, value
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.records import Entry
from shopdsl.dsl.tree import Mapping, Node, Scalar
from shopdsl.dsl.vocabulary import Scope, scope


@dataclass(frozen=True)
class Toolset:
    """A compiled toolset: its plan data, and the classes of its tools."""

    name: str
    classes: frozenset[str]
    data: dict[str, Any]


def compile_toolset(unit: Unit, document: Document) -> Toolset:
    """Checks every tool; names of `let` are lazy, so they see the state when they are asked for."""
    body = unit.body(document)
    names = scope("tool")
    shared: list[Any] = []
    for key, node in ordered_entries(body.get("let")):
        made = expression(node, names, unit.sink)
        shared.append([key.text, made.tree])
        names = names.with_names({key.text: Entry(made.type, "A name of the toolset.")})
    tools = {key.text: _tool(unit, node, names) for key, node in entries(body.get("tools")) if isinstance(node, Mapping)}
    data = {
        "let": shared,
        "tools": tools,
        "penalties": penalties(body.get("penalties")),
        "always_allowed": [_allowed(unit, n, tools) for n in items(body.get("always_allowed"))],
    }
    return Toolset(document.name, frozenset(tool["class"] for tool in tools.values()), data)


def penalties(node: Node | None) -> dict[str, Any]:
    """Weights of mistakes, by class, as decimal text."""
    return {k.text: {w.text: decimal_text(v) for w, v in entries(row)} for k, row in entries(node)}


def _allowed(unit: Unit, node: Node, tools: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(node, Mapping):
        return {}
    tool = node.get("tool")
    if isinstance(tool, Scalar) and tool.text not in tools:
        unit.sink.add(
            codes.UNRESOLVED, f"there is no tool `{tool.text}` in this toolset", tool.span, f"tools: {', '.join(tools)}"
        )
    that = node.get("that")
    return {
        "tool": text(tool) or None,
        "class": text(node.get("class")) or None,
        "times": value(node.get("times"), 1),
        "per": text(node.get("per"), "turn"),
        "that": condition(that, scope("allowed"), unit.sink).tree if that is not None else None,
    }


def _tool(unit: Unit, body: Mapping, names: Scope) -> dict[str, Any]:
    params: list[Any] = []
    for key, node in ordered_entries(body.get("params")):
        if isinstance(node, Mapping):
            params.append(_parameter(unit, key, node))
            names = names.with_names(_parameter_names(unit, key, node))
    lets: list[Any] = []
    for key, node in ordered_entries(body.get("let")):
        made = expression(node, names, unit.sink)
        lets.append([key.text, made.tree])
        names = names.with_names({key.text: Entry(made.type, "A name of the tool.")})
    finds = body.get("finds")
    products = t.Many("list", t.Record("product"))
    return {
        "class": text(body.get("class")),
        "role": text(body.get("role")),
        "doc": text(body.get("doc")),
        "params": params,
        "let": lets,
        "require": [_requirement(unit, n, names) for n in items(body.get("require"))],
        "effect": compile_effect(body.get("effect"), names, unit.sink),
        "finds": expression(finds, names, unit.sink, products).tree if finds is not None else None,
        "result": expression(body.get("result"), names, unit.sink).tree,
    }


def _requirement(unit: Unit, node: Node, names: Scope) -> dict[str, Any]:
    if not isinstance(node, Mapping):
        return {}
    return {"that": condition(node.get("that"), names, unit.sink).tree, "else": text(node.get("else"))}


def _parameter(unit: Unit, key: Scalar, node: Mapping) -> dict[str, Any]:
    choices = [value(i) for i in items(node.get("one_of"))]
    default = value(node.get("default"))
    return {
        "name": key.text,
        "doc": text(node.get("doc")),
        "type": {"one_of": choices}
        if choices
        else {"ref": text(node.get("ref"))}
        if node.get("ref")
        else type_data(node.get("type")),
        "as": text(node.get("as")) or None,
        "else": text(node.get("else")) or None,
        "default": str(default) if isinstance(default, float) else default,
        "optional": bool(value(node.get("optional"), False)) or default is not None,
    }


def _parameter_names(unit: Unit, key: Scalar, node: Mapping) -> dict[str, Entry]:
    may_lack = bool(value(node.get("optional"), False)) and node.get("default") is None
    wrap = t.Optional if may_lack else (lambda kind: kind)
    if reference := text(node.get("ref")):
        name = text(node.get("as"), key.text)
        return {
            key.text: Entry(wrap(t.TEXT), "A parameter."),
            name: Entry(wrap(t.Record(reference)), "What the parameter names."),
        }
    choices = items(node.get("one_of"))
    kind = read_type(node.get("type"), unit.sink) or t.TEXT
    if choices:
        plain = [value(c) for c in choices]
        kind = t.BOOL if all(isinstance(c, bool) for c in plain) else t.Enum("", tuple(map(str, plain)))
    return {key.text: Entry(wrap(kind), "A parameter.")}
