"""Finds the products that a text names."""

from __future__ import annotations

from shopdsl.dsl.catalog import Product
from shopdsl.dsl.library.texts import words


class Titles:
    """Finds the products whose whole title a text names."""

    def __init__(self, products: list[Product], under: Titles | None = None) -> None:
        self._under, self._own = under, {p.id for p in products}
        self._by_start: dict[tuple[str, ...], list[tuple[tuple[str, ...], Product]]] = {}
        for product in products:
            title = tuple(words(product.title))
            self._by_start.setdefault(title[:2], []).append((title, product))

    def named(self, text: str) -> list[Product]:
        """Products by the place of their title in the text; those of the titles beneath come last, unless they were replaced."""
        spoken = words(text)
        found: dict[Product, None] = {}
        for i in range(len(spoken)):
            for title, product in self._by_start.get(tuple(spoken[i : i + 2]), ()):
                if tuple(spoken[i : i + len(title)]) == title:
                    found[product] = None
        beneath = self._under.named(text) if self._under else []
        return list(found) + [p for p in beneath if p.id not in self._own]
