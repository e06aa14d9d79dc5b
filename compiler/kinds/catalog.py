"""`catalog`: a seeded generator of products, in parts of one category each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from shopdsl.compiler.constants import constant
from shopdsl.compiler.expressions import Compiled, expression, template
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, decimal_text, entries, items, number, text, value
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.records import Entry
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Mapping, Node, Scalar
from shopdsl.dsl.values import Money
from shopdsl.dsl.vocabulary import scope

SAYABLE = ("brand", "budget")
"""What every product has and a customer can say, beside its attributes."""


@dataclass(frozen=True)
class TypeSpec:
    """A type of product; `attributes` maps a name to its values and their price factors."""

    name: str
    noun: str
    everyday: str
    divergent: list[str]
    need: str
    aisle: str
    price: float
    weight: Decimal
    flags: list[str]
    title: Compiled
    texts: list[Compiled]
    attributes: dict[str, list[tuple[str, float]]]
    attribute_spans: dict[str, Span]
    span: Span


@dataclass(frozen=True)
class Part:
    """One category with its types."""

    name: str
    title: str
    share: Decimal
    median: str
    sigma: float
    tags: list[str]
    brands: list[str]
    types: list[TypeSpec]
    span: Span


@dataclass(frozen=True)
class CatalogSpec:
    """A compiled catalog, ready to be generated."""

    name: str
    seed: int
    size: int
    currency: str
    parts: list[Part]
    sayings: dict[str, tuple[Compiled, str]]
    product: dict[str, Compiled]
    span: Span
    product_spans: dict[str, Span] = field(default_factory=dict)


def compile_part(unit: Unit, document: Document) -> Part:
    """Checks the types of a part; attributes are checked where it is joined to a catalog."""
    body = unit.body(document)
    node = body.get("category")
    category = node if isinstance(node, Mapping) else Mapping([], document.span)
    median, _ = constant(category.get("median_price") or Scalar("$1", "", document.span))
    types = [_type(unit, key, row) for key, row in entries(body.get("types")) if isinstance(row, Mapping)]
    return Part(
        document.name,
        text(category.get("title"), document.name),
        Decimal(decimal_text(category.get("share"))),
        str(median.amount) if isinstance(median, Money) else "1",
        number(category.get("sigma")),
        [text(i) for i in items(category.get("tags"))],
        [text(i) for i in items(body.get("brands"))],
        types,
        document.span,
    )


def _type(unit: Unit, key: Scalar, row: Mapping) -> TypeSpec:
    attributes = {k.text: _values(v) for k, v in entries(row.get("attributes"))}
    names = scope("search")
    names.names = {n: Entry(t.TEXT, "An attribute.") for n in ("brand", *attributes)}
    noun = text(row.get("noun"), key.text)
    divergent = [text(i) for i in items(row.get("divergent"))]
    return TypeSpec(
        key.text,
        noun,
        text(row.get("everyday"), noun),
        divergent or [noun],
        text(row.get("need"), noun),
        text(row.get("aisle")),
        number(row.get("price"), 1.0) or 1.0,
        Decimal(decimal_text(row.get("weight"), "1")) if row.get("weight") else Decimal(1),
        [text(i) for i in items(row.get("flags"))],
        template(row.get("title"), names, unit.sink),
        [template(i, names, unit.sink) for i in items(row.get("text"))],
        attributes,
        {k.text: k.span for k, _ in entries(row.get("attributes"))},
        key.span,
    )


def _values(node: Node) -> list[tuple[str, float]]:
    if isinstance(node, Mapping):
        return [(k.text, number(v, 1.0)) for k, v in entries(node)]
    return [(text(i), 1.0) for i in items(node)]


_WANTED = {"level": t.NUMBER, "price": t.MONEY, "budget": t.MONEY, "stock": t.NUMBER, "rating": t.NUMBER, "reviews": t.NUMBER}
_CONTEXT = {"level": "catalog", "price": "price"}


def compile_catalog(unit: Unit, document: Document) -> CatalogSpec | Part:
    """A part alone, or a whole catalog with its parts checked against its attributes."""
    body = unit.body(document)
    if body.get("of") is None:
        return unit.compiled(compile_part, document)
    currency = text(body.get("currency"), "USD")
    parts = sorted(_parts(unit, items(body.get("of"))), key=lambda p: p.name)
    attribute = scope("search")
    attribute.names = {"value": Entry(t.TEXT, "The attribute's value.")}
    sayings = {
        k.text: (template(row.get("say"), attribute, unit.sink), text(row.get("hint"), k.text))
        for k, row in entries(body.get("attributes"))
        if isinstance(row, Mapping)
    }
    product = body.get("product")
    expressions = {
        k.text: expression(v, scope(_CONTEXT.get(k.text, "listing"), currency=currency), unit.sink, _WANTED.get(k.text))
        for k, v in entries(product)
    }
    spans = {k.text: v.span for k, v in entries(product)}
    seed, size = value(body.get("seed"), 0), value(body.get("size"), 1)
    spec = CatalogSpec(
        document.name, seed, size, text(body.get("currency"), "USD"), parts, sayings, expressions, document.span, spans
    )
    _check_parts(unit, spec)
    return spec


def _parts(unit: Unit, nodes: list[Node]) -> Iterator[Part]:
    for node in nodes:
        document = unit.resolve("catalog", node)
        if document and unit.body(document).get("category") is None:
            help = "name catalogs that have `category` and `types`"
            unit.sink.add(codes.MISSING_KEY, f"`{document.name}` is not a part: it has no `category`", node.span, help)
        elif document:
            yield unit.compiled(compile_part, document)


def _check_parts(unit: Unit, spec: CatalogSpec) -> None:
    total = sum((p.share for p in spec.parts), Decimal(0))
    if spec.parts and abs(total - 1) > Decimal("0.0015"):
        message = f"the shares of its parts add up to {(total * 100).normalize():f}%, not to 100%"
        unit.sink.add(codes.SHARES, message, spec.span, "change the `share` of one part")
    seen: dict[str, TypeSpec] = {}
    for kind in (k for p in spec.parts for k in p.types):
        if kind.name in seen:
            message = f"the type `{kind.name}` stands in another part as well, at {seen[kind.name].span}"
            unit.sink.add(codes.DUPLICATE_TYPE, message, kind.span, "rename one of the two")
        seen.setdefault(kind.name, kind)
        for name in kind.attributes:
            if name not in spec.sayings:
                help = nearest(name, spec.sayings) or f"add it to `attributes` of the catalog `{spec.name}`"
                unit.sink.add(
                    codes.UNDECLARED_ATTRIBUTE,
                    f"`{kind.name}` has an attribute `{name}` that `{spec.name}` does not declare",
                    kind.attribute_spans[name],
                    help,
                )
