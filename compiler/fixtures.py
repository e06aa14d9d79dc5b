"""The products that a case brings along, made from its spec and the store's catalog."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from shopdsl.compiler.kinds.case import Fixture
from shopdsl.dsl.catalog import Catalog, Category, Hint, Product
from shopdsl.dsl.diagnostics import nearest
from shopdsl.dsl.values import SYMBOLS, Money


class FixtureFailed(Exception):
    """A fixture that cannot be made; `help` says how to mend it."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.help = help


def make_fixture(fixture: Fixture, catalog: Catalog, number: int, taken: set[str]) -> Product:
    """The product; one that extends a type takes the place of the first product of it that is in stock and not `taken`. Raises FixtureFailed."""
    given = {k: _field(k, v, catalog) for k, v in fixture.fields.items() if k != "category"}
    if fixture.extends is not None:
        return _replaced(_first(fixture.extends, catalog, taken), given)
    missing = [k for k in ("title", "price", "category") if k not in fixture.fields]
    if missing:
        raise FixtureFailed(f"the product `{fixture.name}` has no `{missing[0]}`", f"add `{missing[0]}:`, or `extends: TYPE`")
    return _fresh(fixture.name, given, _category(str(fixture.fields["category"]), catalog), number)


def _replaced(base: Product, given: dict[str, Any]) -> Product:
    """A copy with fields of its own; what can be said of it is what still holds."""
    made = replace(base, **(({"budget": given["price"]} if "price" in given else {}) | given))
    told = made.attributes | {"brand": made.brand}
    same = [h for h in base.hints if told.get(h.name) == h.value or (h.name == "budget" and made.budget == base.budget)]
    made.hints = [Hint(made, h.name, h.kind, h.value, h.say) for h in same]
    known = {h.name for h in same}
    made.hints += [Hint(made, k, k, v, v) for k, v in made.attributes.items() if k not in known]
    return made


def _first(kind: str, catalog: Catalog, taken: set[str]) -> Product:
    of_type = {p.type: p for p in reversed(catalog.products) if p.in_stock and p.id not in taken}
    if kind not in of_type:
        raise FixtureFailed(
            f"the store has no product of the type `{kind}`", nearest(kind, of_type) or "name a type of the catalog"
        )
    return of_type[kind]


def _category(name: str, catalog: Catalog) -> Category:
    found = catalog.by_name.get(name)
    if found is None:
        help = nearest(name, catalog.by_name) or f"categories: {', '.join(catalog.by_name)}"
        raise FixtureFailed(f"the store has no category `{name}`", help)
    return found


def _fresh(name: str, given: dict[str, Any], category: Category, number: int) -> Product:
    title = given["title"]
    plain: dict[str, Any] = {
        "description": title, "brand": "", "type": name, "noun": title, "everyday": title, "divergent": [], "need": "", "aisle": "",
        "budget": given["price"], "stock": 100, "rating": 4.0, "reviews": 0, "attributes": {}, "flags": [],
    }  # fmt: skip
    made = Product(**{"id": f"P{number:05d}", **plain, **given, "category": category})
    made.hints = [Hint(made, k, k, v, v) for k, v in made.attributes.items()]
    return made


def _field(name: str, value: Any, catalog: Catalog) -> Any:
    if name in ("price", "budget"):
        money = Money(str(value)[1:].replace(",", ""), SYMBOLS[str(value)[0]])
        if money.currency != catalog.currency:
            raise FixtureFailed(f"`{value}` is {money.currency}, and this store sells in {catalog.currency}", "")
        return money
    if name == "attributes":
        return {str(k): str(v) for k, v in value.items()}
    return float(value) if name == "rating" else value
