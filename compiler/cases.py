"""The trials of a cohort that lists cases: nothing is drawn but the persona."""

from __future__ import annotations

from typing import Any

from shopdsl.compiler.draw import Drawer
from shopdsl.compiler.failures import Failures
from shopdsl.compiler.fixtures import FixtureFailed, make_fixture
from shopdsl.compiler.kinds.case import Case
from shopdsl.dsl.catalog import Catalog, encode_whole
from shopdsl.dsl.diagnostics import codes

SCRIPTED = "fixed"
"""What `reveal` is where the customer's texts are given."""


def case_trial(failures: Failures, drawer: Drawer, number: int) -> dict[str, Any] | None:
    """The plan data of one case, or None where a product of it cannot be made (reported)."""
    case = drawer.cohort.cases[number]
    seed, persona = drawer.start(number)
    trial = f"{drawer.cohort.name}/{number}"
    fixtures = _fixtures(failures, trial, case, drawer.catalog)
    if trial in failures.trials:
        return None
    return {
        "beats": [],
        "case": f"{case.document.package}.{case.name}",
        "cohort": drawer.cohort.name,
        "drawn": {},
        "fixtures": fixtures,
        "items": [],
        "number": number,
        "persona": {k: v.name for k, v in persona.fields().items()},
        "reveal": SCRIPTED,
        "script": case.played,
        "seed": seed,
        "trial": trial,
        "turn_budget": len(case.played["messages"]),
    }


def _fixtures(failures: Failures, trial: str, case: Case, catalog: Catalog) -> dict[str, Any]:
    result: dict[str, Any] = {}
    taken: set[str] = set()
    for place, fixture in enumerate(case.fixtures, 1):
        try:
            made = make_fixture(fixture, catalog, len(catalog.products) + place, taken)
            taken.add(made.id)
            result[fixture.name] = encode_whole(made)
        except FixtureFailed as error:
            failures.report(trial, codes.FIXTURE, f"{case.name}: {error}", fixture.span, error.help)
    return result
