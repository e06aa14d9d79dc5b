"""Types as YAML writes them: `text`, `1..6`, `{list: T}`, `{one_of: [a, b]}`, `{optional: T}`."""

from __future__ import annotations

import re

from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import Sink, codes, nearest
from shopdsl.dsl.tree import Mapping, Node, Scalar
from shopdsl.dsl.types import Type

RANGE = re.compile(r"(-?\d{1,9})\.\.(-?\d{1,9})")
_ALIASES = {
    a: f"did you mean `{n}`?"
    for a, n in {"string": "text", "str": "text", "integer": "int", "float": "number", "boolean": "bool"}.items()
}
_NAMES = ("text", "int", "number", "money", "bool", "duration")


def read_type(node: Node | None, sink: Sink) -> Type | None:
    """A type, or None where there is none or it was reported."""
    if node is None:
        return None
    if isinstance(node, Scalar):
        return _named(node, sink)
    if isinstance(node, Mapping) and len(node.entries) == 1:
        key, inner = node.entries[0]
        if key.text == "one_of":
            return t.Enum("", tuple(i.text for i in getattr(inner, "items", []) if isinstance(i, Scalar)))
        of = read_type(inner, sink) if key.text in ("list", "optional", "set") else None
        if of is not None:
            return t.Optional(of) if key.text == "optional" else t.Many(key.text, of)
    sink.add(
        codes.BAD_TYPE,
        "this is not a type",
        node.span,
        "write `text`, `1..6`, `{list: T}`, `{one_of: [a, b]}` or `{optional: T}`",
    )
    return None


def _named(node: Scalar, sink: Sink) -> Type | None:
    if RANGE.fullmatch(node.text):
        return t.INT
    if node.text in _NAMES:
        return t.BASICS[node.text]
    help = _ALIASES.get(node.text, "") or nearest(node.text, _NAMES) or f"types: {', '.join(_NAMES)}, a range such as `1..6`"
    sink.add(codes.BAD_TYPE, f"`{node.text}` is not a type", node.span, help)
    return None


def data(node: Node | None) -> object:
    """A type as plan data: its name, `{"range": [a, b]}`, or a mapping of one key."""
    if isinstance(node, Scalar):
        match = RANGE.fullmatch(node.text)
        return {"range": [int(match[1]), int(match[2])]} if match else node.text
    if isinstance(node, Mapping) and node.entries:
        key, inner = node.entries[0]
        if key.text == "one_of":
            return {"one_of": [i.text for i in getattr(inner, "items", []) if isinstance(i, Scalar)]}
        return {key.text: data(inner)}
    return "text"
