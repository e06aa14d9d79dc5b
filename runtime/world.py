"""A plan as the runtime uses it: stores ready to be called, trials ready to be played."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from shopdsl.dsl.catalog import Catalog, Product, decode
from shopdsl.dsl.constants import constant
from shopdsl.dsl.entities import Entities
from shopdsl.dsl.items import Item
from shopdsl.dsl.plan import Plan, PlanError
from shopdsl.dsl.values import Bag, Row
from shopdsl.runtime.shop.faults import Faults
from shopdsl.runtime.shop.overlay import Overlay
from shopdsl.runtime.shop.state import State
from shopdsl.runtime.shop.store import Store

FIXED = "fixed"
"""What `reveal` is where the customer's texts are given."""
OWN = frozenset(["today", "coupons", "facts", "tools", "offers"])
"""What a case can have that its store has otherwise."""
NO_REVEAL: dict[str, Any] = {"guards": [], "limits": {"beats_per_message": 1, "adds_per_message": 1, "slack": 0, "stall": None}}
"""How wishes come out where none do: the customer's texts are given."""


@dataclass(frozen=True, eq=False)
class Trial:
    """One trial of a plan: its line (`data`), and what it refers to."""

    data: dict[str, Any]
    store: Store
    persona: Row
    beats: dict[str, Any]
    reveal: dict[str, Any]
    persona_values: dict[str, Any]
    case: dict[str, Any] | None = None

    @property
    def fixtures(self) -> dict[str, Product]:
        """The products that the trial brings along, by name."""
        return self.store.fixtures if isinstance(self.store, Overlay) else {}

    @cached_property
    def names(self) -> dict[str, Any]:
        """The products that expressions of its case can name."""
        by_id = self.store.catalog.by_id
        listed = {name: by_id[id] for name, id in self.store.data.get("products", {}).items() if id in by_id}
        return {**listed, **self.fixtures}

    def opening(self) -> State:
        """The state in which it begins: the store's, and what its case says is different."""
        state = self.store.opening()
        script = self.data.get("script", {})
        state.records = Entities(self.store.tables, {(r, k): data for r, k, data in script.get("records", ())})
        if "cart" in script:
            state.cart = Bag({self.names[name]: count for name, count in script["cart"].items()})
        return state

    def faults(self) -> Faults:
        """The faults that its tools meet: those of its case, then those of the store."""
        rules = [*self.data.get("script", {}).get("faults", ()), *self.store.data.get("faults", ())]
        return Faults(rules, self.data["seed"])

    @property
    def system(self) -> str:
        """What the agent is told before the first message."""
        briefing = self.data["script"]["briefing"] if "script" in self.data else ""
        return " ".join(t for t in (self.store.data["system"], briefing) if t)

    @property
    def id(self) -> str:
        return str(self.data["trial"])

    @property
    def itinerary(self) -> list[dict[str, Any]]:
        result: list[dict[str, Any]] = self.data["beats"]
        return result

    def items(self) -> list[Item]:
        """The wanted items, fresh: nothing has been asked for."""
        by_id = self.store.catalog.by_id
        return [Item(i, by_id[d["product"]], d["quantity"], d["withheld"]) for i, d in enumerate(self.data["items"])]


@dataclass
class World:
    """An opened plan with its stores."""

    plan: Plan
    _stores: dict[str, Store] = field(default_factory=dict)
    _seen: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    @property
    def header(self) -> dict[str, Any]:
        return self.plan.header

    @cached_property
    def catalogs(self) -> dict[str, Catalog]:
        gc.disable()  # ten thousand products are made, and all of them stay
        try:
            return {name: decode(data) for name, data in self.plan.catalogs.items()}
        finally:
            gc.freeze()
            gc.enable()

    def store(self, name: str) -> Store:
        """A store by its key in the header."""
        if name not in self._stores:
            with undamaged(self.plan):
                data = self.header["stores"][name]
                self._stores[name] = Store(
                    name.rpartition(".")[2], data, self.catalogs[data["catalog"]], self.plan.records.get(name)
                )
        return self._stores[name]

    def trials(self) -> Iterator[Trial]:
        """Every trial of the plan, in its order."""
        return (self.trial(data) for data in self.plan.trials())

    def trial(self, data: dict[str, Any]) -> Trial:
        """A trial line with what it refers to."""
        with undamaged(self.plan):
            return self._trial(data)

    def _trial(self, data: dict[str, Any]) -> Trial:
        cohort = self.header["cohorts"][data["cohort"]]
        values = self.header["personas"][cohort["persona"]]["dimensions"]
        package, store = cohort["package"], self.store(cohort["store"])
        script = data.get("script", {})
        if data.get("fixtures") or OWN & script.keys():
            store = Overlay(store, data.get("fixtures", {}), script)
        case = self.header["cases"][data["case"]] if "case" in data else None
        reveal = self._visible("reveals", package)[data["reveal"]] if data["reveal"] != FIXED else NO_REVEAL
        return Trial(data, store, persona_row(values, data["persona"]), self._visible("beats", package), reveal, values, case)

    def _visible(self, kind: str, package: str) -> dict[str, Any]:
        """The documents of a kind as a package sees them: one mapping for all trials, so that what is made of it can be kept."""
        if (kind, package) not in self._seen:
            self._seen[kind, package] = visible(self.header[kind], package)
        return self._seen[kind, package]


@contextmanager
def undamaged(plan: Plan) -> Iterator[None]:
    """Reading what the compiler wrote fails in these ways only where somebody else has written it: PlanError."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, ArithmeticError) as error:
        raise PlanError(f"{plan.path} was edited or damaged ({type(error).__name__}: {error}); compile it again") from None


def visible(documents: dict[str, Any], package: str) -> dict[str, Any]:
    """What unqualified names in a package mean: `std`'s documents, and its own over them."""
    std = {k.removeprefix("std."): v for k, v in documents.items() if k.startswith("std.")}
    return std | {k.partition(".")[2]: v for k, v in documents.items() if k.startswith(package + ".")}


def persona_row(dimensions: dict[str, Any], chosen: dict[str, str]) -> Row:
    """A persona as expressions see it."""
    rows = {}
    for name, value in chosen.items():
        fields = dimensions[name][value]["fields"]
        rows[name] = Row(value, {k: constant(v) for k, v in fields.items()})
    return Row("", rows)
