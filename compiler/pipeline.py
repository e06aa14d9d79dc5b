"""From a suite to a plan on disk: check, generate catalogs, draw, prove, write. Memory does not grow with the number of trials."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from shopdsl.compiler.cases import case_trial
from shopdsl.compiler.catalog import CatalogFailed, generate
from shopdsl.compiler.check import check
from shopdsl.compiler.draw import Drawer, DrawFailed, Drawn
from shopdsl.compiler.failures import Failures
from shopdsl.compiler.header import header, metrics_digest, package_planners, search_texts
from shopdsl.compiler.identity import trial_digest
from shopdsl.compiler.itinerary import Planner, draw_itinerary
from shopdsl.compiler.kinds.catalog import CatalogSpec, compile_catalog
from shopdsl.compiler.kinds.cohort import Cohort
from shopdsl.compiler.kinds.suite import Suite, compile_suite
from shopdsl.compiler.listing import listed_catalog
from shopdsl.compiler.packages import Document
from shopdsl.compiler.prove import prove
from shopdsl.compiler.sourcemap import source_map
from shopdsl.compiler.unit import Unit
from shopdsl.dsl.catalog import Catalog, encode
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.plan import canonical, digest
from shopdsl.dsl.values import Bag, Failed, Money, Row

Proof = Callable[[Path, Suite], None]
"""Looks at a plan before it is kept, and reports what it finds to the sink."""

MAX_MEMBERS = 100_000
MAX_FAILURES = 10
"""So many trials may break a rule before drawing stops: the same rule breaks many."""


@dataclass(frozen=True)
class Summary:
    """What was compiled: where the plan is, its digest, trials and the most customer messages by cohort."""

    path: Path
    digest: str
    trials: dict[str, int]
    messages: dict[str, int]


def compile_plan(
    unit: Unit, suite: Document, path: Path, progress: Callable[[int, int], None] | None = None, prove: Proof | None = None
) -> Summary | None:
    """Write the plan of a suite and its source map; None where something was reported.

    The file appears only when it is whole, and `prove` had nothing to say.
    """
    check(unit, unit.workspace.main.name)
    made = unit.compiled(compile_suite, suite)
    summary = write_plan(unit, made, path, progress, prove)
    if summary is not None:
        beside = fresh_file(map_path(path))
        beside.write_text(json.dumps(source_map(unit, made), indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
        os.replace(beside, map_path(path))
    return summary


def write_plan(
    unit: Unit, made: Suite, path: Path, progress: Callable[[int, int], None] | None = None, prove: Proof | None = None
) -> Summary | None:
    """Write the plan of a compiled suite; None where something was reported."""
    if unit.sink.has_errors:
        return None
    catalogs = _catalogs(unit, made)
    if unit.sink.has_errors:
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = fresh_file(path)
    try:
        summary = _write(unit, made, catalogs, partial, path, progress)
        if summary is not None and prove is not None and not unit.sink.has_errors:
            prove(partial, made)
        if summary is None or unit.sink.has_errors:
            return None
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    return summary


def fresh_file(path: Path) -> Path:
    """A new empty file beside a path, to be moved there when it is whole: nothing is written through a link that somebody left."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.fchmod(descriptor, 0o644)
    os.close(descriptor)
    return Path(name)


def map_path(plan: Path) -> Path:
    """Where the source map of a plan lies: `paper.plan.jsonl` has `paper.plan.map.json`."""
    return plan.with_name(plan.name.removesuffix(".jsonl") + ".map.json")


def find_suite(unit: Unit, name: str | None) -> Document | None:
    """The suite of a name, or the default suite of the package, else of `std`; None where there is none (reported)."""
    main = unit.workspace.main
    std = unit.workspace.package("std")
    wanted = name or main.default_suite or (std.default_suite if std else None) or ""
    found = unit.workspace.find("suite", wanted, main.name)
    if found is None:
        known = unit.workspace.names("suite", main.name)
        help = nearest(wanted, known) or f"suites: {', '.join(known)}"
        unit.sink.add(codes.UNRESOLVED, f"there is no suite `{wanted}`", None, help)
    return found


def _catalogs(unit: Unit, suite: Suite) -> dict[str, Catalog]:
    """The products of every store of a suite, by the key of the catalog."""
    result: dict[str, Catalog] = {}
    for store in (cohort.store for cohort in suite.cohorts if cohort.store):
        if store.catalog_key in result:
            continue
        if store.catalog is None:
            result[store.catalog_key] = listed_catalog(store.catalog_key, store.currency, store.listing, unit.sink)
        elif (made := _generated(unit, store.catalog)) is not None:
            result[store.catalog_key] = made
    return result


def _generated(unit: Unit, document: Document) -> Catalog | None:
    spec = unit.compiled(compile_catalog, document)
    if not isinstance(spec, CatalogSpec):
        help = "a store needs a catalog with `of` and `product`"
        unit.sink.add(codes.MISSING_KEY, f"the catalog `{document.name}` is only a part", document.span, help)
        return None
    try:
        return generate(spec, unit.sink)
    except CatalogFailed as error:
        unit.sink.add(codes.DRAW_FAILED, f"`{error.field}` failed: {error}", spec.product_spans.get(error.field, document.span))
        return None


def _write(
    unit: Unit, suite: Suite, catalogs: dict[str, Catalog], partial: Path, path: Path, progress: Callable[[int, int], None] | None
) -> Summary | None:
    total = sha256()
    head = header(unit, suite, {name: search_texts(suite, name, catalog) for name, catalog in catalogs.items()})
    messages = dict.fromkeys((c.name for c in suite.cohorts), 0)
    count = sum(c.trials for c in suite.cohorts)
    done = 0
    with partial.open("w", encoding="utf-8", newline="\n") as file:

        def put(data: Any) -> None:
            line = canonical(data) + "\n"
            total.update(line.encode())
            file.write(line)

        put(head)
        for name, catalog in sorted(catalogs.items()):
            put({"catalog": encode(catalog) | {"name": name}})
        for name, tables in sorted(_records(suite).items()):
            put({"records": {"name": name, "tables": tables}})
        for trial in _trials(unit, suite, catalogs, head):
            put(trial)
            messages[trial["cohort"]] += trial["turn_budget"]
            done += 1
            if progress:
                progress(done, count)
    return Summary(path, total.hexdigest(), {c.name: c.trials for c in suite.cohorts}, messages)


def _trials(unit: Unit, suite: Suite, catalogs: dict[str, Catalog], head: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for cohort in suite.cohorts:
        if cohort.store is None or cohort.persona is None:
            continue
        catalog_key = cohort.store.catalog_key
        drawer = Drawer(cohort, catalogs[catalog_key], suite.seed)
        needed = not cohort.cases or any("reveal" in case.played for case in cohort.cases)
        planners = package_planners(unit, cohort.document.package) if needed else {}
        world = _world(head, cohort, catalogs[catalog_key])
        failures = Failures()
        for number in range(cohort.trials):
            trial = case_trial(failures, drawer, planners, number) if cohort.cases else _trial(failures, drawer, planners, number)
            if trial is not None:
                trial["task"] = trial_digest(trial, world)
                trial["score"] = metrics_digest(head, cohort.name, trial.get("case"))
                yield trial
            elif len(failures.trials) >= MAX_FAILURES:
                break
        failures.flush(unit.sink)


def _records(suite: Suite) -> dict[str, Any]:
    """The records of every store that has some."""
    stores = [c.store for c in suite.cohorts if c.store]
    return {s.key: s.records for s in stores if any(s.records.values())}


def _world(head: dict[str, Any], cohort: Cohort, catalog: Catalog) -> str:
    about = head["cohorts"][cohort.name]
    parts = {k: head[k] for k in ("beats", "reveals", "customers")}
    return digest(
        {
            **parts,
            "store": head["stores"][about["store"]],
            "persona": head["personas"][about["persona"]],
            "catalog": encode(catalog),
            **({"records": digest(cohort.store.records)} if cohort.store and any(cohort.store.records.values()) else {}),
        }
    )


def _trial(failures: Failures, drawer: Drawer, planners: dict[str, Planner], number: int) -> dict[str, Any] | None:
    """One trial as plan data, or None where it broke a rule (reported)."""
    cohort = drawer.cohort
    report = partial(failures.report, f"{cohort.name}/{number}")
    try:
        drawn = drawer.draw(number)
        style = str(drawn.names["reveal"])
        if style not in planners:
            line = next(line for line in cohort.lines if line.name == "reveal")
            help = nearest(style, planners) or f"there are: {', '.join(sorted(planners))}"
            report(codes.UNKNOWN_REVEAL, f"it draws the reveal plan `{style}`, and there is none", line.span, help)
            return None
        used, beats = draw_itinerary(drawn, planners, style)
    except DrawFailed as error:
        report(codes.DRAW_FAILED, f"`{error.name}` failed: {error.message}", error.span, error.help)
        return None
    findings = list(prove(drawn, beats, planners[used].reveal, cohort))
    for finding in findings:
        report(*finding)
    if findings:
        return None
    try:
        return _encode(cohort, drawn, used, beats)
    except Failed as error:
        report(codes.DRAW_FAILED, str(error), cohort.document.span, "draw less, or keep it inside of a block")
        return None


def _encode(cohort: Cohort, drawn: Drawn, style: str, beats: list[dict[str, Any]]) -> dict[str, Any]:
    special = ("target", "withheld", "turn_budget", "reveal")
    names = {line.name: _plain(drawn.names[line.name], [MAX_MEMBERS]) for line in cohort.lines if line.name not in special}
    items = [{"product": i.product.id, "quantity": i.quantity, "withheld": [h.name for h in i.withheld]} for i in drawn.items]
    return {
        "beats": beats,
        "cohort": cohort.name,
        "drawn": names,
        "items": items,
        "number": drawn.number,
        "persona": {k: v.name for k, v in drawn.persona.fields().items()},
        "reveal": style,
        "seed": drawn.seed,
        "trial": f"{cohort.name}/{drawn.number}",
        "turn_budget": drawn.turn_budget,
    }


def _plain(value: Any, left: list[int]) -> Any:
    """A drawn value for a plan: numbers that are not whole and money are text."""
    left[0] -= 1
    if left[0] < 0:
        raise Failed(f"a drawn value has more than {MAX_MEMBERS:,} members")
    match value:
        case bool() | int() | str() | None:
            return value
        case float():
            return format(value, ".12g")
        case Money():
            return str(value)
        case Row() if value.name:
            return value.name
        case Row():
            return {k: _plain(v, left) for k, v in sorted(value.fields().items())}
        case list():
            return [_plain(v, left) for v in value]
        case frozenset():
            return sorted((_plain(v, left) for v in value), key=str)
        case dict():
            return {str(_plain(k, left)): _plain(v, left) for k, v in value.items()}
        case Bag():
            return {str(_plain(k, left)): n for k, n in value.counts.items()}
    return getattr(value, "id", None) or getattr(value, "name", None) or str(value)
