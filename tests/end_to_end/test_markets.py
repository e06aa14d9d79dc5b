"""Offers, baskets and own products of cases, as tools of a shop compute with them; what a tool may not write into a record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.puppets import Stage, calls, records, run, stage

SHOP = """\
kind: toolset
name: tools
penalties: {write: {unnecessary: 1, missing: 1, wrong: 1}, lookup: {unnecessary: .1, missing: .1, wrong: .1}}
records:
  bulb: {key: id, sparse: true, fields: {id: text, lit: bool, note: {optional: text}}}
  box: {key: box_id, table: boxes, fields: {box_id: text, count: 0..3, next: {type: {optional: {ref: box}}, as: following}}}
tools:
  basket:
    class: lookup
    role: look
    doc: The cheapest sellers of what is in the cart.
    result: best_basket(cart, coupons)
  share:
    class: lookup
    role: look
    doc: A number with a default.
    params: {of: {type: number, default: .5}, step: {one_of: [1, 2], default: 2}}
    result: of * step
  count:
    class: write
    role: note
    doc: More in a box.
    params: {id: {ref: box, as: box}, by: {type: int}}
    effect: box.count += by
    result: box.count
  pay:
    class: write
    role: pay
    doc: Money of the store.
    params: {amount: {type: money}}
    require: [{that: amount > cents(0), else: That is nothing.}]
    result: record(paid=amount, twice=amount + cents(50))
  light:
    class: write
    role: note
    doc: Light a lamp, or set its note or clear it.
    params: {id: {ref: bulb, as: bulb}, note: {type: text, optional: true}, lit: {type: bool, default: false}}
    effect: |
      bulb.lit = lit
      bulb.note = note
    result: bulb
  link:
    class: write
    role: note
    doc: The box that comes after it.
    params: {id: {ref: box, as: box}, to: {type: text}}
    effect: box.next = to
    result: box.following
---
kind: store
name: shop
toolset: tools
currency: USD
products:
  kettle:
    {title: Kettle, category: kitchen, price: $30, offers: {north: {price: $28}, south: {price: $29}}}
  lamp: {title: Lamp, category: light, price: $10}
promotions:
  kitchen_deal: {applies_to: category, of: kitchen, take: 50%, automatic: true}
records: {bulb: {L1: {lit: false}}, box: {b1: {count: 2}, b2: {count: 0}}}
---
kind: metric
name: small_steps
title: Small steps
group: process
better: higher
for: [cases]
value: mean(figure(c.args["by"]) == 1 for c in calls if c.tool == "count")
---
kind: metric
name: whole_steps
title: Steps that are named
group: process
better: higher
for: [cases]
value: mean(c.args["step"] == "1" for c in calls if c.tool == "share")
---
kind: cohort
name: cases
extends: business
store: shop
cases: {split: regression}
---
kind: suite
name: cases
seed: 3
cohorts: [cases]
rubrics: {cases: business}
"""
CASE = """\
kind: case
name: {name}
utterances: [{name}]
initial_state: {{cart: {{{cart}}}{more}}}
forbid: [{{name: never, text: 'contains(message.text, "zzzz")'}}]
"""
OWN = ", products: {pan: {title: Pan, category: kitchen, price: $20, offers: {west: {price: $16}}}}"
SAME = """\
kind: case
name: clears_nothing
utterances: [Do nothing to the lamp that changes it.]
inaction: right
expect: {calls: {all: [{tool: light, args: {id: L1}}]}, state: {same_as: calls}}
success: state
"""
SCRIPT: dict[str, list[Any]] = {
    "units": [["basket", {}]],
    "own": [["basket", {}]],
    "records": [
        ["count", {"id": "b1", "by": 1}],
        ["count", {"id": "b1", "by": 1}],
        ["count", {"id": "b1", "by": -4}],
        ["link", {"id": "b1", "to": "b2"}],
        ["link", {"id": "b1", "to": "b9"}],
        ["share", {}],
        ["share", {"of": 3, "step": 1}],
    ],
    "money": [
        ["pay", {"amount": 4}],
        ["pay", {"amount": 4.25}],
        ["pay", {"amount": 4.005}],
        ["pay", {"amount": "$4"}],
        ["pay", {"amount": 0}],
    ],
    "clears_nothing": [["light", {"id": "L1"}]],
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    folder: Path = tmp_path_factory.mktemp("markets") / "shop"
    specs = [
        CASE.format(name="units", cart="kettle: 3, lamp: 1", more=""),
        CASE.format(name="own", cart="pan: 2", more=OWN),
        CASE.format(name="records", cart="", more=""),
        CASE.format(name="money", cart="", more=""),
        SAME,
    ]
    made: Stage = stage(folder, "markets", "---\n".join([SHOP, *specs]), {name: [[script]] for name, script in SCRIPT.items()})
    assert made.compile().exit_code == 0
    return made


@pytest.fixture(scope="module")
def folder(shop: Stage) -> Path:
    return shop.play()


@pytest.fixture(scope="module")
def played(shop: Stage, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The calls of every case."""
    found = records(folder)
    return {case: calls(found[trial]) for case, trial in shop.trials().items()}


def test_a_cart_is_bought_with_all_its_units_under_the_rules_of_their_categories(played: dict[str, Any]) -> None:
    """Three kettles at 28.00 each, half off their category, and a lamp at 10.00."""
    (call,) = played["units"]
    assert (call["result"]["goods"], call["result"]["discount"], call["result"]["total"]) == (94.0, 42.0, 52.0)
    assert call["result"]["assignment"] == {"P00001": "north", "P00002": ""}


def test_the_offers_of_a_product_that_a_case_brings_along_are_its_own(played: dict[str, Any]) -> None:
    """Its number comes after those of the store, whose first product it was taken for."""
    (call,) = played["own"]
    assert call["result"]["assignment"] == {"P00003": "west"}
    assert call["result"]["total"] == 16.0


def test_a_record_holds_only_what_its_fields_can(played: dict[str, Any]) -> None:
    """A count stays in its range, and a reference leads to a record that is there."""
    more, over, under, link, lost, *_ = played["records"]
    assert [c["error"] for c in (more, link)] == [None, None]
    assert [c["result"] for c in (more, link)] == [3, {"box_id": "b2", "count": 0, "next": None}]
    assert over["error"] == "This tool cannot do that: 4 is not from 0 to 3."
    assert under["error"] == "This tool cannot do that: -1 is not from 0 to 3."
    assert lost["error"] == "This tool cannot do that: there is no box 'b9'."


def test_defaults_are_of_the_type_of_their_parameter(played: dict[str, Any]) -> None:
    assert [c["result"] for c in played["records"][5:]] == [1.0, 3.0]


def test_metrics_look_at_arguments(shop: Stage, folder: Path) -> None:
    """Of three calls of `count` two are by one; of two calls of `share` one names its step."""
    done = run("score", folder, "--format", "json", "--package", shop.folder)
    metrics = json.loads(done.stdout)["cohorts"]["cases"]["metrics"]
    assert metrics["small_steps"]["value"] == pytest.approx(2 / 3)
    assert metrics["whole_steps"]["value"] == pytest.approx(1 / 2)


def test_money_comes_as_a_number_and_is_money_of_the_store(played: dict[str, Any]) -> None:
    assert [c["result"] for c in played["money"][:2]] == [{"paid": 4.0, "twice": 4.5}, {"paid": 4.25, "twice": 4.75}]
    errors = [c["error"] for c in played["money"][2:]]
    assert errors == [
        "'amount' must be an amount of money with two decimals at most.",
        "'amount' must be a number.",
        "That is nothing.",
    ]


def test_a_field_that_is_cleared_is_one_that_is_not_there(shop: Stage, folder: Path) -> None:
    """The record of a sparse bulb has no note before, and none after."""
    done = run("score", folder, "--format", "json", "--package", shop.folder)
    rows = {t["case_id"]: t for t in json.loads(done.stdout)["cohorts"]["cases"]["tasks"]["details"]}
    assert (rows["clears_nothing"]["state_ok"], rows["clears_nothing"]["success"]) == (True, True)
