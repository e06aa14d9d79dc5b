"""Products that a case or a store spells out, made from its spec and the store's catalog."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Mapping as Mapping_
from dataclasses import dataclass, replace
from typing import Any

from shopdsl.compiler.unit import Unit, entries, text, value
from shopdsl.dsl.catalog import Catalog, Category, Hint, Product
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Mapping, Node
from shopdsl.dsl.values import SYMBOLS, Money
from shopdsl.dsl.vocabulary import CONTEXTS


@dataclass(frozen=True)
class Fixture:
    """A product that a spec spells out: the type that it copies, if any, and the fields that it sets."""

    name: str
    extends: str | None
    fields: dict[str, Any]
    span: Span
    places: dict[str, Span]


TAKEN = (
    frozenset(CONTEXTS["expect"]) | {name for c in CONTEXTS if c.startswith("forbid_") for name in CONTEXTS[c]} | {"p", "shown"}
)
"""What expressions of cases know beside products: a product of this name could not be told from it."""


def check_names(unit: Unit, node: Node | None) -> None:
    """Report products that are called as something else is."""
    for key, _ in entries(node):
        if key.text in TAKEN:
            message = f"the expressions of cases know `{key.text}` as something else"
            unit.sink.add(codes.HIDES_NAME, message, key.span, "give the product another name; `title` says how it is shown")


def read_fixtures(node: Node | None) -> list[Fixture]:
    """The products of a mapping, by name."""
    return [_read(k.text, v) for k, v in entries(node) if isinstance(v, Mapping)]


_WRITTEN = ("id", "title", "description", "category", "brand", "noun", "seller")
"""Fields that are texts, however they are written: a number is no number there."""


def _read(name: str, node: Mapping) -> Fixture:
    fields = {k.text: text(v) if k.text in _WRITTEN else value(v) for k, v in node if k.text != "extends"}
    fields = {k: v for k, v in fields.items() if k not in _SHAPES or _SHAPES[k](v)}  # others have been reported
    return Fixture(name, text(node.get("extends")) or None, fields, node.span, {k.text: v.span for k, v in node})


def _is_money(given: Any) -> bool:
    return bool(re.fullmatch(r"[$€£¥]\d[\d,]*(\.\d{1,2})?", str(given)))


_SHAPES: dict[str, Callable[[Any], bool]] = {
    "offers": lambda v: isinstance(v, dict) and all(isinstance(o, dict) and _is_money(o.get("price")) for o in v.values()),
    "attributes": lambda v: isinstance(v, dict),
    "prices": lambda v: isinstance(v, list) and all(isinstance(p, dict) and _is_money(p.get("price")) for p in v),
    "called": lambda v: isinstance(v, list),
    "price": _is_money,
    "budget": _is_money,
}
"""What fields look like that can be worked with."""


class FixtureFailed(Exception):
    """A fixture that cannot be made; `help` says how to mend it."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.help = help


def make_fixture(fixture: Fixture, catalog: Catalog, number: int, taken: set[str], today: str | None = None) -> Product:
    """The product, at its price of a day.

    One that extends a type takes the place of the first product of it that is in stock and not `taken`. Raises FixtureFailed."""
    fields = dated(fixture, today)
    given = {k: _field(k, v, catalog) for k, v in fields.items() if k not in _APART}
    if "called" in fields:
        given["divergent"] = [str(v) for v in fields["called"]]
    if "seller" in fields:
        given["attributes"] = given.get("attributes", {}) | {"seller": str(fields["seller"])}
    if fixture.extends is not None:
        return _replaced(_first(fixture.extends, catalog, taken), given)
    alone = catalog.categories[0].name if len(catalog.categories) == 1 else None
    given.setdefault("title", fixture.name.replace("_", " "))
    missing = [k for k, known in (("price", "price" in given), ("category", "category" in fixture.fields or alone)) if not known]
    if missing:
        raise FixtureFailed(f"the product `{fixture.name}` has no `{missing[0]}`", f"add `{missing[0]}:`, or `extends: TYPE`")
    return _fresh(fixture.name, given, _category(str(fixture.fields.get("category", alone)), catalog), number)


_APART = ("category", "called", "seller", "offers", "prices")
"""Fields of a spec that are no fields of a product."""


def dated(fixture: Fixture, today: str | None) -> dict[str, Any]:
    """The fields of a product, with the price of a day; the last price that holds counts."""
    fields = dict(fixture.fields)
    for entry in fields.get("prices", ()) if today else ():
        if str(entry.get("from", "")) <= str(today) < str(entry.get("until", "9")):
            fields["price"] = entry["price"]
    return fields


def numbered(fixtures: list[Fixture], after: int = 0) -> dict[str, str]:
    """The number of every product that is made anew, by its name; `after` so many others."""
    return {f.name: str(f.fields.get("id", f"P{after + place:05d}")) for place, f in enumerate(fixtures, 1)}


def offers_of(fixtures: list[Fixture], ids: Mapping_[str, str]) -> dict[str, Any]:
    """Where products can be bought, by number and seller: the price in minor units, and the days of delivery or None."""
    offered = [(ids[f.name], f.fields["offers"]) for f in fixtures if f.fields.get("offers") and f.name in ids]
    return {id: {s: [_cents(o["price"]), o.get("days")] for s, o in sorted(offers.items())} for id, offers in offered}


def _cents(price: str) -> int:
    return Money(price[1:].replace(",", ""), SYMBOLS[price[0]]).cents


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
        "description": title, "brand": "", "type": name, "noun": title, "everyday": title, "divergent": [], "need": title, "aisle": "",
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
