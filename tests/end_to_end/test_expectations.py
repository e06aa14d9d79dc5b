"""Every atom of `expect`, met and missed by agents that a test wrote: success, partial credit and the reason, derived by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from shopdsl.runtime.expect.verdict import Verdict
from tests.conftest import compile_to
from tests.end_to_end.puppets import Scripts, Stage, Turn, looks, run, stage, verdict_of

SHOP = """\
kind: toolset
name: desk
penalties: {write: {unnecessary: 1, missing: 1, wrong: 1}, lookup: {unnecessary: .1, missing: .1, wrong: .1}}
records:
  box:
    key: box_id
    table: boxes
    fields: {box_id: text, count: int, price: money, note: {optional: text}}
tools:
  look: {class: lookup, role: look, doc: Look., params: {id: {ref: box, as: box}}, result: box.count}
  quote: {class: lookup, role: quote, doc: Quote., params: {id: {ref: box, as: box}}, result: "record(price=box.price, words=\\"fully booked\\")"}
  count: {class: write, role: set, doc: Set., params: {id: {ref: box, as: box}, n: {type: number}}, effect: box.count = round(n), result: box.count}
  note:
    {class: write, role: set, doc: Write., params: {id: {ref: box, as: box}, note: {type: text}}, effect: box.note = note, result: box.note}
  tags: {class: lookup, role: look, doc: Many., params: {names: {type: {list: text}}, deep: {type: {map: int}, optional: true}}, result: len(names)}
  add:
    class: write
    role: add
    doc: Add.
    params: {product_id: {ref: product, as: product}, quantity: {type: 1..9, default: 1}}
    effect: cart[product] += quantity
    result: len(cart)
  make: {class: write, role: set, doc: Make., params: {id: {type: text}}, effect: 'boxes[id] = record(count=1, price=cents(200))', result: id}
  find: {class: retrieval, role: search, doc: Find., params: {query: {type: text}}, result: "[p.id for p in search(query, limit=2)]"}
  buy: {class: write, role: buy, doc: Buy., require: [{that: len(cart) > 0, else: The cart is empty.}], effect: place order, result: '"bought"'}
---
kind: store
name: desk
toolset: desk
currency: USD
products:
  alpha: {id: A, title: Alpha lamp, category: lamps, price: $10.00}
  beta: {id: B, title: Beta lamp, category: lamps, price: $20.00}
  gamma: {id: C, title: Gamma lamp, category: lamps, price: $20.00}
records:
  box: {b1: {count: 3, price: 12.34}, b2: {count: 5, price: 1.00}}
---
kind: cohort
name: cases
extends: business
store: desk
cases: {split: regression}
---
kind: suite
name: cases
seed: 3
cohorts: [cases]
rubrics: {cases: business}
"""


@dataclass(frozen=True)
class Way:
    """What an agent does in a case, and what must be found: success, the score of each group, and what the reasons say."""

    does: list[Turn]
    success: bool
    scores: dict[str, float]
    reason: str = ""


@dataclass(frozen=True)
class Case:
    """What a case expects, how many messages it has, and ways to play it; the first is right."""

    expect: str
    ways: list[Way]
    turns: int = 1
    more: str = ""


def calls(score: float, ok: bool, reason: str, *does: Any) -> Way:
    """A way of one turn in a case that expects calls only."""
    return Way([list(does)], ok, {"calls": score}, reason)


def answer(score: float, ok: bool, reason: str, *says: str) -> Way:
    """A way in a case that expects an answer only, a text a turn."""
    return Way([[s] for s in says], ok, {"answer": score}, reason)


def state(score: float, ok: bool, reason: str, *does: Any) -> Way:
    """A way of one turn in a case whose success is its state; what is found of the calls is another case's."""
    return Way([list(does)], ok, {"state": score}, reason)


L1: Any = ["look", {"id": "b1"}]
L2: Any = ["look", {"id": "b2"}]
Q1: Any = ["quote", {"id": "b1"}]
N1: Any = ["note", {"id": "b1", "note": "x"}]
N2: Any = ["note", {"id": "b2", "note": "x"}]
C7: Any = ["count", {"id": "b1", "n": 7}]
ADD: Any = ["add", {"product_id": "A"}]
BUY: Any = ["buy", {}]
LOOK, NOTE = "{tool: look, args: {id: b1}}", "{tool: note, args: {id: b1, note: x}}"

CASES: dict[str, Case] = {
    # calls
    "every_call": Case(f"calls: {{all: [{LOOK}, {NOTE}]}}", [
        calls(1, True, "", N1, L1),
        calls(0.5, False, "`note` was never called", L1),
        calls(0.75, False, "`note` was called with note='y', and 'x' is expected", L1, ["note", {"id": "b1", "note": "y"}]),
        calls(0, False, "`look` was never called", "I did nothing."),
    ]),
    "one_call_twice": Case(f"calls: [{LOOK}, {LOOK}]", [
        calls(1, True, "", L1, L1),
        calls(0.5, False, "`look` was never called again", L1),
        calls(0.75, False, "`look` was called with id='b2', and 'b1' is expected", L2, L1),
    ]),
    "a_call_by_its_name": Case("calls: [tags]", [
        calls(1, True, "", ["tags", {"names": ["any"]}]), calls(0, False, "`tags` was never called", L1),
    ], more="reference: [{say: Done., calls: [{tool: tags, with: {names: '[\"a\"]'}}]}]"),
    "arguments_are_alike": Case(
        "calls: [{tool: tags, args: {names: [One Two, b], deep: {k: 5}}}, {tool: count, args: {id: b1, n: 7}}]", [
        calls(1, True, "", ["tags", {"names": [" one  TWO", "b"], "deep": {"k": 5}}], ["count", {"id": "b1", "n": 7.0}]),
        calls(0.75, False, "names=['b', 'One Two']", ["tags", {"names": ["b", "One Two"], "deep": {"k": 5}}], C7),
        calls(0.75, False, "without deep", ["tags", {"names": ["One Two", "b"]}], C7),
        calls(0.5, False, "n='7'", ["tags", {"names": ["One Two"], "deep": {"k": 5}}], ["count", {"id": "b1", "n": "7"}]),
    ]),
    "more_arguments_are_no_fault": Case("calls: [{tool: note, args: {id: b1}}]", [
        calls(1, True, "", ["note", {"id": "b1", "note": "whatever"}]), calls(0.5, False, "id='b2'", N2),
    ], more="reference: [{say: Done., calls: [{tool: note, with: {id: '\"b1\"', note: '\"x\"'}}]}]"),
    "in_order": Case(f"calls: {{in_order: [{LOOK}, {NOTE}, {{tool: quote, args: {{id: b1}}}}]}}", [
        calls(1, True, "", L1, L2, N1, Q1),
        calls(2 / 3, False, "`note` was called too early", N1, L1, Q1),
        calls(1 / 3, False, "`note` was never called; `quote` was never called", L1),
        calls(2 / 3, False, "`look` was called with id='b2', and 'b1' is expected", L2, N1, Q1),
    ]),
    "any_of_them": Case(f"calls: {{any: [{LOOK}, {{tool: quote, args: {{id: b1}}}}]}}", [
        calls(1, True, "", L1), calls(1, True, "", Q1), calls(0, False, "`look` was never called", N1),
        calls(0.5, False, "id='b2'", L2),
    ]),
    "at_least_two": Case(f"calls: {{at_least: {{n: 2, of: [{LOOK}, {NOTE}, {{tool: quote, args: {{id: b1}}}}]}}}}", [
        calls(1, True, "", L1, N1), calls(1, True, "", N1, Q1), calls(0.5, False, "`quote` was never called", L1),
        calls(0.75, False, "note='y'", Q1, ["note", {"id": "b1", "note": "y"}]),
    ]),
    "ignored_argument": Case("calls: [{tool: note, args: {id: b1, note: x}, ignore: [note]}]", [
        calls(1, True, "", ["note", {"id": "b1", "note": "other words"}]), calls(0.5, False, "id='b2'", N2),
    ]),
    "a_refusal_is_wanted": Case("calls: [{tool: buy, error: true}]", [
        calls(1, True, "", BUY),
        calls(0.5, False, "`buy` was expected to be refused, and was not", ADD, BUY),
        calls(0, False, "`buy` was never called", ADD),
    ]),
    "a_refusal_is_not_wanted": Case("calls: [{tool: add, args: {product_id: A}}, buy]", [
        calls(1, True, "", ADD, BUY),
        calls(0.75, False, "`buy` was refused: The cart is empty.", BUY, ADD),
        calls(1, True, "", BUY, ADD, BUY),
    ]),
    "never": Case(f"calls: {{all: [{LOOK}], never: [{{tool: note, args: {{id: b2}}}}, count]}}", [
        calls(1, True, "", L1),
        Way([[L1, N1]], False, {"calls": 1, "unasked": 0}, "box b1 has changed, and no listed call does that"),
        calls(0.5, False, "`note` was called in turn 1, and never should be", L1, N2),
        calls(0.5, False, "`count` was called in turn 1, and never should be", L1, ["count", {"id": "nope", "n": 1}]),
    ]),
    "anything": Case(f"calls: [{LOOK}]\n  state: anything", [
        calls(1, True, "", L1, N1),
        calls(0, False, "`look` was never called", N1),
    ]),
    "only": Case(f"calls: {{all: [{LOOK}], only: [look, quote]}}", [
        calls(1, True, "", L1, Q1, L2),
        calls(0.75, False, "`note` was called; allowed are look, quote", L1, N1),
        calls((1 + 1 / 3) / 2, False, "`note` was called", L1, N1, N2),
        calls(0.75, False, "`nosuch` was called", L1, ["nosuch", {}]),
    ]),
    "at_most": Case(f"calls: {{all: [{LOOK}], at_most: 2}}", [
        calls(1, True, "", L1, L2),
        calls((1 + 2 / 3) / 2, False, "3 calls were made, and 2 are allowed", L1, L2, Q1),
    ]),
    "a_condition_on_calls": Case(f"calls: [{LOOK}, {{that: 'count(c for c in calls if c.tool == \"look\") == 1'}}]", [
        calls(1, True, "", L1, Q1),
        calls(0.5, False, 'count(c for c in calls if c.tool == "look") == 1` does not hold', L1, L1),
    ]),
    "weights": Case("calls: [{tool: look, args: {id: b1}, weight: 3}, {tool: quote, args: {id: b1}, weight: .5}, {tool: note, args: {id: b1, note: x}}]", [
        calls(1, True, "", L1, Q1, N1),
        calls(3 / 4.5, False, "`quote` was never called; `note` was never called", L1),
        calls(1.5 / 4.5, False, "`look` was never called", Q1, N1),
        calls((1.5 + 0.5 + 1) / 4.5, False, "id='b2'", L2, Q1, N1),
    ]),
    "bonus": Case(f"calls: [{LOOK}, {{tool: quote, args: {{id: b1}}, bonus: true, weight: .25}}]", [
        calls(1, True, "", L1, Q1),
        calls(1, True, "", L1),
        calls(0.25, False, "`look` was never called", Q1),
        calls(0.75, False, "id='b2'", L2, Q1),
    ]),
    "why": Case("calls: [{tool: look, args: {id: b1}, why: Look before you leap.}]", [
        calls(1, True, "", L1), calls(0, False, "Look before you leap.", Q1),
    ]),
    # answers
    "money": Case("answer: {money: $12.34}", [
        answer(1, True, "", "It costs $12.34 today."),
        answer(0, False, "no $12.34; it quotes $12.35", "It costs $12.35."),
        answer(0, False, '"$12.34" stands there, negated', "It is not $12.34."),
        answer(0, False, "no $12.34; it quotes no sum of money", "I cannot say."),
    ]),
    "money_computed": Case("answer: {money: alpha.price * 2 + $0.50}", [
        answer(1, True, "", "Two of them and the fee: 20.50 dollars."), answer(0, False, "no $20.50; it quotes $20.00",
            "It is $20.00."),
    ]),
    "quantity": Case("answer: {quantity: 3 kg}", [
        answer(1, True, "", "It weighs 3,000 g."), answer(0, False, "no 3 kg; it quotes 4 kg", "It weighs 4 kg."), answer(0,
            False, "no 3 kg", "It is 3."),
    ]),
    "says": Case("answer: {says: ready}", [
        answer(1, True, "", "Your lamp is READY, madam."),
        answer(0, False, '"ready" stands there, negated', "It is not ready."),
        answer(0, False, 'it says nothing of "ready"', "It is already on its way."),
        answer(0, False, "but only asked for", "Is it ready?"),
    ]),
    "place": Case("answer: {place: Oslo}", [
        answer(1, True, "", "It is in Oslo."), answer(0, False, "Oslo", "It is in Bergen."), answer(0, False, "Oslo",
            "It is not in Oslo."),
    ]),
    "choice": Case("answer: {choice: alpha, of: [alpha, beta, gamma]}", [
        answer(1, True, "", "Take the Alpha lamp, not the Beta lamp."),
        answer(0, False, 'it names "Beta lamp" beside "Alpha lamp"', "Take the Alpha lamp or the Beta lamp."),
        answer(0, False, "Gamma lamp", "Take the Gamma lamp."),
        answer(0, False, "Alpha lamp", "Whatever you like."),
    ]),
    "a_choice_of_several_right": Case("answer: {choice: dearest, of: [alpha, beta, gamma]}", [
        answer(1, True, "", "Take the Beta lamp."), answer(1, True, "", "Take the Gamma lamp."), answer(0, False, "",
            "Take the Alpha lamp."),
    ], more="solve: {dearest: {among: products, most: p.price, ties: accept}}"),
    "none_of_them": Case(f"calls: [{LOOK}]\n  answer: {{none: [alpha, beta]}}", [
        Way([[L1, "I can recommend nothing, and not the Alpha lamp."]], True, {"calls": 1, "answer": 1}),
        Way([[L1, "Take the Beta lamp."]], False, {"calls": 1, "answer": 0}, '"Beta lamp" stands there, and should not'),
        Way([[L1, ""]], False, {"calls": 1, "answer": 0}, "it says nothing"),
        Way([["Nothing fits."]], False, {"calls": 0, "answer": 1}, "`look` was never called"),
    ]),
    "overlap": Case("answer: {overlap: [alpha, beta], among: [alpha, beta, gamma], least: .6}", [
        answer(1, True, "", "Alpha lamp and Beta lamp."),
        answer(2 / 3, True, "", "Only the Alpha lamp."),
        answer(0.5, False, "1 of 2 are named, and 1 that are not wanted", "Alpha lamp and Gamma lamp."),
        answer(0, False, "0 of 2 are named, and 1 that are not wanted", "Gamma lamp."),
    ]),
    "grounded": Case("calls: [{tool: quote, args: {id: b1}}]\n  answer: {grounded: {money: $12.34}, in: [quote]}", [
        Way([[Q1, "It is $12.34."], ["Yes."]], True, {"calls": 1, "answer": 1}),
        Way([["It is $12.34."], [Q1, "As I said."]], False, {"calls": 1, "answer": 0.5},
            "$12.34 is said, and no result of quote before it shows that"),
        Way([[L1, "It is $12.34."], ["Yes."]], False, {"calls": 0, "answer": 0.5}, "no result of quote before it shows that"),
        Way([[Q1, "It is cheap."], ["Yes."]], False, {"calls": 1, "answer": 0}, "no $12.34"),
    ], turns=2),
    "grounded_in_a_turn": Case("calls: [{tool: quote, args: {id: b1}}]\n  answer: {grounded: {money: $12.34}, in: [quote], turn: 1}", [
        Way([[Q1, "It is $12.34."], ["Yes."]], True, {"calls": 1, "answer": 1}),
        Way([[Q1, "One moment."], ["It is $12.34."]], False, {"calls": 1, "answer": 0}, "no $12.34"),
    ], turns=2),
    "an_order_and_a_call": Case(f"calls: {{all: [{{in_order: [{LOOK}, {NOTE}]}}, {{tool: tags, args: {{names: [a]}}}}]}}", [
        calls(1, True, "", L1, N1, ["tags", {"names": ["a"]}]),
        calls(1, True, "", L1, ["tags", {"names": ["a"]}], N1),
        calls(0.75, False, "`note` was called too early", N1, L1, ["tags", {"names": ["a"]}]),
    ]),
    "grounded_words": Case("calls: [{tool: quote, args: {id: b1}}]\n  answer: {grounded: {says: fully booked}, in: [quote]}", [
        Way([[Q1, "We are fully booked."]], True, {"calls": 1, "answer": 1}),
        Way([["We are fully booked."]], False, {"calls": 0, "answer": 0.5},
            "fully booked is said, and no result of quote before it shows that"),
        Way([[["quote", {"id": "nope"}], "We are fully booked."]], False, {"calls": 0.5, "answer": 0.5}, "no result of quote"),
    ]),
    "never_before": Case(
        "calls: [{tool: note, args: {id: b1, note: x}}]\n  answer: {never_before: {claim: [it is cancelled], observed: {tool: note, args: {id: b1}}}}", [
        Way([[N1, "It is cancelled."], ["Yes, it is cancelled."]], True, {"calls": 1, "answer": 1}),
        Way([["It is cancelled."], [N1, "It is cancelled."]], False, {"calls": 1, "answer": 0},
            "in turn 1 it says so before `note`"),
        Way([[N2, "It is cancelled."], [N1, "Done."]], False, {"calls": 1, "answer": 0}, "in turn 1 it says so before `note`"),
        Way([["Nothing yet."], ["It is not cancelled."]], False, {"calls": 0, "answer": 1}, "`note` was never called"),
    ], turns=2),
    "artefact": Case("answer: {artefact: {total: 5, items.0.id: x}}", [
        answer(1, True, "", 'Here: {"total": 5.0, "items": [{"id": "x", "n": 1}], "more": true} Bye.'),
        answer(0.5, False, "no JSON object has items.0.id = 'x'", '{"items": []} {"total": 5}'),
        answer(0.5, False, "no JSON object has total = 5", '{"total": "5", "items": [{"id": "x"}]}'),
        answer(0, False, "no JSON object has", "total: 5, items: x {broken"),
    ]),
    "amounts_that_must_not_be_said": Case("answer: [{says: sure}, {none: [$30, gift card]}]", [
        answer(1, True, "", "Sure. It is not $30, and it is not 300 dollars."),
        answer(0.5, False, '"$30.00" stands there, and should not', "Sure. You save another $30."),
        answer(0.5, False, '"$30.00" stands there, and should not', "Sure, that is 30 dollars off."),
        answer(0.5, False, '"gift card" stands there, and should not', "Sure. Take a gift card."),
    ]),
    "guesses": Case("answer: [{money: $30}, {quantity: 17 days}]", [
        answer(1, True, "", "It is $30, and takes 17 days."),
        answer(0, False, "different amounts, and so none", " ".join(map(str, range(1, 300)))),
        answer(0.5, False, "different numbers, and so none", "It is $30 in " + ", ".join(f"{n} days" for n in range(1, 60))),
    ]),
    "numbers_of_any_size": Case("answer: {artefact: {total: 5, items.0.id: x}}", [
        answer(1, True, "", '{"total": 5.0, "items": [{"id": "x"}]}'),
        answer(0.5, False, "no JSON object has total = 5", '{"total": 1' + "0" * 400 + ', "items": [{"id": "x"}]}'),
    ]),
    "a_condition_on_answers": Case("answer: {that: 'contains(answer, \"certainly\")'}", [
        answer(1, True, "", "Certainly."), answer(0, False, 'contains(answer, "certainly")` does not hold', "No."),
    ], more="reference: [{say: Certainly.}]"),
    "in_a_turn": Case("answer: [{says: one, turn: 1}, {says: two, turn: 2}, {says: three, turn: last}]", [
        answer(1, True, "", "One.", "Two.", "Three."),
        answer(1 / 3, False, 'it says nothing of "one"', "Two.", "One.", "Three."),
        answer(2 / 3, False, 'it says nothing of "three"', "One and three.", "Two and three.", "Bye."),
    ], turns=3),
    "any_turn": Case("answer: {says: one}", [answer(1, True, "", "Hm.", "One."), answer(0, False, "one", "Hm.", "Hm.")], turns=2),
    "any_answer": Case("answer: {any: [{says: red}, {all: [{says: blue}, {says: green}]}]}", [
        answer(1, True, "", "Red."), answer(1, True, "", "Blue and green."), answer(0.5, False, 'it says nothing of "green"',
            "Blue."),
    ]),
    # states
    "unchanged": Case(f"calls: [{LOOK}]\n  state: unchanged", [
        state(1, True, "", L1),
        state((1 + 1 / 2) / 2, False, "box b1 has changed, and should not", L1, N1),  # the cart, the other half, is as it was
        state((1 + 1 / 3) / 2, False, "box b2 has changed, and should not", L1, N1, N2),
        state(1, True, "", L1, ["count", {"id": "b1", "n": 3}]),
    ], more="success: state and calls"),
    "records": Case(f"calls: [{{tool: count, args: {{id: b1, n: 7}}}}, {NOTE}]\n  state: {{records: {{box: {{b1: {{count: 7, note: x}}}}}}}}", [
        state(1, True, "", N1, C7),
        state(0.5, False, "`note` of box b1 is none, and 'x' is expected", C7),
        state(2 / 3, False, "box b2 has changed, and should not", N1, C7, N2),
        state(0, False, "`count` of box b1 is 3, and 7 is expected", "No."),
    ], more="success: state"),
    "another_field": Case("calls: [{tool: count, args: {id: b1, n: 7}}]\n  state: {records: {box: {b1: {count: 7}}}}", [
        state(1, True, "", C7),
        state(0.5, False, "`note` of box b1 has changed, and should not", C7, N1),
        state(0, False, "`note` of box b1 has changed, and should not", N1),
    ], more="success: state"),
    "same_as_calls": Case("calls: [{tool: count, args: {id: b1, n: 7}}]\n  state: {same_as: calls}", [
        state(1, True, "", ["count", {"id": "b1", "n": 5}], C7),
        state(0, False, "`count` of box b1 is 3, and 7 is expected", L1),
        state(0.5, False, "box b2 has changed, and should not", C7, N2),
        state(0, False, "`count` of box b1 is 8, and 7 is expected", ["count", {"id": "b1", "n": 8}]),
    ], more="success: state"),
    "cart": Case("calls: [{tool: add, args: {product_id: A, quantity: 2}}]\n  state: {cart: {alpha: 2}}", [
        state(1, True, "", ADD, ADD),
        state(2 / 3, False, "the cart holds 1 of Alpha lamp, and 2 of Alpha lamp is expected", ADD),
        state(0, False, "the cart holds nothing", L1),
        state(4 / 5, False, "1 of Beta lamp", ADD, ADD, ["add", {"product_id": "B"}]),
    ], more="success: state"),
    "an_order": Case("calls: [{tool: add, args: {product_id: A}}, buy]\n  state: {order: placed, cart: {alpha: 1}}", [
        state(1, True, "", ADD, BUY), state(0.5, False, "no order was placed", ADD), state(0, False, "no order was placed", BUY),
    ], more="success: state"),
    "no_order": Case("calls: [{tool: add, args: {product_id: A}}]\n  state: {order: none, cart: {alpha: 1}}", [
        state(1, True, "", ADD), state(0.5, False, "an order was placed, and should not be", ADD, BUY),
    ], more="success: state and calls"),
    "a_condition_on_the_end": Case("calls: [{tool: add, args: {product_id: A}}]\n  state: {that: size(final.cart) == 1 and final.order == none}", [
        state(1, True, "", ADD), state(0, False, "does not hold", ADD, BUY), state(0, False, "does not hold", L1),
    ], more="success: state"),
    # rules of success
    "either": Case(f"calls: [{LOOK}]\n  answer: {{says: ready}}", [
        Way([[L1, "Ready."]], True, {"calls": 1, "answer": 1}), Way([[L1, "No."]], True, {"calls": 1, "answer": 0}),
        Way([["Ready."]], True, {"calls": 0, "answer": 1}), Way([["No."]], False, {"calls": 0, "answer": 0}),
    ], more="success: calls or answer"),
    "both": Case(f"calls: [{LOOK}]\n  answer: {{says: ready}}", [
        Way([[L1, "Ready."]], True, {"calls": 1, "answer": 1}), Way([[L1, "No."]], False, {"calls": 1, "answer": 0}),
        Way([["Ready."]], False, {"calls": 0, "answer": 1}), Way([[["look", {"id": "b2"}], "Ready."]], False, {"calls": 0.5,
            "answer": 1}),
    ]),
    "one_group": Case(f"calls: [{LOOK}]\n  answer: {{says: ready}}", [
        Way([[L1, "Ready."]], True, {"calls": 1, "answer": 1}), Way([["Ready."]], True, {"calls": 0, "answer": 1}),
        Way([[L1, "No."]], False, {"calls": 1, "answer": 0}),
    ], more="success: answer"),
}  # fmt: skip
LONG = "lorem ipsum " * 1_666
"""Nearly as much as one message may hold."""
HARD: dict[str, Case] = {
    "the_loose_beside_the_strict": Case("calls: [{tool: note, args: {id: b1}}, {tool: note, args: {id: b1, note: x}}]", [
        calls(1, True, "", N1, ["note", {"id": "b1", "note": "y"}]), calls(1, True, "", ["note", {"id": "b1", "note": "y"}], N1),
        calls(0.5, False, "`note` was never called again", N1),
    ], more="reference: [{say: Done., calls: [{tool: note, with: {id: '\"b1\"', note: '\"x\"'}}, {tool: note, with: {id: '\"b1\"', note: '\"y\"'}}]}]"),
    "any_takes_only_what_it_needs": Case(f"calls: [{{any: [{LOOK}, {{tool: quote, args: {{id: b1}}}}]}}, {{tool: quote, args: {{id: b1}}}}]", [
        calls(1, True, "", L1, Q1), calls(1, True, "", Q1, Q1), calls(0.5, False, "`quote` was never called", L1),
    ]),
    "at_least_takes_only_what_it_needs": Case(
        f"calls: [{{at_least: {{n: 1, of: [{LOOK}, {NOTE}]}}}}, {NOTE}]", [
        calls(1, True, "", L1, N1), calls(1, True, "", N1, N1), calls(0.5, False, "`note` was never called", L1),
    ]),
    "a_refusal_in_order": Case("calls: {in_order: [{tool: buy, error: true}, {tool: add, args: {product_id: A}}, buy]}", [
        calls(1, True, "", BUY, ADD, BUY), calls(2 / 3, False, "buy", ADD, BUY), calls(1 / 3, False, "buy", ADD),
    ]),
    "computed_arguments": Case("calls: [{tool: add, with: {product_id: dearest.id, quantity: 1 + 1}}]", [
        calls(1, True, "", ["add", {"product_id": "B", "quantity": 2}]), calls(0.5, False, "product_id='A'", ["add",
            {"product_id": "A", "quantity": 2}]),
    ], more='solve: {dearest: "first(p for p in products if p.price == $20.00)"}'),
    "a_long_message_hides_no_answer": Case("answer: {says: ready}", [
        answer(1, True, "", LONG, LONG, "It is ready."), answer(0, False, "ready", LONG, LONG, "It is not ready."),
    ], turns=3),
    "a_long_message_hides_no_fault": Case(f"calls: [{LOOK}]\n  answer: {{none: [alpha]}}", [
        Way([[L1, "Nothing fits."], ["Bye."], ["Bye."]], True, {"calls": 1, "answer": 1}),
        Way([[L1, LONG], [LONG], ["Take the Alpha lamp."]], False, {"calls": 1, "answer": 0},
            '"Alpha lamp" stands there, and should not'),
    ], turns=3),
    "a_new_record": Case("calls: [{tool: make, args: {id: b9}}]\n  state: {records: {box: {b9: {count: 1, price: 2.00}}}}", [
        state(1, True, "", ["make", {"id": "b9"}]), state(0, False, "there is no box b9", L1),
    ], more="success: state"),
    "a_search_before_a_change": Case("calls: [{tool: find, args: {query: alpha}}, {tool: count, args: {id: b1, n: 7}}]\n  state: {same_as: calls}", [
        Way([[["find", {"query": "alpha"}], C7]], True, {"calls": 1, "state": 1}), Way([[C7]], False, {"calls": 0.5, "state": 1},
            "`find` was never called"),
        Way([[["find", {"query": "Alpha"}]]], False, {"calls": 0.5, "state": 0}, "`count` of box b1 is 3, and 7 is expected"),
    ]),
    "a_new_conversation_follows": Case("calls: [{tool: count, args: {id: b1, n: 7}}]\n  state: {records: {box: {b1: {count: 7}}}}", [
        Way([[C7, "Done."]], True, {"calls": 1, "state": 1}), Way([["No."]], False, {"calls": 0, "state": 0},
            "`count` was never called"),
    ], more="twin: {utterances: [How are you?], new_conversation: true}"),
    "the_same_conversation_goes_on": Case("calls: [{tool: count, args: {id: b1, n: 7}}]\n  state: {records: {box: {b1: {count: 7}}}}", [
        Way([[C7, "Done."]], True, {"calls": 1, "state": 1}), Way([["No."]], False, {"calls": 0, "state": 0},
            "`count` was never called"),
    ], more="twin: {utterances: [How are you?]}"),
    "a_state_of_its_own": Case("calls: [{tool: note, args: {id: own, note: x}}]\n  state: {records: {box: {own: {note: x}}}, cart: {beta: 2}}", [
        state(1, True, "", ["note", {"id": "own", "note": "x"}]),
        state(0.5, False, "`note` of box own is none, and 'x' is expected", L1),
        state((1 + 4 / 5) / 2, False, "the cart holds", ["note", {"id": "own", "note": "x"}], ADD),
        state((1 / 2 + 1) / 2, False, "box b1 has changed, and should not", ["note", {"id": "own", "note": "x"}], N1),
    ], more="success: state\ninitial_state: {records: {box: {own: {count: 1, price: 1.00}, b2: {note: before}}}, cart: {beta: 2}}"),
}  # fmt: skip
"""Where a simple look is not enough."""
COUNTED = {"one_group": {"answer"}} | {
    n: {"state"} for n, c in (CASES | HARD).items() if c.more.startswith("success: state") and " and " not in c.more
}
"""The groups that success counts, where it is not all of them."""


def spec(name: str, case: Case) -> str:
    said = ", ".join([name, *["And?"] * (case.turns - 1)])
    return f"kind: case\nname: {name}\nutterances: [{said}]\nexpect:\n  {case.expect}\n{case.more}\n"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    scripts: Scripts = {name: [way.does for way in case.ways] for name, case in CASES.items()}
    specs = "---\n".join([SHOP, *(spec(n, c) for n, c in CASES.items())])
    made = stage(tmp_path_factory.mktemp("expectations") / "desk", "desk", specs, scripts)
    compile_to(made.folder, made.folder / "plan.jsonl")  # without proofs: those are a test of their own
    return made


def test_every_case_is_proved(desk: Stage) -> None:
    """What is expected can be done, doing nothing does not pass, and single mistakes are noticed."""
    done = run("compile", "--package", desk.folder, "-o", desk.folder / "proved.plan.jsonl")
    wrong = [line for line in done.output.splitlines() if line.startswith("error")]
    assert wrong == []
    assert done.exit_code == 0


def test_a_reference_may_give_arguments_as_they_are(tmp_path: Path) -> None:
    """`args` beside `with`, as in what is expected."""
    case = Case("calls: [tags]", [], more="reference: [{say: Done., calls: [{tool: tags, args: {names: [a]}}]}]")
    done = stage(tmp_path, "desk", "---\n".join([SHOP, spec("one", case)]), {}).compile()
    assert done.exit_code == 0, done.output


def test_no_bonus_has_to_be_earned(tmp_path: Path) -> None:
    """A case with a bonus notices all mistakes that it should notice; what a bonus is for may be left out."""
    case = Case(
        f"calls: [{LOOK}, {{tool: quote, args: {{id: b1}}, bonus: true}}]\n  answer: [{{says: ready}}, {{says: friend, bonus: true}}]",
        [],
    )
    done = stage(tmp_path, "desk", "---\n".join([SHOP, spec("one", case)]), {}).compile()
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="module")
def runs(desk: Stage) -> list[Path]:
    """A run of each agent: of its number is the way that it goes."""
    return [desk.play(f"agent_{n}") for n in range(4)]


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """The hard cases, in a package of their own."""
    scripts: Scripts = {name: [way.does for way in case.ways] for name, case in HARD.items()}
    specs = "---\n".join([SHOP, *(spec(n, c) for n, c in HARD.items())])
    made = stage(tmp_path_factory.mktemp("hard") / "hard", "hard", specs, scripts)
    compile_to(made.folder, made.folder / "plan.jsonl")
    return made


@pytest.fixture(scope="module")
def hard_runs(hard: Stage) -> list[Path]:
    return [hard.play(f"agent_{n}") for n in range(4)]


@pytest.mark.parametrize(("name", "number"), [(n, i) for n, c in HARD.items() for i in range(len(c.ways))])
def test_hard_cases_are_judged_right(hard: Stage, hard_runs: list[Path], name: str, number: int) -> None:
    judged(found(hard, hard_runs, name, number), HARD[name].ways[number])


def test_hard_cases_are_proved(hard: Stage) -> None:
    done = run("compile", "--package", hard.folder, "-o", hard.folder / "proved.plan.jsonl")
    assert [line for line in done.output.splitlines() if line.startswith("error")] == []
    assert done.exit_code == 0


def test_the_oracle_plays_hard_cases_right(hard: Stage) -> None:
    folder = hard.play("oracle")
    done = {name: verdict_of(folder, trial) for name, trial in hard.trials().items()}
    assert {n: [r for g in v.groups for r in g.reasons] for n, v in done.items() if not v.success} == {}


def test_scores_are_the_same_in_a_process_that_played_nothing(hard: Stage, hard_runs: list[Path]) -> None:
    """What a case finds must not depend on a search index that only a run has."""
    command = [sys.executable, "-m", "shopdsl.cli", "score", str(hard_runs[0]), "--format", "json", "--package", str(hard.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert json.loads(done.stdout)["cohorts"]["cases"]["metrics"]["task_success"]["unscored"] == 0
    assert "could not be told" not in done.stderr


def found(desk: Stage, runs: list[Path], case: str, way: int) -> Verdict:
    return verdict_of(runs[way], desk.trials()[case])


def judged(verdict: Verdict, way: Way) -> None:
    """Success, the score of each group, and the reason are what they must be."""
    groups = {g.name: g for g in verdict.groups}
    assert verdict.success is way.success, [g.reasons for g in verdict.groups]
    assert {n: groups[n].score for n in way.scores} == pytest.approx(way.scores), [g.reasons for g in verdict.groups]
    assert way.reason in "; ".join(r for g in verdict.groups for r in g.reasons)
    if not way.success:
        assert verdict.reasons or any(g.reasons for g in verdict.groups), "what is missed is said"


WAYS = [(name, number) for name, case in CASES.items() for number in range(len(case.ways))]


@pytest.mark.parametrize(("name", "number"), WAYS)
def test_what_an_agent_does_is_found(desk: Stage, runs: list[Path], name: str, number: int) -> None:
    judged(found(desk, runs, name, number), CASES[name].ways[number])


@pytest.mark.parametrize("name", CASES)
def test_a_right_agent_has_full_marks_and_no_reasons(desk: Stage, runs: list[Path], name: str) -> None:
    verdict = found(desk, runs, name, 0)
    assert [(g.score, g.ok, g.reasons) for g in verdict.groups if g.counted] == [(1, True, [])] * sum(
        g.counted for g in verdict.groups
    )
    assert {g.name for g in verdict.groups if g.counted} == COUNTED.get(name, {g.name for g in verdict.groups})
    assert all(c.reason == "" for c in verdict.checks if c.ok)


def test_scores_are_the_means_over_cases(desk: Stage, runs: list[Path]) -> None:
    """`task_success` of every run, and in each trial `partial_credit`: the mean over the groups that success counts."""
    for number, folder in enumerate(runs):
        taken = {n: c.ways[number if number < len(c.ways) else 0] for n, c in CASES.items()}
        done = run("score", folder, "--format", "json", "--package", desk.folder)
        assert done.exit_code == 0, done.output
        metric = json.loads(done.stdout)["cohorts"]["cases"]["metrics"]["task_success"]
        assert metric["n"] == len(CASES)
        assert metric["value"] == pytest.approx(sum(w.success for w in taken.values()) / len(CASES))
        trials = looks(folder)
        for name, way in taken.items():
            if CASES[name].more != "success: state and calls":
                scores = [s for g, s in way.scores.items() if g in COUNTED.get(name, set(way.scores))]
                look = trials[desk.trials()[name]]
                assert look.values["partial_credit"] == pytest.approx(sum(scores) / len(scores)), name
                assert look.values["task_success"] == way.success, name


def test_the_oracle_plays_every_case_right(desk: Stage) -> None:
    folder = desk.play("oracle")
    done = run("score", folder, "--format", "json", "--package", desk.folder)
    metrics = json.loads(done.stdout)["cohorts"]["cases"]["metrics"]
    assert (metrics["task_success"]["value"], metrics["partial_credit"]["value"]) == (1, 1)


def test_a_silent_agent_earns_nothing(desk: Stage) -> None:
    """What it left alone, as cases with `never` or `unchanged` want it, is no merit."""
    folder = desk.play("silent")
    done = run("score", folder, "--format", "json", "--package", desk.folder)
    metrics = json.loads(done.stdout)["cohorts"]["cases"]["metrics"]
    assert (metrics["task_success"]["value"], metrics["partial_credit"]["value"]) == (0, 0)


def test_a_trial_shows_what_its_case_found(desk: Stage, runs: list[Path]) -> None:
    by_id = run("show", runs[1], desk.trials()["every_call"], "--package", desk.folder)
    by_name = run("show", runs[1], "every_call", "--package", desk.folder)
    assert (by_id.exit_code, by_name.exit_code) == (0, 0), by_id.output
    assert "`note` was never called" in by_id.output
    assert by_name.output == by_id.output


def test_a_case_is_played_by_its_name(desk: Stage) -> None:
    folder = desk.play("agent_0", "--trial", "every_call", "--trial", "one_call_twice", name="two")
    played = {json.loads(line)["trial"] for line in (folder / "records.jsonl").read_text("utf-8").splitlines()}
    assert played == {desk.trials()["every_call"], desk.trials()["one_call_twice"]}


def test_a_plan_shows_what_a_right_agent_does(desk: Stage) -> None:
    plan = desk.folder / "plan.jsonl"
    shown = run("show", plan, "every_call").output.splitlines()
    assert shown == run("show", plan, desk.trials()["every_call"]).output.splitlines()
    assert shown[2].startswith("case: ")
    assert "← specs.yaml:" in shown[2]
    calls = ['look {"id": "b1"}', 'note {"id": "b1", "note": "x"}']
    assert [line.split("> ")[1] for line in shown if "    > " in line] == calls
    missing = run("show", plan, "every_cal")
    assert missing.exit_code == 2
    assert "no trial and no case every_cal" in missing.output
