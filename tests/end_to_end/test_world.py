"""The vocabulary against what the runtime really has, and the simulated customer against what had been released."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shopdsl.dsl.catalog import Catalog, Product
from shopdsl.dsl.env import Lazy
from shopdsl.dsl.library.texts import contains
from shopdsl.dsl.plan import open_plan
from shopdsl.dsl.records import RECORDS
from shopdsl.dsl.types import Basic, Enum, Many, Map, Optional, Record, Type
from shopdsl.dsl.values import Bag, Money
from shopdsl.dsl.vocabulary import CONTEXTS
from shopdsl.runtime.evidence import Reader, penalty_rows
from shopdsl.runtime.record import read_records
from shopdsl.runtime.world import World
from tests.conftest import Shop

PYTHON = {"bool": bool, "int": int, "number": (int, float), "money": Money, "text": str}


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory, plan: Path) -> list[tuple[Any, dict[str, Any], dict[str, Any]]]:
    """Every trial of a run of the baseline: the trial, its record, and the names that metrics see."""
    import subprocess
    import sys

    folder = tmp_path_factory.mktemp("world") / "run"
    subprocess.run([sys.executable, "-m", "shopdsl.cli", "run", str(plan), "-o", str(folder)], check=True, capture_output=True)
    world = World(open_plan(folder / "plan.jsonl"))
    penalties = {"daily": penalty_rows(world.header["stores"]["corner.corner"]["toolset"]["penalties"])}
    reader = Reader(penalties, world.header["forbid"], world.header["cases"])
    result = []
    for record in read_records(folder):
        data = world.plan.trial(record["trial"])
        assert data is not None
        trial = world.trial(data)
        result.append((trial, record, reader.names(trial, record)))
    return result


def check(value: Any, kind: Type, seen: set[tuple[str, str]], depth: int = 0) -> None:
    """A value is of its type, and a record has every field that the table gives it, of its type in turn."""
    if isinstance(value, Lazy):
        value = value.get()
    match kind:
        case Optional(of):
            if value is not None:
                check(value, of, seen, depth)
        case Many("bag", of):
            assert isinstance(value, Bag)
            for member in list(value)[:2]:
                check(member, of, seen, depth)
        case Many(_, of):
            for member in list(value)[:3]:
                check(member, of, seen, depth)
        case Map(key, inner):
            for k, v in list(value.items())[:2]:
                check(k, key, seen, depth)
                check(v, inner, seen, depth)
        case Enum(_, members):
            assert value in members
        case Record(name) if name in RECORDS and depth < 4:
            for field, entry in RECORDS[name].items():
                check(getattr(value, field), entry.type, seen, depth + 1)
                seen.add((name, field))
        case Basic(name) if name in PYTHON:
            assert isinstance(value, PYTHON[name]), (value, name)


def test_everything_that_the_vocabulary_promises_to_metrics_is_there(
    worlds: list[tuple[Any, dict[str, Any], dict[str, Any]]],
) -> None:
    seen: set[tuple[str, str]] = set()
    for _, _, names in worlds:
        for name, entry in CONTEXTS["metric"].items():
            check(names[name], entry.type, seen)
    met = {record for record, _ in seen}
    assert met >= {
        "product",
        "category",
        "hint",
        "item",
        "message",
        "call",
        "turn",
        "beat",
        "expectation",
        "penalty",
        "final",
        "order",
        "end",
    }


def test_a_customer_never_names_what_has_not_been_released(worlds: list[tuple[Any, dict[str, Any], dict[str, Any]]]) -> None:
    checked = 0
    for trial, record, _ in worlds:
        released: set[int] = set()
        says = record["says"]
        for event in record["events"]:
            if event["type"] != "customer":
                continue
            released |= {i for p in event["beats"] for i in trial.itinerary[p]["items"]}
            known = [says[i] for i in released]
            for index, say in enumerate(says):
                shared = any(say in k or k in say for k in known)  # vague customers call two products the same
                if index not in released and not shared:
                    assert not contains(event.get("meant", event["text"]), say)
                    checked += 1
    assert checked > 100


def test_every_message_has_the_five_fields_and_asks_for_what_it_notes(
    worlds: list[tuple[Any, dict[str, Any], dict[str, Any]]],
) -> None:
    for trial, record, _ in worlds:
        customer = [e for e in record["events"] if e["type"] == "customer"]
        for event in customer:
            assert event["text"]
            assert event["rationale"]
            assert len(event["rationale"].split()) <= 40
            assert event["next_action"]
            assert isinstance(event["frustration"], int)
            assert 0 <= event["frustration"] <= 10
            assert event["stop"] in (None, "purchase_complete", "frustrated", "gave_up")
        asked = [i for e in customer for i in e["asked"]]
        assert all(s for e in customer for s in e["said"]), "the words of a phrase must say what its beat is about"
        if record["end"]["reason"] == "purchase_complete":
            assert sorted(set(asked)) == list(range(len(trial.data["items"])))
            assert customer[-1]["stop"] == "purchase_complete"
        assert sum(e["stop"] is None for e in customer) <= trial.data["turn_budget"]


def test_figures_are_never_mistyped(worlds: list[tuple[Any, dict[str, Any], dict[str, Any]]]) -> None:
    changed = [e for _, r, _ in worlds for e in r["events"] if e.get("meant")]
    assert changed
    for event in changed:
        figures = [w.strip(".,;!?") for w in event["meant"].split() if any(c.isdigit() for c in w)]
        assert all(f.lower() in event["text"].lower() for f in figures)


def test_the_oracle_buys_every_target_of_the_standard_suite(shop: Shop, tmp_path: Path) -> None:
    """All hundred trials of `paper`, on the store of ten thousand products that is searched by meaning."""
    import json

    assert shop("compile").returncode == 0
    assert shop("run", "--agent", "oracle", "-o", "run").returncode == 0
    metrics = json.loads(shop("score", "run", "--format", "json").stdout)["cohorts"]["general"]["metrics"]
    assert metrics["exact_purchase"]["value"] == 1
    assert metrics["exact_purchase"]["n"] == 100
    assert metrics["unnecessary_call_penalty"]["value"] < 0.01
    assert metrics["wrong_argument_rate"]["value"] == 0


def test_products_of_a_catalog_come_back_from_a_plan(plan: Path) -> None:
    from shopdsl.dsl.catalog import decode, encode

    data = next(iter(open_plan(plan).catalogs.values()))
    made: Catalog = decode(data)
    assert encode(made) | {"name": data["name"]} == data
    product: Product = made.products[0]
    assert product.category.products[0] is product
