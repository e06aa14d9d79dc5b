"""Generates the products of a catalog: which ones, how dear, what they are called. The same seed gives the same products.

Prices follow the category's law exactly: products are put in order by `level`, and each takes the price at its place (`standing`). Source of the
laws: arXiv 2609.16093, section 3.1; the figures are the specs'.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal
from typing import Any

from shopdsl.compiler.kinds.catalog import SAYABLE, CatalogSpec, Part, TypeSpec
from shopdsl.dsl.catalog import Catalog, Category, Hint, Product
from shopdsl.dsl.diagnostics import Sink, codes
from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.library.texts import headline
from shopdsl.dsl.loops import Compiled
from shopdsl.dsl.random import Stream
from shopdsl.dsl.values import Failed, Money, Row, show


def generate(spec: CatalogSpec, sink: Sink) -> Catalog:
    """All products of a catalog; types that cannot be varied enough and products alike are reported."""
    counts = largest_remainder([p.share for p in spec.parts], spec.size)
    run = _Generator(spec)
    categories = [run.category(part, n, sink) for part, n in zip(spec.parts, counts, strict=True)]
    catalog = Catalog(spec.name, spec.currency, categories)
    _number(catalog, spec)
    _check_distinct(catalog, spec, sink)
    return catalog


def largest_remainder(shares: list[Decimal], total: int) -> list[int]:
    """Whole numbers with a given sum, as near to the shares as can be."""
    weight = sum(shares, Decimal(0)) or Decimal(1)
    exact = [s / weight * total for s in shares]
    counts = [int(e.to_integral_value(ROUND_FLOOR)) for e in exact]
    by_rest = sorted(range(len(shares)), key=lambda i: (counts[i] - exact[i], i))
    for i in by_rest[: total - sum(counts)]:
        counts[i] += 1
    return counts


class _Draft:
    """A product before its price is known."""

    __slots__ = ("brand", "factor", "key", "kind", "level", "values")

    def __init__(self, kind: TypeSpec, brand: str, values: dict[str, str], factor: float) -> None:
        self.kind, self.brand, self.values, self.factor = kind, brand, values, factor
        self.key = (kind.name, brand, *values.values())
        self.level = 0.0


class _Generator:
    def __init__(self, spec: CatalogSpec) -> None:
        self.spec = spec
        self.run = {name: guarded(compile_tree(made.tree)) for name, made in spec.product.items()}
        self.say = {name: (compile_tree(made.tree), hint) for name, (made, hint) in spec.sayings.items()}

    def category(self, part: Part, count: int, sink: Sink) -> Category:
        category = Category(
            part.name, part.title, float(part.share), Money(part.median, self.spec.currency), part.sigma, part.tags
        )
        counts = largest_remainder([k.weight for k in part.types], count)
        drafts = [d for kind, n in zip(part.types, counts, strict=True) for d in self.drafts(part, kind, n, sink)]
        names = {"category": category}
        for draft in drafts:
            draft.level = float(self.value("level", draft, names | {"factor": draft.factor}))
        drafts.sort(key=lambda d: (d.level, d.key))
        for place, draft in enumerate(drafts):
            category.products.append(self.product(draft, (place + 0.5) / len(drafts), category))
        category.products.sort(key=lambda p: (p.type, p.brand, *p.attributes.values()))
        return category

    def drafts(self, part: Part, kind: TypeSpec, count: int, sink: Sink) -> list[_Draft]:
        """`count` different combinations of a brand and attribute values."""
        sizes = [len(part.brands), *(len(v) for v in kind.attributes.values())]
        space = 1
        for n in sizes:
            space = min(space * n, 1 << 62)
        if space < count:
            message = f"`{kind.name}` can be varied {space} times, and its share of the catalog is {count} products"
            sink.add(codes.TOO_FEW_VARIANTS, message, kind.span, "add brands or attribute values")
        stream = Stream(self.spec.seed, part.name, kind.name, "variants")
        return [self.draft(part, kind, i) for i in stream.sample(range(space), count)]

    def draft(self, part: Part, kind: TypeSpec, index: int) -> _Draft:
        index, brand = divmod(index, len(part.brands))
        values, factor = {}, 1.0
        for name, choices in kind.attributes.items():
            index, i = divmod(index, len(choices))
            values[name] = choices[i][0]
            factor *= choices[i][1]
        return _Draft(kind, part.brands[brand], values, factor)

    def value(self, name: str, draft: _Draft, names: dict[str, Any]) -> Any:
        kind = draft.kind
        row = Row(kind.name, {"noun": kind.noun, "price": kind.price})
        stream = Stream(self.spec.seed, *draft.key, name)
        try:
            value = self.run[name](Env({"type": row, **names}, stream))
        except Failed as error:
            raise CatalogFailed(name, f"{error}, for a {kind.noun} of {draft.brand}") from None
        if value is None:
            raise CatalogFailed(name, f"it gives none, for a {kind.noun} of {draft.brand}")
        return value

    def product(self, draft: _Draft, standing: float, category: Category) -> Product:
        names: dict[str, Any] = {"category": category, "standing": standing, "factor": draft.factor}
        names["price"] = price = self.value("price", draft, names)
        made = {n: self.value(n, draft, names) for n in ("budget", "stock", "rating", "reviews")}
        kind, words = draft.kind, {"brand": draft.brand} | draft.values
        texts = Stream(self.spec.seed, *draft.key, "text").sample(kind.texts, 2)
        product = Product(
            id="",
            title=headline(_fill(kind.title.tree, words)),
            description=" ".join(_fill(made_text.tree, words) for made_text in texts),
            brand=draft.brand,
            type=kind.name,
            noun=kind.noun,
            everyday=kind.everyday,
            divergent=kind.divergent,
            need=kind.need,
            aisle=kind.aisle,
            price=price,
            budget=made["budget"],
            stock=int(made["stock"]),
            rating=round(float(made["rating"]), 1),
            reviews=int(made["reviews"]),
            attributes=draft.values,
            flags=kind.flags,
            category=category,
        )
        product.hints = self.hints(product)
        return product

    def hints(self, product: Product) -> list[Hint]:
        values = product.attributes | {"brand": product.brand, "budget": show(product.budget).removesuffix(".00")}
        names = [*product.attributes, *SAYABLE]
        return [
            Hint(product, n, self.say[n][1], values[n], show(self.say[n][0](Env({"value": values[n]}))))
            for n in names
            if n in self.say
        ]


class CatalogFailed(Exception):
    """An expression of `product` failed."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


_TEMPLATES: dict[int, tuple[Any, Compiled]] = {}


def _fill(tree: Any, words: dict[str, str]) -> str:
    kept = _TEMPLATES.get(id(tree))
    if kept is None:
        kept = _TEMPLATES[id(tree)] = (tree, compile_tree(tree))
    return str(kept[1](Env(dict(words))))


def _number(catalog: Catalog, spec: CatalogSpec) -> None:
    """Numbers that say nothing of the product."""
    width = max(4, len(str(spec.size)))
    numbers = Stream(spec.seed, "numbers").sample(range(1, spec.size + 1), spec.size)
    for product, n in zip(catalog.products, numbers, strict=False):
        product.id = f"P{n:0{width}d}"


def _check_distinct(catalog: Catalog, spec: CatalogSpec, sink: Sink) -> None:
    spans = {kind.name: kind.span for part in spec.parts for kind in part.types}
    seen: dict[Any, Product] = {}
    told: set[str] = set()
    for product in catalog.products:
        said = (product.noun, *(h.say for h in product.hints if h.name != "budget"))
        other = seen.setdefault(said, product)
        if other is not product and product.type not in told:
            told.add(product.type)
            message = f"a customer cannot tell `{product.title}` from `{other.title}`"
            help = "let `attributes` of the catalog say each value in words of its own"
            sink.add(codes.INDISTINCT, message, spans[product.type], help)
