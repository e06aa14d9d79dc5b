"""The cases of a cohort: found by name or by what they are, and checked against the store that they are played in."""

from __future__ import annotations

from collections.abc import Mapping as Mapping_
from typing import Any

from shopdsl.compiler.amounts import foreign_amounts
from shopdsl.compiler.attributes import check_attributes
from shopdsl.compiler.case_calls import check_call, known_tool
from shopdsl.compiler.data import Reader, given, located
from shopdsl.compiler.kinds.case import Case
from shopdsl.compiler.kinds.store import Store
from shopdsl.compiler.packages import Document
from shopdsl.compiler.stored import dangling
from shopdsl.compiler.unit import Unit, entries, items, text
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.tree import Mapping, Node, Scalar

Change = list[Any]
FILTERS = ("split", "category", "level")


def find_cases(unit: Unit, node: Node | None, package: str) -> list[Document]:
    """The cases that a list names, or that a mapping describes: `{split, category, level, tags, except}`."""
    if isinstance(node, Mapping):
        without = [unit.resolve("case", n) for n in items(node.get("except"))]
        return [d for d in unit.documents("case", package) if _fits(unit.body(d), node) and d not in without]
    return [d for n in items(node) if (d := unit.resolve("case", n))]


def _fits(body: Mapping, wanted: Mapping) -> bool:
    defaults = {"split": "regression"}
    alike = all(text(body.get(k), defaults.get(k, "")) == text(wanted.get(k)) for k in FILTERS if wanted.get(k) is not None)
    tags = {text(n) for n in items(body.get("tags"))}
    return alike and all(text(n) in tags for n in items(wanted.get("tags")))


def check_cases(
    unit: Unit, cases: list[Case], store: Store, dimensions: Mapping_[str, Mapping_[str, Any]]
) -> dict[str, list[Change]]:
    """Reports calls, tools and records that the store does not have; the result is what differs at the beginning, by case."""
    for case in cases:
        tools = store.toolset.data["tools"] if store.toolset else {}
        _check_tools(unit, case, tools)
        for call in case.expected.listed:
            check_call(unit, case, call, tools, store)
        for name, span in [*case.expected.mentioned, *case.fault_tools]:
            known_tool(unit, name, span, list(tools))
        _check_goods(unit, case, store)
        _check_money(unit, case, store)
        _read_wanted(unit, case, store)
        if store.catalog is None:
            check_attributes(unit, unit.body(case.document), [*store.listing, *case.fixtures])
        _check_persona(unit, case, dimensions)
    return {case.name: _opening(unit, case, store) for case in cases}


def _check_persona(unit: Unit, case: Case, dimensions: Mapping_[str, Mapping_[str, Any]]) -> None:
    """A case may fix dimensions of the cohort's persona."""
    for key, node in entries(unit.body(case.document).get("persona")):
        values = dimensions.get(key.text)
        if values is None:
            help = nearest(key.text, dimensions) or f"dimensions: {', '.join(dimensions)}"
            unit.sink.add(codes.UNKNOWN_NAME, f"the cohort's persona has no dimension `{key.text}`", key.span, help)
        elif text(node) not in values:
            help = nearest(text(node), values) or f"values: {', '.join(values)}"
            unit.sink.add(codes.UNKNOWN_ROW, f"`{key.text}` has no value `{text(node)}`", node.span, help)


def _check_tools(unit: Unit, case: Case, tools: dict[str, Any]) -> None:
    for node in items(unit.body(case.document).get("available_tools")):
        if text(node) not in tools:
            help = nearest(text(node), tools) or f"tools: {', '.join(tools)}"
            unit.sink.add(codes.UNRESOLVED, f"the store has no tool `{text(node)}`", node.span, help)


def _check_money(unit: Unit, case: Case, store: Store) -> None:
    """Amounts of a case are of the store's money."""
    groups = case.expected.data["groups"]
    for name, group in groups.items():
        for amount in foreign_amounts(group, store.currency):
            message = f"{amount} is expected, and this store sells in {store.currency}"
            unit.sink.add(codes.CURRENCY, message, case.expected.spans[name], f"write the amount in {store.currency}")


def _check_goods(unit: Unit, case: Case, store: Store) -> None:
    """The cart and the coupons of a case are of its store."""
    state = unit.body(case.document).get("initial_state")
    products = {*store.product_ids, *(f.name for f in case.fixtures)}
    coupons = {p["name"] for p in store.market.promotions}
    named = [(k, "product", products) for k, _ in entries(state.get("cart") if isinstance(state, Mapping) else None)]
    named += [
        (n, "coupon", coupons)
        for n in items(state.get("coupons") if isinstance(state, Mapping) else None)
        if isinstance(n, Scalar) and n.text.isidentifier() and n.text == n.text.lower()  # others are no names: that is told
    ]
    named += [(k, "product", products) for k, _ in entries(unit.body(case.document).get("wants"))]
    for node, what, known in named:
        if node.text not in known:
            help = nearest(node.text, known) or f"there are: {', '.join(sorted(known)) or 'none'}"
            unit.sink.add(codes.UNRESOLVED, f"there is no {what} `{node.text}`", node.span, help)


def _opening(unit: Unit, case: Case, store: Store) -> list[Change]:
    """The records with which a case begins, where they are not those of the store."""
    state = unit.body(case.document).get("initial_state")
    node = state.get("records") if isinstance(state, Mapping) else None
    shapes = store.toolset.shapes if store.toolset else None
    result: list[Change] = []
    known = {r: {*store.records[r], *case.records.get(r, ())} for r in store.records}
    for record, rows in entries(node):
        if shapes is None or record.text not in shapes.keyed:
            keyed = shapes.keyed if shapes else []
            help = nearest(record.text, keyed) or f"records: {', '.join(keyed) or 'none'}"
            unit.sink.add(codes.UNRESOLVED, f"the store keeps no record `{record.text}`", record.span, help)
            continue
        for key, fields in entries(rows):
            made = _record(unit, store, record.text, key.text, fields)
            result.append([record.text, key.text, made])
            for path, other, missing in dangling(made, {"record": record.text}, shapes, known, ()):
                place = located(fields, path).span
                help = nearest(missing, known[other]) or f"bring the {other} along in `initial_state.records`"
                unit.sink.add(codes.DANGLING, f"there is no {other} `{missing}`", place, help)
    return result


def _record(unit: Unit, store: Store, record: str, key: str, node: Node) -> Any:
    assert store.toolset is not None
    reader = Reader(store.toolset.shapes.data, store.currency)
    base = store.records[record].get(key)
    about = store.toolset.shapes.data[record]
    own = about["fields"][about["key"]]["called"] or about["key"]
    whole = given(node)
    if isinstance(whole, dict) and str(whole.setdefault(own, key)) != key:
        unit.sink.add(codes.BAD_DATA, f"`{key}` has the {own} `{whole[own]}`", node.span, f"leave `{own}` out: it is the key")
    made = reader.change(whole, record, ()) if base is not None else reader.value(whole, {"record": record}, ())
    for flaw in reader.flaws:
        unit.sink.add(codes.BAD_DATA, flaw.message, located(node, flaw.path).span, flaw.help)
    return base | made if base is not None and isinstance(made, dict) else made


def _read_wanted(unit: Unit, case: Case, store: Store) -> None:
    """Read the fields that a case wants of records at the end, as the store's records have them."""
    wanted = case.expected.recorded
    shapes = store.toolset.shapes.data if store.toolset else {}
    if case.read_with and wanted:  # another cohort with this case has read it
        if case.read_with != [shapes, store.currency]:
            message = f"the case `{case.name}` looks at records, and the stores in which it is played keep them otherwise"
            unit.sink.add(codes.BAD_DATA, message, wanted[0].span, "write a case for each of the stores")
        return
    case.read_with[:] = [shapes, store.currency]
    for place in wanted:
        record, key, fields = place.entry
        if record not in shapes or not shapes[record]["key"]:
            keyed = store.toolset.shapes.keyed if store.toolset else []
            help = nearest(record, keyed) or f"records: {', '.join(keyed) or 'none'}"
            unit.sink.add(codes.UNRESOLVED, f"the store keeps no record `{record}`", place.span, help)
            continue
        reader = Reader(shapes, store.currency)
        place.entry[2] = reader.change(fields, record, ())
        for flaw in reader.flaws:
            unit.sink.add(codes.BAD_DATA, f"{record} {key}: {flaw.message}", located(place.fields, flaw.path).span, flaw.help)
