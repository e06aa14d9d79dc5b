"""What state a case expects at the end: which records may differ and how, the cart, the order."""

from __future__ import annotations

from typing import Any

from shopdsl.compiler.data import given
from shopdsl.compiler.expect.answers import named
from shopdsl.compiler.expect.nodes import Atom, Data, Ground, Kind, Recorded, group, that
from shopdsl.compiler.unit import entries, text, value
from shopdsl.dsl.tree import Mapping, Node, Scalar


def _same_as(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    if text(node) != "calls":
        return ground.bad("the state can be the `same_as` what the expected `calls` lead to", node.span, "write `same_as: calls`")
    return {"op": "same_as_calls"}


def _records(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    """Fields by record and key; their values are read where the store is known."""
    if text(node) == "unchanged":
        return {"op": "records", "wanted": []}
    found = [
        Recorded([r.text, k.text, given(fields)], r.span, fields) for r, rows in entries(node) for k, fields in entries(rows)
    ]
    ground.recorded += found
    if not found:
        return ground.bad(
            "this names no record", node.span, "for example {order: {W1: {status: cancelled}}}; `records: unchanged` for none"
        )
    return {"op": "records", "wanted": [r.entry for r in found]}


def _cart(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    if not isinstance(node, Mapping):
        return ground.bad("a cart is products with their numbers", node.span, "for example {teapot: 1}; {} for an empty one")
    return {"op": "cart", "of": [[named(ground, k), _count(ground, v)] for k, v in entries(node)]}


def _count(ground: Ground, node: Node) -> Any:
    count = value(node)
    if not isinstance(count, int) or count < 1:
        ground.bad("this is not a number of units", node.span, "write a whole number from 1")
        return 1
    return count


def _order(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    if text(node) not in ("placed", "none"):
        return ground.bad("an order is `placed` or there is `none`", node.span, "write `order: placed` or `order: none`")
    return {"op": "order", "placed": text(node) == "placed"}


def _unchanged(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    return ground.bad("`unchanged` stands alone", node.span, "write `state: unchanged`")


def _word(ground: Ground, node: Scalar) -> Data:
    if node.text == "unchanged":
        return {"op": "all", "of": [{"op": "records", "wanted": []}, {"op": "same_cart"}]}
    return ground.bad(f"`{node.text}` is no state", node.span, "write `unchanged`, `anything`, or what has changed")


_ATOMS: dict[str, Atom] = {
    "same_as": _same_as, "records": _records, "cart": _cart, "order": _order, "unchanged": _unchanged, "that": that,
}  # fmt: skip
STATE = Kind("a state", _ATOMS, {}, _word)


def compile_state(ground: Ground, node: Node) -> Data:
    """The group `state`."""
    return group(ground, STATE, node)
