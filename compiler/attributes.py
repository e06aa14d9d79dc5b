"""Attributes that conditions of a case look at and no product of its store has: such a condition holds of nothing, in silence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from shopdsl.compiler.fixtures import Fixture
from shopdsl.compiler.unit import Unit
from shopdsl.dsl import syntax as s
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.parse import ParseError, parse_expression
from shopdsl.dsl.tree import Mapping as MappingNode
from shopdsl.dsl.tree import Node, Scalar, Sequence

Known = Mapping[str, set[str]]


def check_attributes(unit: Unit, body: Node, products: list[Fixture]) -> None:
    """Report names and values of attributes that none of the products has; `products` are all that there are."""
    known = _known(products)
    for node in _expressions(body):
        try:
            tree = parse_expression(node.text)
        except ParseError:
            continue  # that is told where the expression is compiled
        for part in _parts(tree):
            _check(unit, node, part, known)


def _known(products: list[Fixture]) -> Known:
    found: dict[str, set[str]] = {}
    for product in products:
        own = dict(product.fields.get("attributes") or {})
        own |= {"seller": product.fields["seller"]} if "seller" in product.fields else {}
        for name, value in own.items():
            found.setdefault(str(name), set()).add(str(value))
    return found


def _expressions(node: Node) -> Iterator[Scalar]:
    """The scalars that look at attributes."""
    if isinstance(node, Scalar):
        if ".attributes[" in node.text:
            yield node
    else:
        for part in node.items if isinstance(node, Sequence) else [v for _, v in node] if isinstance(node, MappingNode) else []:
            yield from _expressions(part)


def _parts(node: Any) -> Iterator[Any]:
    """Every part of an expression."""
    if isinstance(node, tuple):
        for part in node:
            yield from _parts(part)
    elif is_dataclass(node):
        yield node
        for field in fields(node):
            yield from _parts(getattr(node, field.name))


def _check(unit: Unit, node: Scalar, part: Any, known: Known) -> None:
    match part:
        case s.Index(of=s.Attribute(name="attributes"), key=s.Literal(at, str() as name)) if name not in known:
            help = nearest(name, known) or f"attributes: {', '.join(sorted(known)[:20]) or 'none'}"
            unit.sink.add(codes.NO_SUCH_ATTRIBUTE, f"no product here has the attribute `{name}`", node.within(*at), help)
        case s.Compare(ops=("==" | "!=" | "in" | "not in",), parts=(left, right)):
            for one, other in ((left, right), (right, left)):
                _check_value(unit, node, one, other, known)


def _check_value(unit: Unit, node: Scalar, attribute: s.Expr, values: s.Expr, known: Known) -> None:
    """What an attribute is compared with is one of its values."""
    match attribute:
        case s.Index(of=s.Attribute(name="attributes"), key=s.Literal(_, str() as name)) if name in known:
            for value in values.parts if isinstance(values, s.Items) else (values,):
                if isinstance(value, s.Literal) and isinstance(value.value, str) and value.value not in known[name]:
                    help = nearest(value.value, known[name]) or f"values: {', '.join(sorted(known[name])[:20])}"
                    message = f"no product here has the {name} `{value.value}`"
                    unit.sink.add(codes.NO_SUCH_ATTRIBUTE, message, node.within(*value.at), help)
