"""`store`: products, a toolset, records, promotions, and a way to search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.amounts import foreign_amounts
from shopdsl.compiler.expressions import template
from shopdsl.compiler.faults import compile_faults
from shopdsl.compiler.fixtures import Fixture, check_names, numbered, offers_of, read_fixtures
from shopdsl.compiler.kinds.toolset import Toolset, compile_toolset
from shopdsl.compiler.listing import PLACE
from shopdsl.compiler.packages import Document
from shopdsl.compiler.prices import check_prices
from shopdsl.compiler.promotions import Market, compile_market
from shopdsl.compiler.shape import check_one_of
from shopdsl.compiler.stored import stored_records
from shopdsl.compiler.unit import Unit, text, value
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.tree import Mapping
from shopdsl.dsl.vocabulary import scope


@dataclass(frozen=True)
class Store:
    """A compiled store; its catalog is made later: drawn from `catalog`, or of the products in `listing`."""

    name: str
    package: str
    catalog: Document | None
    listing: list[Fixture]
    currency: str
    toolset: Toolset | None
    records: dict[str, dict[str, Any]]
    market: Market
    data: dict[str, Any]

    @property
    def key(self) -> str:
        """How a plan calls the store."""
        return f"{self.package}.{self.name}"

    @property
    def product_ids(self) -> dict[str, str]:
        """The number of every listed product, by its name."""
        return numbered(self.listing)

    @property
    def catalog_key(self) -> str:
        """How a plan calls its catalog."""
        return f"{self.catalog.package}.{self.catalog.name}" if self.catalog else f"{self.key}.products"


def compile_store(unit: Unit, document: Document) -> Store:
    """Resolves catalog and toolset, and checks records and the text that is searched."""
    body = unit.body(document)
    catalog = unit.resolve("catalog", body.get("catalog"))
    tools = unit.resolve("toolset", body.get("toolset"))
    toolset = unit.compiled(compile_toolset, tools) if tools else None
    check_one_of(unit.sink, body, "catalog", "products")
    check_one_of(unit.sink, body, "catalog", "currency")
    currency = text(unit.body(catalog).get("currency") if catalog else body.get("currency"), "USD")
    data: dict[str, Any] = {
        "toolset": toolset.data if toolset else None,
        "system": text(body.get("system"), "You are the assistant of a web shop."),
        "search": _search(unit, body),
        **({"language": text(body.get("language"))} if body.get("language") is not None else {}),
    }
    _check_currency(unit, body, toolset, currency)
    listing = read_fixtures(body.get("products"))
    check_names(unit, body.get("products"))
    _check_listing(unit, listing)
    check_prices(unit, body.get("products"), currency)
    market = compile_market(unit, body, currency, numbered(listing), _places(listing))
    data |= {
        k: v for k, v in (("promotions", market.promotions), ("shipping", market.shipping), ("policies", market.policies)) if v
    }
    if faults := compile_faults(unit, body.get("faults"), toolset.data["tools"] if toolset else {}):
        data["faults"] = faults
    if offers := offers_of(listing, numbered(listing)):
        data["offers"] = offers
    records = stored_records(unit, document, body, toolset.shapes, currency) if toolset else {}
    return Store(document.name, document.package, catalog, listing, currency, toolset, records, market, data)


def _check_currency(unit: Unit, body: Mapping, toolset: Toolset | None, currency: str) -> None:
    """Tools compute with the money of the store."""
    place = body.get("toolset")
    amount = next(foreign_amounts(toolset.data["tools"], currency), None) if toolset else None
    if amount is not None and place is not None and toolset is not None:
        message = f"tools of `{toolset.name}` compute with {amount}, and this store sells in {currency}"
        unit.sink.add(codes.CURRENCY, message, place.span, "write amounts as `cents(500)`, which is money of the store")


def _check_listing(unit: Unit, listing: list[Fixture]) -> None:
    """Products can be told apart, by number and by title."""
    ids = numbered(listing)
    for what, names in (
        ("number", [ids[f.name] for f in listing]),
        ("title", [str(f.fields.get("title", f.name)) for f in listing]),
    ):
        for place, (fixture, name) in enumerate(zip(listing, names, strict=True)):
            if name in names[:place]:
                span = fixture.places.get("id" if what == "number" else "title", fixture.span)
                unit.sink.add(codes.FIXTURE, f"two products have the {what} `{name}`", span, "give each its own")


def _places(listing: list[Fixture]) -> dict[str, set[str]]:
    """The categories and sellers of listed products; a product may be offered by several sellers."""
    offered = {str(seller) for f in listing for seller in f.fields.get("offers", ())}
    sellers = {str(f.fields["seller"]) for f in listing if "seller" in f.fields}
    return {"category": {str(f.fields.get("category", PLACE)) for f in listing}, "seller": sellers | offered}


def _search(unit: Unit, body: Mapping) -> dict[str, Any]:
    search = body.get("search")
    node = search if isinstance(search, Mapping) else None
    return {
        "engine": text(node.get("engine")) if node else "lexical",
        "limit": value(node.get("limit"), 50) if node else 50,
        "text": template(node.get("text"), scope("search"), unit.sink).tree if node else _TITLE,
    }


_TITLE = ["tmpl", [["attr", ["name", "product"], "title"], " ", ["attr", ["name", "product"], "description"]]]
"""What a store searches that does not say it."""
