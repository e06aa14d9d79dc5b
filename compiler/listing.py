"""The catalog of a store that lists its products itself."""

from __future__ import annotations

from shopdsl.compiler.fixtures import Fixture, FixtureFailed, make_fixture
from shopdsl.dsl.catalog import Catalog, Category
from shopdsl.dsl.diagnostics import Sink, codes
from shopdsl.dsl.values import Money

PLACE = "products"
"""The category of products that name none."""


def listed_catalog(name: str, currency: str, listing: list[Fixture], sink: Sink) -> Catalog:
    """The products in their categories; one that cannot be made is reported."""
    names = list(dict.fromkeys([str(f.fields.get("category", PLACE)) for f in listing] or [PLACE]))
    nothing = Money(0, currency)
    catalog = Catalog(
        name, currency, [Category(n, n.replace("_", " ").capitalize(), 1 / len(names), nothing, 0.0, []) for n in names]
    )
    for place, fixture in enumerate(listing, 1):
        try:
            product = make_fixture(fixture, catalog, place, set())
            product.category.products.append(product)
        except FixtureFailed as error:
            sink.add(codes.FIXTURE, str(error), fixture.span, error.help)
    return catalog
