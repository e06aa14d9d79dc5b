"""The state of one trial's shop: a cart, an order once placed, and the records that the toolset declares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shopdsl.dsl.entities import Entities, Tables
from shopdsl.dsl.library.commerce import total
from shopdsl.dsl.values import Bag, Money


@dataclass(frozen=True)
class Order:
    """A placed order."""

    id: str
    lines: Bag
    total: Money | None


@dataclass(frozen=True)
class Before:
    """The state before a call."""

    cart: Bag
    order: Order | None
    records: dict[tuple[str, str], Any]


def no_records() -> Entities:
    """The records of a shop that has none."""
    return Entities(Tables({}, {}, ""))


@dataclass
class State:
    """What tools read and change; carts and records are replaced, never changed in place, so that a snapshot costs nothing."""

    cart: Bag = field(default_factory=Bag)
    order: Order | None = None
    records: Entities = field(default_factory=no_records)

    def now(self) -> Before:
        """What an event is compared with."""
        return Before(self.cart, self.order, self.records.changed)

    def begin(self) -> Before:
        """Begin a call; the result is what `restore` takes back to."""
        return Before(self.cart, self.order, self.records.begin())

    def restore(self, before: Before) -> None:
        """Undo all since `begin`."""
        self.cart, self.order = before.cart, before.order
        self.records.restore(before.records)

    def place(self) -> None:
        """Turn the cart into an order."""
        self.order = Order("O10001", self.cart, total(self.cart))
