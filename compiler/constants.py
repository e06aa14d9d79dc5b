"""Constants of a spec (a table's cells, a persona's fields) as values, types and plan data."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from shopdsl.dsl import types as t
from shopdsl.dsl.tree import Mapping, Node, Scalar, Sequence, typed
from shopdsl.dsl.types import Type
from shopdsl.dsl.values import SYMBOLS, Money, Row

_NUMBER = r"(\d{1,15}(?:\.\d{1,15})?|\.\d{1,15})(%?)"
_RANGE = re.compile(rf"{_NUMBER}\.\.{_NUMBER}")
_PERCENT = re.compile(rf"{_NUMBER}")
_MONEY = re.compile(r"([$€£¥])(\d[\d,]{0,15}(?:\.\d{1,2})?)")
RANGE = t.Record("range")


def constant(node: Node) -> tuple[Any, Type]:
    """The value and type of a constant: number, percentage, money, range, bool, text, list, or map."""
    match node:
        case Scalar():
            return _scalar(node)
        case Sequence(items):
            values = [constant(i) for i in items]
            return [v for v, _ in values], t.Many("list", _joined([k for _, k in values]))
        case Mapping(entries):
            keys = [_key(k) for k, _ in entries]
            values = [constant(v) for _, v in entries]
            kind = t.INT if all(isinstance(k, int) for k in keys) else t.TEXT
            result = dict(zip(keys if kind == t.INT else [k.text for k, _ in entries], [v for v, _ in values], strict=True))
            return result, t.Map(kind, _joined([k for _, k in values]))


def _key(key: Scalar) -> Any:
    value = typed(key.text) if key.style == "" else key.text
    return value if isinstance(value, int) and not isinstance(value, bool) else key.text


def _joined(kinds: list[Type]) -> Type:
    result: Type = kinds[0] if kinds else t.ANY
    for kind in kinds[1:]:
        result = t.join(result, kind) or t.ANY
    return result


def _scalar(node: Scalar) -> tuple[Any, Type]:
    if node.style != "":
        return node.text, t.TEXT
    if match := _RANGE.fullmatch(node.text):
        low, high = _number(match[1], match[2]), _number(match[3], match[4])
        return Row("", {"low": low, "high": high}), RANGE
    if match := _MONEY.fullmatch(node.text):
        return Money(match[2].replace(",", ""), SYMBOLS[match[1]]), t.MONEY
    if match := _PERCENT.fullmatch(node.text):
        value = _number(match[1], match[2])
        return value, t.INT if isinstance(value, int) else t.NUMBER
    plain = typed(node.text)
    if isinstance(plain, bool):
        return plain, t.BOOL
    if plain is None:
        return None, t.NONE
    return (plain, t.NUMBER) if isinstance(plain, float) else (node.text, t.TEXT) if isinstance(plain, str) else (plain, t.INT)


def _number(text: str, percent: str) -> int | float:
    if percent:
        return float(Decimal(text) / 100)
    return int(text) if text.isdigit() else float(text)


def money(node: Node) -> Money | None:
    """An amount of money, quoted or not; None for anything else."""
    match = _MONEY.fullmatch(node.text) if isinstance(node, Scalar) else None
    return Money(match[2].replace(",", ""), SYMBOLS[match[1]]) if match else None


def encode(value: Any) -> Any:
    """A constant as plan data, without floats."""
    match value:
        case bool() | int() | str() | None:
            return value
        case float():
            return {"n": repr(value)}
        case Money():
            return {"money": str(value.amount), "currency": value.currency}
        case Row():
            return {"row": {k: encode(v) for k, v in value.fields().items()}}
        case list():
            return [encode(v) for v in value]
        case dict():
            return {"map": [[encode(k), encode(v)] for k, v in sorted(value.items(), key=lambda e: str(e[0]))]}
    raise TypeError(type(value).__name__)


def literal_tree(value: Any) -> Any:
    """Plain data as the tree of an expression that gives it."""
    match value:
        case float():
            return ["dec", repr(value)]
        case list():
            return ["list", [literal_tree(v) for v in value]]
        case dict():
            return ["map", [[["lit", k], literal_tree(v)] for k, v in value.items()]]
    return ["lit", value]
