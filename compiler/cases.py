"""The trials of a cohort that lists cases: nothing is drawn but the persona."""

from __future__ import annotations

from typing import Any

from shopdsl.compiler.draw import Drawer, DrawFailed, Drawn
from shopdsl.compiler.failures import Failures
from shopdsl.compiler.fixtures import Fixture, FixtureFailed, dated, make_fixture, offers_of
from shopdsl.compiler.itinerary import Planner, draw_itinerary
from shopdsl.compiler.kinds.case import Case
from shopdsl.compiler.kinds.cohort import Cohort
from shopdsl.compiler.listing import listed_catalog
from shopdsl.compiler.unit import Unit
from shopdsl.dsl.catalog import decode_whole, encode, encode_whole
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.items import Item
from shopdsl.dsl.values import Bag, Row

SCRIPTED = "fixed"
"""What `reveal` is where the customer's texts are given."""


def case_trial(failures: Failures, drawer: Drawer, planners: dict[str, Planner], number: int) -> dict[str, Any] | None:
    """The plan data of one case, or None where a product of it cannot be made, or its plan cannot be drawn (reported)."""
    case = drawer.cohort.cases[number]
    seed, persona = drawer.start(number)
    persona = Row("", {**persona.fields(), **_fixed(drawer, case)})
    trial = f"{drawer.cohort.name}/{number}"
    fixtures = _fixtures(failures, trial, case, drawer)
    if trial in failures.trials:
        return None
    script = _script(drawer, case, {name: data["id"] for name, data in fixtures.items()})
    data: dict[str, Any] = {
        "beats": [],
        "case": f"{case.document.package}.{case.name}",
        "cohort": drawer.cohort.name,
        "drawn": {},
        "fixtures": fixtures,
        "items": [],
        "number": number,
        "persona": {k: v.name for k, v in persona.fields().items()},
        "reveal": SCRIPTED,
        "script": script,
        "seed": seed,
        "trial": trial,
        "turn_budget": len(case.played["messages"]),
    }
    if "reveal" in case.played:
        drawn = _drawn(drawer, case, fixtures, Drawn(number, seed, persona, {}, []))
        return _planned(failures, data, drawn, planners, case)
    return data


def _script(drawer: Drawer, case: Case, ids: dict[str, str]) -> dict[str, Any]:
    """What is played, and how it begins otherwise than the store."""
    played = {k: v for k, v in case.played.items() if k not in ("reveal", "wants", "persona")}
    own = {"records": drawer.cohort.openings.get(case.name), "offers": offers_of(case.fixtures, ids)}
    return played | {k: v for k, v in own.items() if v}


def _fixed(drawer: Drawer, case: Case) -> dict[str, Row]:
    """The values of persona dimensions that the case fixes."""
    return {name: drawer.persona.tables[name].rows[value] for name, value in case.played.get("persona", {}).items()}


def _drawn(drawer: Drawer, case: Case, fixtures: dict[str, Any], empty: Drawn) -> Drawn:
    """The case as a drawn trial: what it wants is the target."""
    catalog = drawer.catalog
    listed = drawer.cohort.store.product_ids if drawer.cohort.store else {}
    items = []
    for place, (name, count) in enumerate(case.played["wants"].items()):
        made = decode_whole(data, catalog.by_name[data["category"]], catalog.currency) if (data := fixtures.get(name)) else None
        product = made or catalog.by_id[listed[name]]
        items.append(Item(place, product, count, []))
    budget = case.played.get("limits", {}).get("messages", 3 + 2 * len(items))
    names = {
        "turn_budget": budget,
        "reveal": case.played["reveal"],
        "target": Bag({i.product: i.quantity for i in items}),
        "withheld": [],
    }
    return Drawn(empty.number, empty.seed, empty.persona, names, items)


def _planned(
    failures: Failures, data: dict[str, Any], drawn: Drawn, planners: dict[str, Planner], case: Case
) -> dict[str, Any] | None:
    try:
        used, beats = draw_itinerary(drawn, planners, str(drawn.names["reveal"]))
    except DrawFailed as error:
        failures.report(data["trial"], codes.DRAW_FAILED, f"{case.name}: {error.message}", case.document.span, error.help)
        return None
    items = [{"product": i.product.id, "quantity": i.quantity, "withheld": []} for i in drawn.items]
    return data | {"beats": beats, "items": items, "reveal": used, "turn_budget": drawn.turn_budget}


def _fixtures(failures: Failures, trial: str, case: Case, drawer: Drawer) -> dict[str, Any]:
    """The products of a case, and those of the store that have another price on its day."""
    result: dict[str, Any] = {}
    taken: set[str] = set()
    catalog, today = drawer.catalog, case.played.get("today")
    for fixture, id in _dated(drawer, today):
        result[fixture.name] = encode_whole(make_fixture(fixture, catalog, 0, set(), today)) | {"id": id}
    for place, fixture in enumerate(case.fixtures, 1):
        try:
            made = make_fixture(fixture, catalog, len(catalog.products) + place, taken, today)
            taken.add(made.id)
            result[fixture.name] = encode_whole(made)
        except FixtureFailed as error:
            failures.report(trial, codes.FIXTURE, f"{case.name}: {error}", fixture.span, error.help)
    return result


def _dated(drawer: Drawer, today: str | None) -> list[tuple[Fixture, str]]:
    store = drawer.cohort.store
    if store is None or today is None:
        return []
    ids = store.product_ids
    return [(f, ids[f.name]) for f in store.listing if dated(f, today).get("price") != f.fields.get("price")]


def case_data(unit: Unit, cohort: Cohort, name: str) -> dict[str, Any] | None:
    """A case of a cohort with all that a plan would say of it and of its store; None where it cannot be played alone (reported)."""
    store = cohort.store
    number = next((i for i, case in enumerate(cohort.cases) if case.name == name), None)
    by_plan = number is not None and "reveal" in cohort.cases[number].played
    if store is None or store.catalog is not None or number is None or by_plan:
        reason = "its store draws its products" if number is not None else f"the cohort `{cohort.name}` does not list it"
        reason = "its wishes come out by plan" if by_plan else reason
        span = next((c.document.span for c in cohort.cases if c.name == name), cohort.document.span)
        unit.sink.add(
            codes.TEST_REFERENCE,
            f"a test cannot play the case `{name}`: {reason}",
            span,
            "test a case of a store with `products`",
        )
        return None
    catalog = listed_catalog(store.catalog_key, store.currency, store.listing, unit.sink)
    failures = Failures()
    data = case_trial(failures, Drawer(cohort, catalog, 0), {}, number)
    failures.flush(unit.sink)
    about = store.data | {"products": store.product_ids}
    return {"trial": data, "catalog": encode(catalog), "store": about, "records": store.records}
