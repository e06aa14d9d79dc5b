"""A plan as the runtime uses it: stores ready to be called, trials ready to be played."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from shopdsl.dsl.catalog import Catalog, Product, decode
from shopdsl.dsl.items import Item
from shopdsl.dsl.plan import Plan, PlanError
from shopdsl.dsl.values import Money, Row
from shopdsl.runtime.shop.overlay import Overlay
from shopdsl.runtime.shop.store import Store

NO_REVEAL: dict[str, Any] = {"guards": [], "limits": {"beats_per_message": 1, "adds_per_message": 1, "slack": 0, "stall": None}}
"""How wishes come out where none do: the customer's texts are given."""


@dataclass(frozen=True)
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
                self._stores[name] = Store(name.rpartition(".")[2], data, self.catalogs[data["catalog"]])
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
        if data.get("fixtures"):
            store = Overlay(store, data["fixtures"])
        case = self.header["cases"][data["case"]] if "case" in data else None
        reveal = self._visible("reveals", package)[data["reveal"]] if case is None else NO_REVEAL
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


def constant(value: Any) -> Any:
    """A constant from its plan data (the inverse of `compiler/constants.encode`)."""
    match value:
        case {"n": text}:
            return float(text)
        case {"money": amount, "currency": currency}:
            return Money(amount, currency)
        case {"row": fields}:
            return Row("", {k: constant(v) for k, v in fields.items()})
        case {"map": entries}:
            return {constant(k): constant(v) for k, v in entries}
        case list():
            return [constant(v) for v in value]
    return value
