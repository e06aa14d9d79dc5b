"""Which personas and currencies the expressions of a package can meet."""

from __future__ import annotations

from shopdsl.compiler.kinds.persona import Persona, compile_persona
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, text
from shopdsl.dsl.records import Entry
from shopdsl.dsl.tree import Node


def package_personas(unit: Unit, package: str) -> list[Persona]:
    """The personas that the package's cohorts name; without any, those it defines, else those of `std`."""
    named = [unit.resolve("persona", unit.body(d).get("persona")) for d in unit.documents("cohort", package)]
    documents = [d for d in named if d] or unit.documents("persona", package) or unit.documents("persona")
    return _compiled(unit, documents)


def cohort_personas(unit: Unit, cohorts: list[Node]) -> list[Persona]:
    """The personas of the cohorts that a metric names."""
    found = [unit.resolve("cohort", node) for node in cohorts]
    return _compiled(unit, [p for d in found if d and (p := unit.resolve("persona", unit.body(d).get("persona")))])


def store_currency(unit: Unit, cohorts: list[Document]) -> str:
    """The currency in which the stores of some cohorts sell; empty where they differ, or are not known."""
    stores = [unit.resolve("store", unit.body(d).get("store")) for d in cohorts]
    found = {_currency(unit, s) for s in stores if s}
    return found.pop() if len(found) == 1 else ""


def _currency(unit: Unit, store: Document) -> str:
    catalog = unit.resolve("catalog", unit.body(store).get("catalog"))
    return text(unit.body(catalog or store).get("currency"), "USD")


def _compiled(unit: Unit, documents: list[Document]) -> list[Persona]:
    unique = {id(d.node): d for d in documents}
    return [unit.compiled(compile_persona, d) for d in unique.values()]


def records(personas: list[Persona]) -> list[dict[str, dict[str, Entry]]]:
    """The records of each persona; of none, one that has no dimensions."""
    return [p.records for p in personas] or [{"persona": {}}]
