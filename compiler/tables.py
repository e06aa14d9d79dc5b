"""Rows with fields (a cohort's tables, a persona's dimensions): their values, and the records by which expressions know them."""

from __future__ import annotations

from dataclasses import dataclass

from shopdsl.compiler.constants import constant
from shopdsl.compiler.unit import entries
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import Sink, codes, nearest
from shopdsl.dsl.records import Entry
from shopdsl.dsl.tree import Mapping, Scalar
from shopdsl.dsl.values import Row


@dataclass(frozen=True)
class Table:
    """Rows by name, in sorted order, and the records `table NAME` and `row NAME`."""

    rows: dict[str, Row]
    records: dict[str, dict[str, Entry]]


def table(name: str, node: Mapping, sink: Sink, evidence: str = "", skip: tuple[str, ...] = ()) -> Table:
    """A table from its mapping; rows with different fields are reported."""
    rows: dict[str, Row] = {}
    fields: dict[str, Entry] = {}
    usual = _usual(node, skip)
    for key, row in entries(node):
        cells = {k.text: constant(v) for k, v in entries(row) if k.text not in skip}
        rows[key.text] = Row(key.text, {k: v for k, (v, _) in cells.items()})
        _compare(name, key, set(cells), usual, sink)
        for cell, (_, kind) in cells.items():
            known = fields.get(cell)
            joined = kind if known is None else t.join(known.type, kind) or t.ANY
            fields[cell] = Entry(joined, f"Field of {name}.", evidence)
    fields["name"] = Entry(t.TEXT, "The row's name.", evidence)
    row_type = t.Record(f"row {name}")
    records = {f"row {name}": fields, f"table {name}": {n: Entry(row_type, "A row.", evidence) for n in rows}}
    return Table(rows, records)


def _usual(node: Mapping, skip: tuple[str, ...]) -> frozenset[str]:
    """The fields that most rows have; of equally many, those of the row that comes first in the file."""
    rows = [frozenset(k.text for k, _ in entries(row) if k.text not in skip) for _, row in node]
    return max(rows, key=rows.count, default=frozenset())


def _compare(name: str, key: Scalar, cells: set[str], usual: frozenset[str], sink: Sink) -> None:
    missing, extra = usual - cells, cells - usual
    if missing or extra:
        parts = [f"has no `{m}`" for m in sorted(missing)] + [f"has `{e}` as well" for e in sorted(extra)]
        near = next((n for e in sorted(extra) if (n := nearest(e, missing))), "")
        help = near or f"give every row of `{name}` the same fields"
        sink.add(codes.FIELDS_DIFFER, f"unlike the others, this row {' and '.join(parts)}", key.span, help)
