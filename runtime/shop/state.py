"""The state of one trial's shop: a cart and, once placed, an order."""

from __future__ import annotations

from dataclasses import dataclass, field

from shopdsl.dsl.library.commerce import total
from shopdsl.dsl.values import Bag, Money


@dataclass(frozen=True)
class Order:
    """A placed order."""

    id: str
    lines: Bag
    total: Money | None


@dataclass
class State:
    """What tools read and change; carts are replaced, never changed in place, so that a snapshot costs nothing."""

    cart: Bag = field(default_factory=Bag)
    order: Order | None = None

    def place(self) -> None:
        """Turn the cart into an order."""
        self.order = Order("O10001", self.cart, total(self.cart))
