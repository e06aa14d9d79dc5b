"""A store: catalog, tools, search."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from shopdsl.dsl.catalog import Catalog, Category, Product
from shopdsl.dsl.entities import Entities, Tables
from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree
from shopdsl.dsl.values import Money, show
from shopdsl.runtime.shop.market import Market
from shopdsl.runtime.shop.search import Engine
from shopdsl.runtime.shop.state import State
from shopdsl.runtime.shop.titles import Titles
from shopdsl.runtime.shop.tools import Outcome, Tool, toolset


class Store:
    """What agents call. It holds no state of a trial; `engine` must be set before the first search."""

    def __init__(
        self, name: str, data: dict[str, Any], catalog: Catalog, records: dict[str, dict[str, Any]] | None = None
    ) -> None:
        self.name, self.data, self.catalog = name, data, catalog
        self.tables = Tables(data["toolset"].get("records", {}), records or {}, catalog.currency)
        self.tools: dict[str, Tool] = toolset(data["toolset"])
        self.engine: Engine | None = None
        self.today: str | None = None
        self.coupons: list[str] = []
        self.facts: dict[str, Any] = {}
        self.offers: dict[str, dict[str, list[Any]]] = data.get("offers", {})

    @property
    def categories(self) -> list[Category]:
        return self.catalog.categories

    @property
    def products(self) -> list[Product]:
        return self.catalog.products

    @cached_property
    def market(self) -> Market:
        """Its promotions, fees, policies and offers."""
        return Market(self.data, self.catalog.currency, self.today, self.offers)

    @cached_property
    def places(self) -> dict[Product, int]:
        """The row of every product in the search index."""
        return {p: i for i, p in enumerate(self.products)}

    @cached_property
    def titles(self) -> Titles:
        """Finds products by the titles that a text names."""
        return Titles(self.products)

    @cached_property
    def rows(self) -> dict[str, Any]:
        """The index rows of each category, as an array."""
        import numpy as np

        return {c.name: np.array([self.places[p] for p in c.products]) for c in self.categories}

    @cached_property
    def cents(self) -> Any:
        """The price of every index row in minor units, as an array."""
        import numpy as np

        return np.array([p.price.cents for p in self.products])

    def texts(self) -> list[str]:
        """The text of every product that search reads, in the order of the index."""
        run = compile_tree(self.data["search"]["text"])
        return [show(run(Env({"product": p}))) for p in self.products]

    def opening(self) -> State:
        """The state in which a trial begins."""
        return State(records=Entities(self.tables))

    def schemas(self) -> list[dict[str, Any]]:
        """The tools as an agent gets them."""
        return [tool.schema() for tool in self.tools.values()]

    def call(self, name: str, args: Any, state: State) -> Outcome:
        """Call a tool; raises search.Pending where a query has no vector yet."""
        tool = self.tools.get(name)
        if tool is None:
            return Outcome(error=f"There is no tool {name!r}; there are: {', '.join(self.tools)}.")
        return tool.call(args, state, self.catalog, self, self)

    def search(
        self, query: str, limit: int = 10, category: Category | None = None, price_max: float | None = None
    ) -> list[Product]:
        """The best matches of a query, in order."""
        cents = None if price_max is None else Money(price_max, self.catalog.currency).cents
        name = category.name if category is not None else None
        top = min(limit, self.data["search"]["limit"])
        return [product for _, product in self.ranked(query, top, name, cents)]

    def ranked(self, query: str, limit: int, category: str | None, cents: int | None) -> list[tuple[float, Product]]:
        """The best matches with their scores, of one category, up to a price in minor units."""
        assert self.engine is not None, "the store has no search engine yet"
        rows = self.rows[category] if category is not None else None
        if cents is not None:
            rows = self._affordable(rows, cents)
        return [(score, self.products[i]) for score, i in self.engine.ranked(query, limit, rows)]

    def _affordable(self, rows: Any, cents: int) -> Any:
        import numpy as np

        if rows is None:
            return np.flatnonzero(self.cents <= cents)
        return rows[self.cents[rows] <= cents]
