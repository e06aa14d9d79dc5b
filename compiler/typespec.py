"""Types as YAML writes them: `text`, `1..6`, `{list: T}`, `{map: T}`, `{one_of: [a, b]}`, `{optional: T}`, `{ref: RECORD}`, a record's name."""

from __future__ import annotations

import re
from collections.abc import Collection

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
_OF = ("list", "optional", "set", "map")


def read_type(node: Node | None, sink: Sink, records: Collection[str] = ()) -> Type | None:
    """A type, or None where there is none or it was reported; `records` are the names of declared records."""
    if node is None:
        return None
    if isinstance(node, Scalar):
        return _named(node, sink, records)
    if isinstance(node, Mapping) and len(node.entries) == 1:
        key, inner = node.entries[0]
        if key.text == "one_of":
            return t.Enum("", tuple(i.text for i in getattr(inner, "items", []) if isinstance(i, Scalar)))
        if key.text == "ref":
            return _reference(inner, sink, records)
        if key.text in _OF:
            of = read_type(inner, sink, records)
            return None if of is None else _made(key.text, of)
    sink.add(
        codes.BAD_TYPE,
        "this is not a type",
        node.span,
        "write `text`, `1..6`, `{list: T}`, `{map: T}`, `{one_of: [a, b]}`, `{optional: T}` or `{ref: RECORD}`",
    )
    return None


def _made(word: str, of: Type) -> Type:
    if word == "optional":
        return t.Optional(of)
    return t.Map(t.TEXT, of) if word == "map" else t.Many(word, of)


def _reference(node: Node, sink: Sink, records: Collection[str]) -> Type | None:
    """A reference is the key of a record: a text."""
    if isinstance(node, Scalar) and node.text in records:
        return t.TEXT
    name = node.text if isinstance(node, Scalar) else ""
    known = f"records: {', '.join(sorted(records))}"
    help = nearest(name, records) or (known if records else "declare it under `records:`; a parameter is written `{ref: RECORD}`")
    sink.add(codes.BAD_TYPE, f"there is no record `{name}`", node.span, help)
    return None


def _named(node: Scalar, sink: Sink, records: Collection[str]) -> Type | None:
    if (bounds := RANGE.fullmatch(node.text)) is not None:
        if int(bounds[1]) > int(bounds[2]):
            sink.add(
                codes.BAD_TYPE, f"nothing is from {bounds[1]} to {bounds[2]}", node.span, f"write `{bounds[2]}..{bounds[1]}`"
            )
        return t.INT
    if node.text in _NAMES:
        return t.BASICS[node.text]
    if node.text in records:
        return t.Record(node.text)
    help = (
        _ALIASES.get(node.text, "")
        or nearest(node.text, [*_NAMES, *records])
        or f"types: {', '.join(_NAMES)}, a range such as `1..6`"
    )
    sink.add(codes.BAD_TYPE, f"`{node.text}` is not a type", node.span, help)
    return None


def data(node: Node | None, records: Collection[str] = ()) -> object:
    """A type as plan data: its name, `{"range": [a, b]}`, `{"record": name}`, or a mapping of one key."""
    if isinstance(node, Scalar):
        match = RANGE.fullmatch(node.text)
        if node.text in records:
            return {"record": node.text}
        return {"range": [int(match[1]), int(match[2])]} if match else node.text
    if isinstance(node, Mapping) and node.entries:
        key, inner = node.entries[0]
        if key.text == "one_of":
            return {"one_of": [i.text for i in getattr(inner, "items", []) if isinstance(i, Scalar)]}
        if key.text == "ref":
            return {"ref": inner.text if isinstance(inner, Scalar) else ""}
        return {key.text: data(inner, records)}
    return "text"
