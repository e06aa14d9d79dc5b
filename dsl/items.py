"""A wanted item, from its draw to the end of its trial."""

from __future__ import annotations

from typing import Any

from shopdsl.dsl.catalog import Hint, Product


class Item:
    """A wanted product: how many, what is said of it and what is held back, and when it came out (turns, from 1)."""

    __slots__ = ("asked_at", "due_at", "due_now", "index", "product", "quantity", "say", "told", "withheld")

    def __init__(self, index: int, product: Product, quantity: int, withheld: list[str]) -> None:
        self.index, self.product, self.quantity = index, product, quantity
        self.withheld = [h for h in product.hints if h.name in withheld]
        self.told = [h for h in product.hints if h.name not in withheld]
        self.say = ""
        self.asked_at: int | None = None
        self.due_at: int | None = None
        self.due_now = 0

    @property
    def category(self) -> Any:
        return self.product.category

    @property
    def hints(self) -> list[Hint]:
        return self.product.hints

    @property
    def id(self) -> str:
        return self.product.id
