"""Plays a spec test: its calls run against a real shop that holds just the test's products, and its metrics are computed on the record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from shopdsl.dsl.catalog import Catalog, Category, Hint, Product, decode
from shopdsl.dsl.values import SYMBOLS, Failed, Money, Row
from shopdsl.runtime.customer.controller import Controller, Program
from shopdsl.runtime.evidence import Reader, case_row, penalty_rows
from shopdsl.runtime.judges.asking import Asker
from shopdsl.runtime.judges.question import Judge
from shopdsl.runtime.judges.rules import Rules
from shopdsl.runtime.metric import MetricValue
from shopdsl.runtime.shop.overlay import Overlay
from shopdsl.runtime.shop.search import Lexical
from shopdsl.runtime.shop.state import State
from shopdsl.runtime.shop.store import Store
from shopdsl.runtime.trial import call_event, make_ledger
from shopdsl.runtime.world import NO_REVEAL, Trial, persona_row, visible

DIGITS = 4


@dataclass(frozen=True)
class Verdict:
    """One expectation of a test: what was expected and found, as text, whether they agree, and what the case of the test misses."""

    metric: str
    expected: str
    found: str
    passed: bool
    reasons: tuple[str, ...] = ()


def run_test(
    test: dict[str, Any], expect: dict[str, str | None], metrics: dict[str, Any], shared: dict[str, Any]
) -> list[Verdict]:
    """The verdicts of one test. `shared` has `toolset`, `beats`, `dimensions`, `package`, `cohort`, `judges`."""
    own = shared.get("trial")
    trial = _case_trial(test, shared, own) if own else _trial(test, shared)
    record = _record(test, trial)
    penalties = shared["toolset"]["penalties"] | test["penalties"]
    cases = {trial.data["case"]: test["case"]} if own else {}
    names = Reader({shared["cohort"]: penalty_rows(penalties)}, {}, cases).names(trial, record)
    names |= {} if own else _forbidden(test)
    asker = Asker({n: Judge(j) for n, j in shared["judges"].items()}, Rules(), names)
    missed = tuple(names["verdict"].get().reasons) if names["success"] is not None else ()
    return [
        replace(_verdict(name, wanted, MetricValue(metrics[name], "full"), names, asker), reasons=missed)
        for name, wanted in expect.items()
    ]


def _forbidden(test: dict[str, Any]) -> dict[str, Any]:
    """What a test says of its case, and of what was forbidden; no rule is asked."""
    return {
        "case": case_row(test["case"]),
        "forbidden": [Row(r, {"rule": r, "turn": 1, "at": 0}) for r in test["forbidden"]],
        "prohibitions": test["prohibitions"],
    }


def _verdict(name: str, wanted: str | None, metric: MetricValue, names: dict[str, Any], asker: Asker) -> Verdict:
    expected = "none" if wanted is None else _shown(float(wanted))
    try:
        value = metric.of(names, asker)
        found = "none" if value is None else _shown(value)
    except Failed as error:
        found = f"no value: {error}"
    return Verdict(name, expected, found, expected == found)


def _shown(value: float) -> str:
    return f"{value:.{DIGITS}f}".rstrip("0").rstrip(".")


def _trial(test: dict[str, Any], shared: dict[str, Any]) -> Trial:
    chosen = {d: test["persona"].get(d, next(iter(sorted(values)))) for d, values in shared["dimensions"].items()}
    beats = visible(shared["beats"], shared["package"])
    order = {name: i for i, name in enumerate(test["target"])}
    planned = [_beat(b, order, beats) for turn in test["turns"] for b in turn["beats"]]
    data = {
        "trial": f"{shared['cohort']}/0",
        "cohort": shared["cohort"],
        "seed": 0,
        "drawn": {"tier": test["tier"], "difficulty": test["difficulty"]},
        "items": [{"product": name, "quantity": n, "withheld": []} for name, n in test["target"].items()],
        "beats": planned,
        "persona": chosen,
        "reveal": test["reveal"],
        "turn_budget": test["turn_budget"],
    }
    store = Store(
        "test",
        {"toolset": shared["toolset"], "search": {"text": ["tmpl", []], "limit": 100}, "system": ""},
        _catalog(test["products"]),
    )
    store.engine = _Told(store)
    return Trial(data, store, persona_row(shared["dimensions"], chosen), beats, NO_REVEAL, shared["dimensions"])


def _case_trial(test: dict[str, Any], shared: dict[str, Any], own: dict[str, Any]) -> Trial:
    """The trial of a case as a run would play it; what is said and called is the test's."""
    data = own["trial"]
    base = Store("test", own["store"], decode(own["catalog"]), own["records"])
    base.engine = Lexical(base.texts())
    store = Overlay(base, data["fixtures"], data["script"])
    chosen = persona_row(shared["dimensions"], data["persona"])
    return Trial(data, store, chosen, visible(shared["beats"], shared["package"]), NO_REVEAL, shared["dimensions"], test["case"])


def _beat(beat: dict[str, Any], order: dict[str, int], kinds: dict[str, Any]) -> dict[str, Any]:
    items = [order[i] for i in beat["items"] if i in order]
    due = kinds.get(beat["kind"], {}).get("due") is not None
    return {"beat": beat["kind"], "items": items, "about": beat["about"], "to": beat["to"], "due": due, "guard": None}


def _catalog(products: dict[str, Any]) -> Catalog:
    categories: dict[str, Category] = {}
    for name, p in products.items():
        place = str(p.get("category", "test"))
        category = categories.setdefault(place, Category(place, place, 1.0, Money(1, "USD"), 1.0, []))
        price, budget = _money(p["price"]), _money(p.get("budget", p["price"]))
        attributes = {k: str(v) for k, v in p.get("attributes", {}).items()}
        title = str(p["title"])
        product = Product(
            name, title, str(p.get("description", "")), str(p.get("brand", "")), p.get("type", name), title, title, [], "", "",
            price, budget, int(p.get("stock", 100)), 4.0, 0, attributes, [], [], category,
        )  # fmt: skip
        product.hints = [Hint(product, k, k, v, v) for k, v in attributes.items()]
        category.products.append(product)
    made = list(categories.values())
    return Catalog("test", made[0].products[0].price.currency, made)


def _money(text: Any) -> Money:
    return Money(str(text)[1:].replace(",", ""), SYMBOLS[str(text)[0]])


class _Told:
    """A search that finds what the test says it found; nearness by words."""

    def __init__(self, store: Store) -> None:
        self._places = {p.id: i for i, p in enumerate(store.products)}
        self._words = Lexical([p.title for p in store.products])
        self.finds: list[str] | None = None
        self.near: float | None = None

    def ranked(self, query: str, limit: int, rows: Any = None) -> list[tuple[float, int]]:
        told = None if self.finds is None else [(0.0, self._places[i]) for i in self.finds]
        return self._words.ranked(query, limit, rows) if told is None else told[:limit]

    def score(self, query: str, text: str) -> float | None:
        return None

    def nearness(self, a: str, b: str) -> float:
        return self._words.nearness(a, b) if self.near is None else self.near


def _record(test: dict[str, Any], trial: Trial) -> dict[str, Any]:
    ledger = make_ledger(trial)
    controller = Controller(
        Program(trial.reveal, trial.beats), trial.itinerary, ledger.items, {"persona": trial.persona, "tier": "", "difficulty": 1}
    )
    events: list[dict[str, Any]] = []
    state, place = trial.opening(), 0
    for turn in test["turns"]:
        places = list(range(place, place + len(turn["beats"])))
        place += len(places)
        outcome = controller.outcome(places, None)
        events.append(
            {"type": "customer", "text": turn["customer"], "rationale": "", "frustration": turn["frustration"], "next_action": "",
             "stop": None, "beats": places, "directives": [], "gives": turn["gives"], "twin": turn["twin"], **outcome}
        )  # fmt: skip
        ledger.feed(events[-1])
        for call in turn["calls"]:
            events.append(_call(call, trial.store, state, ledger))
            ledger.feed(events[-1])
        if turn["agent"] is not None:
            events.append({"type": "agent", "text": turn["agent"]})
            ledger.feed(events[-1])
    return {
        "events": events,
        "says": [i.product.title for i in trial.items()],
        "end": {"reason": test["end"], "detail": ""},
    }


def _call(call: dict[str, Any], store: Store, state: State, ledger: Any) -> dict[str, Any]:
    if isinstance(store.engine, _Told):
        store.engine.finds, store.engine.near = call["finds"], float(call["near"]) if call["near"] is not None else None
    before = state.now()
    outcome = store.call(call["tool"], call["args"], state)
    return call_event({"id": None, "tool": call["tool"], "arguments": call["args"]}, outcome, state, before, store.engine, ledger)
