"""`beat`: one kind of step of a conversation, and what it obliges the agent to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.expressions import condition, expression, template
from shopdsl.compiler.packages import Document
from shopdsl.compiler.typespec import read_type
from shopdsl.compiler.unit import Unit, entries, items, text, value
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.tree import Mapping, Scalar
from shopdsl.dsl.types import Type
from shopdsl.dsl.vocabulary import scope


@dataclass(frozen=True)
class Beat:
    """A compiled beat; `of` is item, items or nothing; `to` and `about` are the types of its operands."""

    name: str
    of: str
    to: Type | None
    about: Type | None
    after: tuple[str, ...]
    then: str | None
    last: bool
    due: bool
    duties: tuple[tuple[Mapping, dict[str, Any]], ...]
    data: dict[str, Any]


def compile_beat(unit: Unit, document: Document) -> Beat:
    """Checks directive, `said` and duties."""
    body = unit.body(document)
    names = scope("beat")
    due = body.get("due")
    nodes = {k: [n for n in items(body.get(k)) if isinstance(n, Mapping)] for k in ("expects", "allows")}
    duties = {k: [_duty(unit, n) for n in found] for k, found in nodes.items()}
    data: dict[str, Any] = {
        "of": text(body.get("of")),
        "opens": bool(value(body.get("opens"), False)),
        "due": expression(due, names, unit.sink, t.NUMBER).tree if due is not None else None,
        "directive": template(body.get("directive"), names, unit.sink).tree,
        "said": condition(body.get("said"), scope("said"), unit.sink).tree if body.get("said") is not None else None,
        **duties,
        "next_action": text(body.get("next_action"), document.name),
    }
    after = tuple(n.text for n in items(body.get("after")) if isinstance(n, Scalar))
    then = text(body.get("then")) or None
    for reference in [*items(body.get("after")), *items(body.get("then"))]:
        unit.resolve("beat", reference)
    to, about = (read_type(body.get(k), unit.sink) for k in ("to", "about"))
    last = bool(value(body.get("last"), False))
    pairs = tuple((n, d) for k in nodes for n, d in zip(nodes[k], duties[k], strict=True))
    return Beat(
        document.name,
        data["of"],
        to,
        about,
        after,
        then,
        last,
        due is not None,
        pairs,
        data | {"after": list(after), "last": last},
    )


def _duty(unit: Unit, node: Mapping) -> dict[str, Any]:
    names = scope("duty")
    tool, kind = text(node.get("tool")) or None, text(node.get("class")) or None
    if (tool is None) == (kind is None):
        help = "say `tool: NAME`, or `class: NAME`"
        unit.sink.add(codes.DUTY, "a duty names a tool or a class, one of the two", node.span, help)
    key = text(node.get("key")) or None
    given = {k.text: expression(v, names, unit.sink).tree for k, v in entries(node.get("with"))}
    if key is not None and key not in given:
        place = node.get("key")
        unit.sink.add(
            codes.DUTY, f"the key `{key}` is not among the arguments of `with`", place.span if place else None, "add it there"
        )
    return {
        "tool": tool,
        "class": kind,
        "with": given,
        "key": key,
        "that": condition(node.get("that"), names, unit.sink).tree if node.get("that") is not None else None,
        "unless": condition(node.get("unless"), names, unit.sink).tree if node.get("unless") is not None else None,
        "extra": value(node.get("extra"), 0),
        "carry": value(node.get("carry"), 0),
        "times": value(node.get("times"), 1),
    }
