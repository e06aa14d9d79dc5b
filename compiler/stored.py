"""The records of a store: from its `records`, or from a JSON file of its package, checked record by record and reference by reference."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from collections.abc import Mapping as Mapping_
from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.data import Flaw, Path, Reader, given, located
from shopdsl.compiler.package_files import package_file
from shopdsl.compiler.packages import Document
from shopdsl.compiler.shapes import Shapes
from shopdsl.compiler.unit import Unit
from shopdsl.dsl import json_text
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.source import Source, Span
from shopdsl.dsl.tree import Mapping, Node, Scalar

MOST = 20
"""So many flaws of one store's data are reported: the same slip makes many."""
Rows = dict[str, dict[str, Any]]
Known = Mapping_[str, Collection[str]]
Locate = Callable[[Path], Span]


@dataclass(frozen=True)
class Part:
    """Records of one place: by record and key, and where what stands at a path of them is written."""

    rows: Rows
    locate: Locate


def stored_records(unit: Unit, document: Document, body: Mapping, shapes: Shapes, currency: str) -> Rows:
    """All records by record and key; what is wrong with them is reported at its place."""
    inline, file = body.get("records"), body.get("records_file")
    parts: list[Part] = []
    if isinstance(file, Scalar) and (source := package_file(unit, document, file)):
        parts += _from_file(unit, source, shapes, currency)
    if inline is not None:
        reader = Reader(shapes.data, currency)
        found = reader.tables(given(inline), {n: n for n in shapes.keyed})
        parts.append(Part(found, lambda path: _span(located(inline, path))))
        _report(unit, reader.flaws, parts[-1].locate)
    rows: Rows = {name: {} for name in shapes.keyed}
    for part in parts:
        _take(unit, rows, part)
    for part in parts:
        _check_references(unit, part, rows, shapes)
    return rows


def _from_file(unit: Unit, source: Source, shapes: Shapes, currency: str) -> list[Part]:
    try:
        data = json_text.parse(source.text)
    except json_text.BadJson as error:
        span = Span(source, error.offset, error.offset + 1)
        unit.sink.add(codes.BAD_JSON, f"this is not JSON: {error}", span, 'an object of tables: `{"orders": {"W1": {…}}}`')
        return []
    reader = Reader(shapes.data, currency)
    named = {about["table"]: name for name, about in shapes.data.items() if about["key"]}
    found = reader.tables(data, named)

    def locate(path: Path) -> Span:
        return Span(source, *json_text.locate(source.text, path))

    _report(unit, reader.flaws, locate)
    tables = {name: about["table"] for name, about in shapes.data.items()}
    return [Part(found, lambda path: locate((tables[path[0]], *path[1:])))]


def _take(unit: Unit, rows: Rows, part: Part) -> None:
    for record, entries in part.rows.items():
        for key in entries.keys() & rows[record].keys():
            help = "leave one of the two out; a case changes fields of a record with `initial_state.records`"
            unit.sink.add(codes.BAD_DATA, f"the file has a {record} `{key}` already", part.locate((record, key)), help)
        rows[record] |= entries


def _report(unit: Unit, flaws: list[Flaw], locate: Locate) -> None:
    for flaw in flaws[:MOST]:
        unit.sink.add(codes.BAD_DATA, flaw.message, locate(flaw.path), flaw.help)
    if len(flaws) > MOST:
        unit.sink.add(codes.BAD_DATA, f"{len(flaws) - MOST} more flaws in these records", locate(()), "mend those above first")


def _span(node: Node) -> Span:
    return node.span


def _check_references(unit: Unit, part: Part, rows: Rows, shapes: Shapes) -> None:
    """A field that refers to a record names one that is there."""
    found = [
        miss
        for record in shapes.keyed
        for key, data in part.rows[record].items()
        for miss in dangling(data, {"record": record}, shapes, rows, (record, key))
    ]
    for path, record, key in found[:MOST]:
        help = nearest(key, rows.get(record, ())) or f"give it the key of a `{record}` that is there"
        unit.sink.add(codes.DANGLING, f"there is no {record} `{key}`", part.locate(path), help)


def dangling(data: Any, kind: Any, shapes: Shapes, rows: Known, path: Path) -> Iterator[tuple[Path, str, str]]:
    """Every reference of a value that leads nowhere."""
    if data is None:
        return
    match kind:
        case {"ref": record}:
            if data not in rows.get(record, ()):
                yield path, record, data
        case {"optional": inner}:
            yield from dangling(data, inner, shapes, rows, path)
        case {"list": inner} if _refers(inner, shapes):
            for i, value in enumerate(data):
                yield from dangling(value, inner, shapes, rows, (*path, i))
        case {"map": inner} if _refers(inner, shapes):
            for key, value in data.items():
                yield from dangling(value, inner, shapes, rows, (*path, key))
        case {"record": name}:
            for field, value in data.items():
                about = shapes.data[name]["fields"][field]
                yield from dangling(value, about["type"], shapes, rows, (*path, about["called"] or field))


def _refers(kind: Any, shapes: Shapes, inside: frozenset[str] = frozenset()) -> bool:
    """Can a value of this type hold a reference?"""
    match kind:
        case {"ref": _}:
            return True
        case {"record": name} if name in inside:
            return False
        case {"record": name}:
            return any(_refers(f["type"], shapes, inside | {name}) for f in shapes.data[name]["fields"].values())
        case {"list": inner} | {"map": inner} | {"optional": inner}:
            return _refers(inner, shapes, inside)
    return False
