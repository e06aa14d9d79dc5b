"""`cohort`: how the trials of one type are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.cohort_cases import check_cases, find_cases
from shopdsl.compiler.conversation import Parts, check_conversation
from shopdsl.compiler.each import read_each
from shopdsl.compiler.expressions import Compiled, expression
from shopdsl.compiler.forbids import compile_forbids
from shopdsl.compiler.kinds.case import Case, compile_case
from shopdsl.compiler.kinds.catalog import CatalogSpec, compile_catalog
from shopdsl.compiler.kinds.persona import Persona, compile_persona
from shopdsl.compiler.kinds.store import Store, compile_store
from shopdsl.compiler.packages import Document
from shopdsl.compiler.personas import store_currency
from shopdsl.compiler.tables import Table, table
from shopdsl.compiler.unit import Unit, entries, items, ordered_entries, value
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.records import Entry
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Mapping, Node, Scalar
from shopdsl.dsl.types import Type
from shopdsl.dsl.vocabulary import Scope, scope

PRODUCT = t.Record("product")
REQUIRED: dict[str, Type] = {
    "target": t.Many("bag", PRODUCT),
    "turn_budget": t.INT,
    "reveal": t.TEXT,
    "withheld": t.Many("list", t.Record("hint")),
}
"""What every cohort draws, and of which type."""
KNOWN: dict[str, Type] = {"difficulty": t.INT, "tier": t.TEXT}
"""What metrics and customers know if a cohort draws it."""


@dataclass(frozen=True)
class Line:
    """One drawn name: an expression, or a block that is drawn for each member of a list and collected."""

    name: str
    made: Compiled
    span: Span
    block: Block | None = None


@dataclass(frozen=True)
class Block:
    member: str
    lines: list[Line]
    collect: Compiled


@dataclass(frozen=True)
class Cohort:
    """A compiled cohort."""

    name: str
    trials: int
    store: Store | None
    persona: Persona | None
    customer: str
    tables: dict[str, Table]
    lines: list[Line]
    document: Document
    cases: list[Case]
    openings: dict[str, list[Any]]
    forbid: list[dict[str, Any]]


def compile_cohort(unit: Unit, document: Document) -> Cohort:
    """Checks tables and draws, top to bottom, or the cases that are listed instead."""
    body = unit.body(document)
    for key in ("store", "persona"):
        if body.get(key) is None:
            unit.sink.add(codes.MISSING_KEY, f"this cohort needs `{key}`", document.span, f"add `{key}: NAME`")
    store = unit.resolve("store", body.get("store"))
    persona_document = unit.resolve("persona", body.get("persona"))
    persona = unit.compiled(compile_persona, persona_document) if persona_document else None
    customer = body.get("customer")
    customer_document = unit.resolve("customer", customer)
    tables = {k.text: table(k.text, rows, unit.sink) for k, rows in entries(body.get("tables")) if isinstance(rows, Mapping)}
    names = _scope(persona, tables, store_currency(unit, [document]))
    lines, _ = _lines(unit, body.get("draw"), names)
    found = find_cases(unit, body.get("cases"), document.package)
    cases = [unit.compiled(compile_case, d) for d in found]
    made = unit.compiled(compile_store, store) if store else None
    openings = (
        check_cases(unit, cases, made, {n: t.rows for n, t in persona.tables.items()} if persona else {})
        if made and made.toolset
        else {}
    )
    cohort = Cohort(
        document.name,
        value(body.get("trials"), 1) if body.get("cases") is None else len(found),
        made,
        persona,
        customer_document.name if customer_document else "scripted",
        tables,
        lines,
        document,
        cases,
        openings,
        compile_forbids(unit, body.get("forbid"), document.package, {}),
    )
    _check_way(unit, cohort, body)
    _check_fixtures(unit, cohort)
    _check_tables(unit, cohort, body.get("tables"))
    speaker = customer_document or unit.workspace.find("customer", cohort.customer, document.package)
    toolset = cohort.store.toolset if cohort.store else None
    if body.get("cases") is None:
        check_conversation(unit, document, Parts(toolset, speaker, _texts(cohort)))
    return cohort


def _check_fixtures(unit: Unit, cohort: Cohort) -> None:
    """Products of cases extend types, and lie in categories, that the store's catalog has."""
    catalog = cohort.store.catalog if cohort.store else None
    spec = unit.compiled(compile_catalog, catalog) if catalog and cohort.cases else None
    if not isinstance(spec, CatalogSpec):
        return
    known = {"extends": {k.name for p in spec.parts for k in p.types}, "category": {p.name for p in spec.parts}}
    for fixture in (f for case in cohort.cases for f in case.fixtures):
        for key, found in (("extends", fixture.extends), ("category", fixture.fields.get("category"))):
            if found is not None and found not in known[key]:
                what = "type" if key == "extends" else "category"
                help = nearest(str(found), known[key]) or f"there are: {', '.join(sorted(known[key])[:20])}"
                unit.sink.add(codes.FIXTURE, f"the catalog has no {what} `{found}`", fixture.places[key], help)


_WAYS = "add `draw:`, or `cases:` with the names of cases"


def _check_way(unit: Unit, cohort: Cohort, body: Mapping) -> None:
    """A cohort either draws its trials or lists them."""
    drawn, listed = body.key("draw"), body.key("cases")
    if drawn is not None and listed is not None:
        help = "keep one of the two; where `draw` is inherited, `draw: null` removes it"
        unit.sink.add(codes.CASES_AND_DRAWS, "this cohort both draws trials and lists cases", listed.span, help)
    elif drawn is None and not cohort.cases and (isinstance(body.get("cases"), Mapping) or not items(body.get("cases"))):
        help = "no case of the package fits this description" if isinstance(listed and body.get("cases"), Mapping) else _WAYS
        place = listed or cohort.document
        unit.sink.add(codes.CASES_AND_DRAWS, "this cohort neither draws trials nor lists cases", place.span, help)
    elif listed is None:
        _check_required(unit, cohort)


def _texts(cohort: Cohort) -> frozenset[str]:
    """Every text from which `reveal` can be drawn: those it spells, and those of the tables."""
    trees = [line.made.tree for line in cohort.lines if line.name == "reveal"]
    cells = [row.fields() for made in cohort.tables.values() for row in made.rows.values()]
    return frozenset(_spelt([trees, cells]))


def _spelt(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from _spelt([*value.keys(), *value.values()])
        case list():
            for part in value:
                yield from _spelt(part)


def _scope(persona: Persona | None, tables: dict[str, Table], currency: str) -> Scope:
    records = {k: v for each in tables.values() for k, v in each.records.items()}
    extra = {name: Entry(t.Record(f"table {name}"), "A table of the cohort.") for name in tables}
    return scope("draw", extra, records | (persona.records if persona else {}), currency)


def _lines(unit: Unit, node: Node | None, names: Scope) -> tuple[list[Line], Scope]:
    lines: list[Line] = []
    for key, body in ordered_entries(node):
        if key.text in names.names:
            help = "choose another name"
            unit.sink.add(codes.HIDES_NAME, f"`{key.text}` is known here already", key.span, help)
        line = _block(unit, key, body, names) if isinstance(body, Mapping) else _line(unit, key, body, names)
        lines.append(line)
        names = names.with_names({key.text: Entry(line.made.type, "A drawn name.")})
    return lines, names


def _line(unit: Unit, key: Scalar, body: Node, names: Scope) -> Line:
    wanted = REQUIRED.get(key.text) or KNOWN.get(key.text)
    span = body.content if isinstance(body, Scalar) else body.span
    return Line(key.text, expression(body, names, unit.sink, wanted), span)


def _block(unit: Unit, key: Scalar, body: Mapping, names: Scope) -> Line:
    each = body.get("each")
    member, source = read_each(unit, each, names)
    inner = names.with_names({member: Entry(t.element(source.type) or t.ANY, "A member.")})
    lines, inner = _lines(unit, body.get("draw"), inner)
    collect = expression(body.get("collect"), inner, unit.sink)
    found = t.bare(collect.type)
    kind = found if isinstance(found, t.Many) and found.kind == "list" else t.Many("list", found)
    made = Compiled(source.tree, kind, source.evidence, source.used | collect.used | _used(lines))
    return Line(key.text, made, body.span, Block(member, lines, collect))


def _used(lines: list[Line]) -> frozenset[str]:
    used: frozenset[str] = frozenset()
    for line in lines:
        used |= line.made.used | (line.block.collect.used | _used(line.block.lines) if line.block else frozenset())
    return used


def _check_required(unit: Unit, cohort: Cohort) -> None:
    drawn = {line.name for line in cohort.lines}
    for name in REQUIRED:
        if name not in drawn:
            message = f"this cohort does not draw `{name}`"
            unit.sink.add(codes.DRAW_MISSING, message, cohort.document.span, f"add a line `{name}: …` to its `draw`")


def _check_tables(unit: Unit, cohort: Cohort, node: Node | None) -> None:
    used = _used(cohort.lines)
    for key, _ in entries(node):
        if key.text not in used:
            unit.sink.add(codes.UNUSED_TABLE, f"nothing reads the table `{key.text}`", key.span, "remove it, or draw from it")
