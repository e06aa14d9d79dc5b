"""Verdicts that rules spell out must be among those of their judge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shopdsl.compiler.unit import Unit
from shopdsl.dsl import syntax as s
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.parse import ParseError, parse_expression
from shopdsl.dsl.tree import Node, Scalar
from shopdsl.dsl.types import Type


def check_verdicts(unit: Unit, node: Node, verdict: Type) -> None:
    """Report every literal `verdict=` that is not a verdict of the judge."""
    if not isinstance(node, Scalar) or not getattr(verdict, "members", ()):
        return
    try:
        parsed = parse_expression(node.text)
    except ParseError:  # reported where the rules are checked
        return
    members = getattr(verdict, "members", ())
    for literal in _spelt(parsed):
        if literal.value not in members:
            help = nearest(str(literal.value), members) or f"verdicts: {', '.join(members)}"
            unit.sink.add(codes.NOT_A_MEMBER, f'"{literal.value}" is not a verdict of this judge', node.within(*literal.at), help)


def _spelt(node: Any) -> Iterator[s.Literal]:
    """The literals that stand as `verdict=`, also as a side of `if … else`."""
    if isinstance(node, s.Call):
        for keyword in node.keywords:
            if keyword.name == "verdict":
                yield from _sides(keyword.value)
    if isinstance(node, tuple | list):
        for part in node:
            yield from _spelt(part)
    elif hasattr(node, "__dataclass_fields__"):
        for name in node.__dataclass_fields__:
            yield from _spelt(getattr(node, name))


def _sides(node: s.Expr) -> Iterator[s.Literal]:
    match node:
        case s.Literal(value=str()):
            yield node
        case s.IfElse(then=then, other=other):
            yield from _sides(then)
            yield from _sides(other)
