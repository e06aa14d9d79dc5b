"""Products, categories and stores as expressions see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from shopdsl.dsl.values import Money


class Hint:
    """One thing that a customer can say of a product: an attribute or a budget, and the words for it."""

    __slots__ = ("kind", "name", "product", "say", "value")

    def __init__(self, product: Product, name: str, kind: str, value: str, say: str) -> None:
        self.product, self.name, self.kind, self.value, self.say = product, name, kind, value, say


@dataclass(slots=True, eq=False)
class Product:
    """A product of a catalog; two products are the same if they are the same object."""

    id: str
    title: str
    description: str
    brand: str
    type: str
    noun: str
    everyday: str
    divergent: list[str]
    need: str
    aisle: str
    price: Money
    budget: Money
    stock: int
    rating: float
    reviews: int
    attributes: dict[str, str]
    flags: list[str]
    hints: list[Hint] = field(default_factory=list, repr=False)
    category: Category = field(default=None, repr=False)  # type: ignore[assignment]

    @property
    def in_stock(self) -> bool:
        return self.stock > 0

    def __str__(self) -> str:
        return self.title


@dataclass(eq=False)
class Category:
    """A category of a catalog and its products."""

    name: str
    title: str
    share: float
    median_price: Money
    sigma: float
    tags: list[str]
    products: list[Product] = field(default_factory=list, repr=False)

    @cached_property
    def by_type(self) -> dict[str, list[Product]]:
        """The products of each type."""
        return _group(self.products, "type")

    @cached_property
    def by_aisle(self) -> dict[str, list[Product]]:
        """The products of each aisle."""
        return _group(self.products, "aisle")


def _group(products: list[Product], key: str) -> dict[str, list[Product]]:
    groups: dict[str, list[Product]] = {}
    for product in products:
        groups.setdefault(getattr(product, key), []).append(product)
    return groups


@dataclass(eq=False)
class Catalog:
    """All products of a store, by category."""

    name: str
    currency: str
    categories: list[Category]

    @cached_property
    def products(self) -> list[Product]:
        return [p for c in self.categories for p in c.products]

    @cached_property
    def by_id(self) -> dict[str, Product]:
        return {p.id: p for p in self.products}

    @cached_property
    def by_name(self) -> dict[str, Category]:
        return {c.name: c for c in self.categories}


_TEXTS = ("id", "title", "description", "brand", "type", "stock", "reviews")
_OF_TYPE = ("noun", "everyday", "divergent", "need", "aisle", "flags")
"""What all products of a type share; a plan holds it once."""


def encode(catalog: Catalog) -> dict[str, Any]:
    """A catalog as canonical data: money in cents, ratings in tenths, shares as text."""
    return {
        "name": catalog.name,
        "currency": catalog.currency,
        "categories": [_encode_category(c) for c in catalog.categories],
    }


def _encode_category(c: Category) -> dict[str, Any]:
    return {
        "name": c.name,
        "title": c.title,
        "share": str(c.share),
        "median_price": c.median_price.cents,
        "sigma": str(c.sigma),
        "tags": c.tags,
        "types": {p.type: {key: getattr(p, key) for key in _OF_TYPE} for p in c.products},
        "products": [_encode_product(p) for p in c.products],
    }


def encode_whole(p: Product) -> dict[str, Any]:
    """A product on its own, with what its type shares and the name of its category."""
    return _encode_product(p) | {key: getattr(p, key) for key in _OF_TYPE} | {"category": p.category.name}


def decode_whole(data: dict[str, Any], category: Category, currency: str) -> Product:
    """The product that `encode_whole` wrote."""
    return _decode_product(data, {key: data[key] for key in _OF_TYPE}, category, currency)


def _encode_product(p: Product) -> dict[str, Any]:
    return {key: getattr(p, key) for key in _TEXTS} | {
        "price": p.price.cents,
        "budget": p.budget.cents,
        "rating": round(p.rating * 10),
        "attributes": p.attributes,
        "hints": [[h.name, h.kind, h.value, h.say] for h in p.hints],
    }


def decode(data: dict[str, Any]) -> Catalog:
    """The catalog that `encode` wrote."""
    currency = data["currency"]
    return Catalog(data["name"], currency, [_decode_category(c, currency) for c in data["categories"]])


def _decode_category(c: dict[str, Any], currency: str) -> Category:
    median = cents(c["median_price"], currency)
    category = Category(c["name"], c["title"], float(c["share"]), median, float(c["sigma"]), c["tags"])
    category.products = [_decode_product(p, c["types"][p["type"]], category, currency) for p in c["products"]]
    return category


def _decode_product(p: dict[str, Any], of_type: dict[str, Any], category: Category, currency: str) -> Product:
    product = Product(
        **{key: p[key] for key in _TEXTS},
        **of_type,
        price=cents(p["price"], currency),
        budget=cents(p["budget"], currency),
        rating=p["rating"] / 10,
        attributes=p["attributes"],
        category=category,
    )
    product.hints = [Hint(product, *h) for h in p["hints"]]
    return product


def cents(amount: int, currency: str) -> Money:
    """Money from minor units."""
    return Money(f"{amount // 100}.{amount % 100:02d}" if amount >= 0 else amount / 100, currency)
