"""`solve`: products that a case wants by a query, such as the cheapest that fits, instead of by name."""

from __future__ import annotations

from typing import Any

from shopdsl.compiler.expressions import expression
from shopdsl.compiler.fixtures import TAKEN
from shopdsl.compiler.shape import check_one_of
from shopdsl.compiler.unit import Unit, ordered_entries, text
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.records import Entry
from shopdsl.dsl.tree import Mapping, Node, Scalar
from shopdsl.dsl.typewords import article
from shopdsl.dsl.vocabulary import Scope

PRODUCTS = t.Many("list", t.Record("product"))


def compile_solve(unit: Unit, node: Node | None, names: Scope) -> tuple[list[Any], Scope]:
    """The queries as plan data, in their order, and the names with what they give."""
    result: list[Any] = []
    for key, body in ordered_entries(node):
        if key.text in names.names or key.text in TAKEN:
            unit.sink.add(codes.HIDES_NAME, f"`{key.text}` is known here already", key.span, "choose another name")
        if isinstance(body, Scalar):
            made = expression(body, names, unit.sink)
            result.append({"name": key.text, "value": made.tree})
            names = names.with_names({key.text: Entry(made.type, "A value that the case computes.")})
        elif isinstance(body, Mapping):
            result.append(_query(unit, key, body, names))
            names = names.with_names({key.text: Entry(PRODUCTS, "The products that a query of the case gives.")})
    return result, names


def _measure(unit: Unit, node: Node | None, names: Scope) -> Any:
    """What tells better from worse: a number, an amount of money or a text."""
    if node is None:
        return None
    made = expression(node, names, unit.sink)
    if t.bare(made.type) not in (t.INT, t.NUMBER, t.MONEY, t.DURATION, t.TEXT, t.ANY):
        help = "for example `p.price`, or `best_price([p], coupons).total`"
        unit.sink.add(codes.EXPECTED_TYPE, f"the least and the most of {article(made.type)} are not known", node.span, help)
    return made.tree


def _query(unit: Unit, key: Scalar, body: Mapping, names: Scope) -> dict[str, Any]:
    """`{among, least or most, ties}`; a tie is an error unless `ties: accept`."""
    check_one_of(unit.sink, body, "least", "most")
    low, high = body.get("least"), body.get("most")
    member = names.with_names({"p": Entry(t.Record("product"), "One of the products.")})
    by = low if low is not None else high
    return {
        "name": key.text,
        "among": expression(body.get("among"), names, unit.sink, PRODUCTS).tree,
        "by": _measure(unit, by, member),
        "most": low is None and high is not None,
        "ties": text(body.get("ties"), "error") == "accept",
    }
