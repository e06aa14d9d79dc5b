"""What shops and baskets add: totals, likeness, what can be said of a product. Types and attributes only, never embeddings."""

from __future__ import annotations

from typing import Any

from shopdsl.dsl.catalog import Category, Hint, Product
from shopdsl.dsl.library.collections import walk
from shopdsl.dsl.values import Bag, Money


def total(bag: Bag) -> Money | None:
    """What the units of a bag cost together; none for an empty one."""
    result: Money | None = None
    for product in bag:
        line = product.price * bag[product]
        result = line if result is None else result + line
    return result


def similar(product: Product) -> frozenset[Product]:
    """The other products of the same type."""
    return frozenset(p for p in product.category.by_type[product.type] if p is not product)


def related(product: Product, category: Category) -> list[Product]:
    """What is bought with a product: others in stock of its aisle, or of the category where that is too small."""
    near = category.by_aisle.get(product.aisle, [])
    pool = near if len(near) > 24 else category.products
    return [p for p in pool if p is not product and p.stock > 0]


def hints(products: Any) -> list[Hint]:
    """What a customer can say of the products, one after the other."""
    return [h for p in walk(products) for h in p.hints]


def aspects(item: Any) -> list[str]:
    """What one can ask about a product: its attributes, price and rating."""
    product = getattr(item, "product", item)
    return [*sorted(product.attributes), "price", "rating"]
