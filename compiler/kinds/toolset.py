"""`toolset`: the tools an agent may call, with parameters, preconditions, effects and results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.each import read_each
from shopdsl.compiler.effects import compile_effect
from shopdsl.compiler.expressions import condition, expression, template
from shopdsl.compiler.literals import unlike
from shopdsl.compiler.packages import Document
from shopdsl.compiler.shapes import Shapes, compile_shapes
from shopdsl.compiler.typespec import data as type_data
from shopdsl.compiler.typespec import read_type
from shopdsl.compiler.unit import Unit, decimal_text, entries, items, ordered_entries, text, value
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.records import Entry
from shopdsl.dsl.tree import Mapping, Node, Scalar
from shopdsl.dsl.vocabulary import Scope, scope


@dataclass(frozen=True)
class Toolset:
    """A compiled toolset: its plan data, and the classes of its tools."""

    name: str
    classes: frozenset[str]
    shapes: Shapes
    data: dict[str, Any]


def compile_toolset(unit: Unit, document: Document) -> Toolset:
    """Checks every tool; names of `let` are lazy, so they see the state when they are asked for."""
    body = unit.body(document)
    shapes = compile_shapes(unit, body.get("records"))
    names = tool_scope(shapes)
    shared: list[Any] = []
    for key, node in ordered_entries(body.get("let")):
        made = expression(node, names, unit.sink)
        shared.append([key.text, made.tree])
        names = names.with_names({key.text: Entry(made.type, "A name of the toolset.")})
    tools = {key.text: _tool(unit, node, names, shapes) for key, node in entries(body.get("tools")) if isinstance(node, Mapping)}
    data = {
        "let": shared,
        "records": shapes.data,
        "tools": tools,
        "penalties": penalties(body.get("penalties")),
        "always_allowed": [_allowed(unit, n, tools) for n in items(body.get("always_allowed"))],
    }
    return Toolset(document.name, frozenset(tool["class"] for tool in tools.values()), shapes, data)


def tool_scope(shapes: Shapes) -> Scope:
    """What a tool's expressions know: the shop, and the declared records with their tables."""
    names = scope("tool", shapes.tables, shapes.records)
    if "order" in shapes.records:
        names.names.pop("order")
    return names


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


def _tool(unit: Unit, body: Mapping, names: Scope, shapes: Shapes) -> dict[str, Any]:
    params: list[Any] = []
    for key, node in ordered_entries(body.get("params")):
        if isinstance(node, Mapping):
            params.append(_parameter(unit, key, node, shapes))
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
        "effect": compile_effect(body.get("effect"), names, unit.sink, shapes),
        "finds": expression(finds, names, unit.sink, products).tree if finds is not None else None,
        "result": expression(body.get("result"), names, unit.sink).tree,
    }


def _requirement(unit: Unit, node: Node, names: Scope) -> dict[str, Any]:
    if not isinstance(node, Mapping):
        return {}
    each = node.get("each")
    made: dict[str, Any] = {}
    if each is not None:
        member, source = read_each(unit, each, names)
        names = names.with_names({member: Entry(t.element(source.type) or t.ANY, "A member.")})
        made["each"] = [member, source.tree]
    otherwise = template(node.get("else"), names, unit.sink).tree
    return {"that": condition(node.get("that"), names, unit.sink).tree, "else": otherwise, **made}


def _reference(unit: Unit, node: Mapping, shapes: Shapes) -> str:
    """The record that a parameter names, or an empty text; one that is not there is reported."""
    place = node.get("ref") or node.get("refs")
    known = ["product", "category", *shapes.keyed]
    if place is not None and text(place) not in known:
        help = nearest(text(place), known) or f"there are: {', '.join(known)}"
        unit.sink.add(codes.UNRESOLVED, f"there is no record `{text(place)}` with a key", place.span, help)
    return text(place)


def _check_given(unit: Unit, node: Mapping) -> None:
    """An agent gives JSON: texts, numbers, lists and objects."""
    place = node.get("type")
    words = text(place) if isinstance(place, Scalar) else " ".join(k.text for k, _ in entries(place))
    if place is not None and words in ("duration", "set"):
        help = "write `{list: …}`" if words == "set" else "take a number, and say of what in the `doc`"
        unit.sink.add(codes.BAD_TYPE, f"an agent cannot give a {words}", place.span, help)


def _parameter_type(unit: Unit, node: Mapping, shapes: Shapes) -> Any:
    _check_given(unit, node)
    choices = [value(i) for i in items(node.get("one_of"))]
    referred = _reference(unit, node, shapes)
    if choices:
        return {"one_of": choices}
    if node.get("ref"):
        return {"ref": referred}
    return {"list": {"ref": referred}} if node.get("refs") else type_data(node.get("type"))


def _parameter(unit: Unit, key: Scalar, node: Mapping, shapes: Shapes) -> dict[str, Any]:
    default = value(node.get("default"))
    kind = _parameter_type(unit, node, shapes)
    if default is not None and (wanted := unlike(kind, default)):
        place = node.get("default")
        assert place is not None
        unit.sink.add(codes.WRONG_SHAPE, f"`{key.text}` is {wanted}, and its default is not", place.span, f"write {wanted}")
    return {
        "name": key.text,
        "doc": text(node.get("doc")),
        "type": kind,
        "as": text(node.get("as")) or None,
        "else": text(node.get("else")) or None,
        "default": str(default) if isinstance(default, float) else default,
        "optional": bool(value(node.get("optional"), False)) or default is not None,
    }


def _choice(unit: Unit, node: Mapping, members: list[Any]) -> t.Type:
    """The type of one of several members: all texts, all whole numbers, or true and false."""
    kinds = {type(m) for m in members}
    if kinds == {bool} or kinds == {int}:
        return t.BOOL if bool in kinds else t.INT
    if kinds != {str}:
        place = node.get("one_of")
        assert place is not None
        help = "put numbers into quotes, or write all of them as whole numbers"
        unit.sink.add(codes.BAD_TYPE, "the members of `one_of` are not all of one kind", place.span, help)
    return t.Enum("", tuple(map(str, members)))


def _parameter_names(unit: Unit, key: Scalar, node: Mapping) -> dict[str, Entry]:
    may_lack = bool(value(node.get("optional"), False)) and node.get("default") is None
    wrap = t.Optional if may_lack else (lambda kind: kind)
    if reference := text(node.get("ref")):
        name = text(node.get("as"), key.text)
        return {
            key.text: Entry(wrap(t.TEXT), "A parameter."),
            name: Entry(wrap(t.Record(reference)), "What the parameter names."),
        }
    if references := text(node.get("refs")):
        return {
            key.text: Entry(wrap(t.Many("list", t.TEXT)), "A parameter."),
            text(node.get("as"), key.text): Entry(wrap(t.Many("list", t.Record(references))), "What the parameter names."),
        }
    choices = items(node.get("one_of"))
    kind = read_type(node.get("type"), unit.sink) or t.TEXT
    if choices:
        kind = _choice(unit, node, [value(c) for c in choices])
    return {key.text: Entry(wrap(kind), "A parameter.")}
