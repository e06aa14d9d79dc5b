"""`persona`: the dimensions of a customer, their values and weights."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from shopdsl.compiler.constants import RANGE, constant, encode
from shopdsl.compiler.packages import Document
from shopdsl.compiler.tables import Table, table
from shopdsl.compiler.unit import Unit, decimal_text, entries
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.library.draws import Weighted
from shopdsl.dsl.records import Entry
from shopdsl.dsl.tree import Mapping, Scalar

CHANGES = ("typos", "lower_case", "no_punctuation", "drop_words", "abbreviate")
"""Changes of text that `apply` may name; `runtime/customer/writing.py` makes them."""


@dataclass(frozen=True)
class Persona:
    """A compiled persona: dimensions with their rows and weights, the records for expressions, and the plan data."""

    name: str
    tables: dict[str, Table]
    weights: dict[str, Weighted]
    records: dict[str, dict[str, Entry]]
    data: dict[str, Any]


def compile_persona(unit: Unit, document: Document) -> Persona:
    """Checks fields, weights and changes of every dimension."""
    body = unit.body(document)
    tables: dict[str, Table] = {}
    weights: dict[str, Weighted] = {}
    data: dict[str, Any] = {}
    for key, node in entries(body.get("dimensions")):
        if isinstance(node, Mapping):
            tables[key.text] = table(f"persona.{key.text}", node, unit.sink, "R", skip=("weight", "prompt", "apply"))
            weights[key.text] = _weights(unit, key, node)
            data[key.text] = {v.text: _value(unit, v.text, row, tables[key.text]) for v, row in entries(node)}
    records = {k: v for each in tables.values() for k, v in each.records.items()}
    records["range"] = {"low": Entry(t.NUMBER, "Lower end."), "high": Entry(t.NUMBER, "Upper end.")}
    records["persona"] = {d: Entry(t.Record(f"row persona.{d}"), f"The customer's {d}.", "R") for d in tables}
    return Persona(document.name, tables, weights, records, {"dimensions": data})


def _weights(unit: Unit, key: Scalar, node: Mapping) -> Weighted:
    exact = {
        v.text: max(Decimal(0), Decimal(decimal_text(row.get("weight")))) for v, row in entries(node) if isinstance(row, Mapping)
    }
    total = sum(exact.values())
    if total != 1 and all(row.get("weight") is not None for _, row in entries(node) if isinstance(row, Mapping)):
        message = f"the weights of `{key.text}` add up to {_percent(total)}, not to 100%"
        unit.sink.add(codes.WEIGHTS, message, key.span, "change one so that they do")
    if total <= 0:
        exact = dict.fromkeys(exact, Decimal(1))
    return Weighted(list(exact), [float(w) for w in exact.values()])


def _percent(x: Decimal | int) -> str:
    return f"{(Decimal(x) * 100).normalize():f}%"


def _value(unit: Unit, name: str, row: Any, of: Table) -> dict[str, Any]:
    changes = {}
    for change, node in entries(row.get("apply")):
        if change.text not in CHANGES:
            help = nearest(change.text, CHANGES) or f"there are: {', '.join(CHANGES)}"
            unit.sink.add(codes.UNKNOWN_CHANGE, f"there is no change of text `{change.text}`", change.span, help)
        else:
            changes[change.text] = _rate(unit, change, node)
    fields = {k: encode(v) for k, v in of.rows[name].fields().items()}
    prompt = row.get("prompt")
    return {"fields": fields, "apply": changes, "prompt": prompt.text if isinstance(prompt, Scalar) else ""}


def _rate(unit: Unit, change: Scalar, node: Any) -> list[str]:
    """A rate as two decimals: `5%..10%`, one number for both ends, or true for always."""
    value, kind = constant(node)
    ends = [value.low, value.high] if kind == RANGE else [value, value]
    if not all(isinstance(e, int | float) and 0 <= e <= 1 for e in ends):
        help = f"write `{change.text}: true`, a rate such as `5%`, or a range such as `5%..10%`"
        unit.sink.add(codes.UNKNOWN_CHANGE, f"`{change.text}` has no rate that can be used", node.span, help)
        return ["0", "0"]
    return [repr(float(e)) for e in ends]
