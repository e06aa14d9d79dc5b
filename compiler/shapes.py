"""The records that a toolset declares: their fields as types of the language, as plan data, and the tables that hold them."""

from __future__ import annotations

from collections.abc import Mapping as Names
from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.typespec import data as type_data
from shopdsl.compiler.typespec import read_type
from shopdsl.compiler.unit import Unit, entries, ordered_entries, text, value
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.records import RECORDS, Entry
from shopdsl.dsl.tree import Mapping, Node
from shopdsl.dsl.types import Type
from shopdsl.dsl.vocabulary import CONTEXTS

ALLOWED = frozenset(["order"])
"""Records of the language that a toolset may declare anew; tools then know only its own."""


@dataclass(frozen=True)
class Shapes:
    """Declared records: fields by record for the checker, tables by name, and plan data."""

    records: dict[str, dict[str, Entry]]
    tables: dict[str, Entry]
    data: dict[str, Any]

    @property
    def keyed(self) -> list[str]:
        """The records that have a table."""
        return sorted(name for name, about in self.data.items() if about["key"])


def compile_shapes(unit: Unit, node: Node | None) -> Shapes:
    """Checks every record and field of `records`."""
    bodies = {k.text: (k, v) for k, v in entries(node) if isinstance(v, Mapping)}
    known = frozenset(bodies)
    shapes = Shapes({}, {}, {})
    for name, (key, body) in bodies.items():
        if name in RECORDS and name not in ALLOWED:
            help = "give the record another name"
            unit.sink.add(codes.HIDES_NAME, f"`{name}` is a record of the language", key.span, help)
        _add(unit, shapes, name, body, known)
    return shapes


def _add(unit: Unit, shapes: Shapes, name: str, body: Mapping, known: frozenset[str]) -> None:
    fields: dict[str, Entry] = {}
    data: dict[str, Any] = {}
    for key, node in ordered_entries(body.get("fields")):
        kind, about = _field(unit, node, known)
        fields[key.text] = Entry(kind, f"`{key.text}` of `{name}`.")
        data[key.text] = about
        if about["as"]:
            fields[about["as"]] = Entry(_referred(about["type"]), f"What `{key.text}` of `{name}` refers to.")
    own = text(body.get("key")) or None
    if own is not None and own not in data:
        place = body.get("key")
        help = f"fields: {', '.join(data)}"
        unit.sink.add(codes.UNRESOLVED, f"`{name}` has no field `{own}`", place.span if place else body.span, help)
        own = None
    table = text(body.get("table"), name + "s")
    shapes.records[name] = fields
    shapes.data[name] = {"key": own, "table": table, "sparse": bool(value(body.get("sparse"), False)), "fields": data}
    if own is not None:
        place = body.key("table")
        if table in CONTEXTS["tool"]:
            help = "give the table another name with `table:`"
            unit.sink.add(
                codes.HIDES_NAME, f"expressions know `{table}` as something else", place.span if place else body.span, help
            )
        if table in shapes.tables:
            help = "give each record a table of its own with `table:`"
            unit.sink.add(codes.HIDES_NAME, f"there is a table `{table}` already", place.span if place else body.span, help)
        shapes.tables[table] = Entry(t.Map(t.TEXT, t.Record(name)), f"The records `{name}`, by `{own}`.")


def _field(unit: Unit, node: Node, known: frozenset[str]) -> tuple[Type, dict[str, Any]]:
    whole = node if isinstance(node, Mapping) and node.get("type") is not None else None
    inner = whole.get("type") if whole else node
    kind = read_type(inner, unit.sink, known) or t.ANY
    about = {
        "type": type_data(inner, known),
        "called": text(whole.get("called")) or None if whole else None,
        "as": text(whole.get("as")) or None if whole else None,
    }
    if about["as"] and _target(about["type"]) is None:
        place = whole.get("as") if whole else None
        help = "`as` names what a field of the type `{ref: RECORD}` refers to"
        unit.sink.add(codes.BAD_TYPE, "this field refers to nothing", place.span if place else node.span, help)
        about["as"] = None
    return kind, about


def _target(kind: Any) -> str | None:
    if isinstance(kind, dict):
        return str(kind["ref"]) if "ref" in kind else _target(kind["optional"]) if "optional" in kind else None
    return None


def _referred(kind: Any) -> Type:
    found = t.Record(_target(kind) or "")
    return t.Optional(found) if "optional" in kind else found


def lacks(given: dict[str, Entry], record: str, records: Names[str, dict[str, Entry]], shapes: dict[str, Any]) -> str:
    """What is wrong with the fields of a `record(…)` that is to be a declared record, or an empty text."""
    fields = {name: records[record][name].type for name in shapes[record]["fields"]}
    if unknown := sorted(set(given) - set(fields)):
        return f"`{record}` has no field `{unknown[0]}`; it has: {', '.join(fields)}"
    own = shapes[record]["key"]
    missing = [n for n, kind in fields.items() if n not in given and n != own and not isinstance(kind, t.Optional)]
    return f"this `{record}` lacks `{missing[0]}`" if missing else ""
