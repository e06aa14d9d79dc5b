"""Where the values of a plan come from: a file beside it, outside its digest."""

from __future__ import annotations

from typing import Any

from shopdsl.compiler.kinds.cohort import Cohort, Line
from shopdsl.compiler.kinds.suite import Suite
from shopdsl.compiler.origin import Origin
from shopdsl.compiler.unit import Unit, entries
from shopdsl.dsl.source import Span


def source_map(unit: Unit, suite: Suite) -> dict[str, Any]:
    """For each cohort the line of every drawn name; for each metric, reveal plan, beat and persona the line of its document."""
    kinds = ("metric", "reveal", "beat", "persona", "customer", "rubric", "store")
    documents = {kind: {d.name: _place(d.span) for d in unit.visible(kind, suite.document.package)} for kind in kinds}
    return {
        "suite": _place(suite.document.span),
        "cohorts": {c.name: {"document": _place(c.document.span), "draw": _lines(c.lines, "")} for c in suite.cohorts},
        "personas": {c.document.name: _persona(unit, c) for c in suite.cohorts},
        "documents": documents | {"case": _cases(unit, suite)},
    }


def _cases(unit: Unit, suite: Suite) -> dict[str, Any]:
    """For each case that is played the line of its document, or of the file that it was imported from."""
    played = {f"{c.document.package}.{c.name}": c.document for cohort in suite.cohorts for c in cohort.cases}
    return {name: _place(Origin(unit, d).place("", None) or d.span) for name, d in played.items()}


def _persona(unit: Unit, cohort: Cohort) -> dict[str, Any]:
    """For each dimension of a cohort's persona the line of every value."""
    document = unit.resolve("persona", unit.body(cohort.document).get("persona"))
    dimensions = entries(unit.body(document).get("dimensions")) if document else []
    return {d.text: {v.text: _place(v.span) for v, _ in entries(values)} for d, values in dimensions}


def _lines(lines: list[Line], prefix: str) -> dict[str, Any]:
    result = {}
    for line in lines:
        result[prefix + line.name] = _place(line.span)
        if line.block is not None:
            result |= _lines(line.block.lines, f"{prefix}{line.name}.")
    return result


def _place(span: Span) -> dict[str, Any]:
    line, column = span.source.position(span.start)
    shown = span.source.text[span.start : span.end].strip()
    return {"file": span.source.path, "line": line, "column": column, "text": " ".join(shown.split())}
