"""A store with the products that one trial brings along: in its catalog, its listings and its search, and in no other trial."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from shopdsl.dsl.catalog import Catalog, Category, Product, decode_whole
from shopdsl.dsl.constants import constant
from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree
from shopdsl.dsl.values import show
from shopdsl.runtime.shop.search import Engine
from shopdsl.runtime.shop.store import Store
from shopdsl.runtime.shop.titles import Titles


class Overlay(Store):
    """A store over another one; a product with a number that is there already takes the place of that product."""

    def __init__(self, base: Store, fixtures: dict[str, dict[str, Any]], script: dict[str, Any]) -> None:
        self.name, self.data, self.tools, self.tables = base.name, base.data, base.tools, base.tables
        self._base, self.today = base, script.get("today") or base.today
        self.coupons: list[str] = script.get("coupons", [])
        self.facts: dict[str, Any] = constant(script.get("facts", {}))
        if "tools" in script:
            self.tools = {name: base.tools[name] for name in script["tools"]}
        self.offers = base.offers | script.get("offers", {})
        self.fixtures = {name: self._made(data) for name, data in fixtures.items()}
        self.own = list(self.fixtures.values())
        self._hidden = {p.id for p in self.own}
        self.catalog = self._catalog()

    def _made(self, data: dict[str, Any]) -> Product:
        return decode_whole(data, self._base.catalog.by_name[data["category"]], self._base.catalog.currency)

    def _catalog(self) -> Catalog:
        base = self._base.catalog
        touched = {p.category.name for p in self.own}
        catalog = Catalog(base.name, base.currency, [self._category(c) if c.name in touched else c for c in base.categories])
        catalog.__dict__["by_id"] = base.by_id | {p.id: p for p in self.own}  # ten thousand others are as they were
        return catalog

    def _category(self, base: Category) -> Category:
        kept = [p for p in base.products if p.id not in self._hidden]
        category = replace(base, products=kept + [p for p in self.own if p.category is base])
        for product in category.products[len(kept) :]:
            product.category = category
        return category

    @property
    def engine(self) -> Engine | None:  # type: ignore[override]  # it is the base's, whenever that gets one
        return self._base.engine

    @cached_property
    def titles(self) -> Titles:
        return Titles(self.own, self._base.titles)

    def ranked(self, query: str, limit: int, category: str | None, cents: int | None) -> list[tuple[float, Product]]:
        found = self._base.ranked(query, limit + len(self.own), category, cents)
        fit = [p for p in self.own if category in (None, p.category.name) and (cents is None or p.price.cents <= cents)]
        scored = [(score, p) for p in fit if (score := self._score(query, p)) is not None]
        both = [(s, p) for s, p in found if p.id not in self._hidden] + scored
        return sorted(both, key=lambda entry: -entry[0])[:limit]

    def _score(self, query: str, product: Product) -> float | None:
        assert self.engine is not None
        text = compile_tree(self.data["search"]["text"])
        return self.engine.score(query, show(text(Env({"product": product}))))
