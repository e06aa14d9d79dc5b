"""The first line of a plan: all that every trial shares."""

from __future__ import annotations

from typing import Any

from shopdsl.compiler.identity import package_digest
from shopdsl.compiler.itinerary import Planner
from shopdsl.compiler.kinds.beat import compile_beat
from shopdsl.compiler.kinds.cohort import Cohort
from shopdsl.compiler.kinds.customer import compile_customer
from shopdsl.compiler.kinds.judge import compile_judge
from shopdsl.compiler.kinds.metric import Metric
from shopdsl.compiler.kinds.persona import compile_persona
from shopdsl.compiler.kinds.reveal import compile_reveal, reveal_data
from shopdsl.compiler.kinds.rubric import compile_rubric, metrics_of
from shopdsl.compiler.kinds.suite import Suite
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, text
from shopdsl.dsl.catalog import Catalog
from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree
from shopdsl.dsl.plan import FORMAT, digest
from shopdsl.dsl.values import show


def key(document: Document) -> str:
    """How a plan calls a document that may stand in any package."""
    return f"{document.package}.{document.name}"


def header(unit: Unit, suite: Suite, texts: dict[str, dict[str, str]]) -> dict[str, Any]:
    """All that the trials of a suite share; `texts` maps a catalog to the digest of each store's search texts."""
    package = suite.document.package
    packages = sorted({package, *(c.document.package for c in suite.cohorts), "std"})
    return {
        "format": FORMAT,
        "language": 1,
        "package": unit.workspace.main.name,
        "suite": suite.name,
        "title": text(unit.body(suite.document).get("title"), suite.name),
        "seed": suite.seed,
        "sources": {p.name: package_digest(p) for p in unit.workspace.packages},
        "cohorts": {c.name: _cohort(unit, suite, c) for c in suite.cohorts},
        "stores": _stores(suite, texts),
        "personas": _personas(unit, suite),
        "beats": {key(d): unit.compiled(compile_beat, d).data for p in packages for d in unit.documents("beat", p)},
        "reveals": {
            key(d): reveal_data(r)
            for p in packages
            for d in unit.documents("reveal", p)
            if (r := unit.compiled(compile_reveal, d))
        },
        "customers": {d.name: unit.compiled(compile_customer, d).data for d in unit.visible("customer", package)},
        **scoring(unit, suite),
    }


def scoring(unit: Unit, suite: Suite) -> dict[str, Any]:
    """The metrics and rubrics of a suite; `score` makes them again from the specs as they are now."""
    applying = {c.name: metrics_of(unit, suite.document.package, c.document) for c in suite.cohorts}
    metrics = {m.name: m.data | {"for": []} for found in applying.values() for m in found}
    for cohort, found in sorted(applying.items()):
        for metric in found:
            metrics[metric.name]["for"].append(cohort)
    return {
        "metrics": metrics,
        "rubrics": {name: unit.compiled(compile_rubric, d).data for name, d in suite.rubrics.items()},
        "judges": judges_data(unit, [m for found in applying.values() for m in found]),
        "forbid": {c.name: c.forbid for c in suite.cohorts},
        "cases": {key(case.document): case.scored for c in suite.cohorts for case in c.cases},
    }


def judges_data(unit: Unit, metrics: list[Metric]) -> dict[str, Any]:
    """The questions that metrics ask."""
    asked = {key(ask.judge): ask.judge for m in metrics for ask in m.asks}
    return {name: unit.compiled(compile_judge, d).data for name, d in sorted(asked.items())}


def metrics_digest(head: dict[str, Any], cohort: str, case: str | None) -> str:
    """A digest of all that scores a trial of a cohort."""
    metrics = {n: m | {"for": []} for n, m in head["metrics"].items() if cohort in m["for"]}
    asked = {judge for m in metrics.values() for _, judge, _ in m["ask"]}
    parts = {
        "metrics": metrics,
        "judges": {n: head["judges"][n] for n in sorted(asked)},
        "rubric": head["rubrics"].get(cohort),
        "forbid": head["forbid"].get(cohort),
    }
    if case is not None:
        parts["case"] = head["cases"][case]
    return digest(parts)[:24]


def _cohort(unit: Unit, suite: Suite, cohort: Cohort) -> dict[str, Any]:
    persona = unit.resolve("persona", unit.body(cohort.document).get("persona"))
    store = unit.resolve("store", unit.body(cohort.document).get("store"))
    return {
        "package": cohort.document.package,
        "title": text(unit.body(cohort.document).get("title"), cohort.name),
        "trials": cohort.trials,
        "store": key(store) if store else None,
        "persona": key(persona) if persona else None,
        "customer": cohort.customer,
        "tiers": sorted(cohort.tables["tiers"].rows) if "tiers" in cohort.tables else [],
    }


def _stores(suite: Suite, texts: dict[str, dict[str, str]]) -> dict[str, Any]:
    result = {}
    for cohort in suite.cohorts:
        if store := cohort.store:
            search = store.data["search"] | {"texts": texts[store.catalog_key][store.name]}
            named = {"products": store.product_ids} if store.listing else {}
            result[store.key] = store.data | {"catalog": store.catalog_key, "search": search} | named
    return result


def _personas(unit: Unit, suite: Suite) -> dict[str, Any]:
    found = [unit.resolve("persona", unit.body(c.document).get("persona")) for c in suite.cohorts]
    return {key(d): unit.compiled(compile_persona, d).data for d in found if d}


def search_texts(suite: Suite, catalog_key: str, catalog: Catalog) -> dict[str, str]:
    """For each store of a catalog the digest of the texts that its search reads."""
    result = {}
    for cohort in suite.cohorts:
        store = cohort.store
        if store and store.catalog_key == catalog_key and store.name not in result:
            run = compile_tree(store.data["search"]["text"])
            result[store.name] = digest([show(run(Env({"product": p}))) for p in catalog.products])
    return result


def package_planners(unit: Unit, package: str) -> dict[str, Planner]:
    """The reveal plans that a package's cohorts can draw, ready to be drawn."""
    made = [unit.compiled(compile_reveal, d) for d in unit.visible("reveal", package)]
    return {r.name: Planner(r) for r in made if r}
