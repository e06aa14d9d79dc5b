"""Which types go together with which operator."""

from __future__ import annotations

from shopdsl.dsl import types as t
from shopdsl.dsl.types import Type

_NUMBERS = (t.INT, t.NUMBER)


def binary_type(op: str, a: Type, b: Type) -> Type | None:
    """The type of `a op b`, or None where the operator does not go between them."""
    if t.ANY in (a, b) or t.NONE in (a, b):
        return t.ANY
    if _numeric(a) and _numeric(b):
        return _arithmetic(op, a, b)
    if t.MONEY in (a, b):
        return _money(op, a, b)
    if t.DURATION in (a, b):
        return None
    return _collections(op, a, b)


def _numeric(kind: Type) -> bool:
    return kind in _NUMBERS or kind == t.BOOL


def _arithmetic(op: str, a: Type, b: Type) -> Type | None:
    if op in ("|", "&"):
        return None
    if op == "/":
        return t.NUMBER
    return t.INT if t.NUMBER not in (a, b) and op != "**" else t.NUMBER


def _money(op: str, a: Type, b: Type) -> Type | None:
    if a == b:
        return {"+": t.MONEY, "-": t.MONEY, "/": t.NUMBER}.get(op)
    if op == "*" or (op == "/" and a == t.MONEY):
        return t.MONEY if _numeric(a) or _numeric(b) else None
    return None


def _collections(op: str, a: Type, b: Type) -> Type | None:
    if op == "+" and t.fits(a, t.TEXT) and t.fits(b, t.TEXT):
        return t.TEXT
    match a, b:
        case t.Many("list", _), t.Many("list", _) if op == "+":
            return t.join(a, b)
        case t.Many("set", _), t.Many("set", _) if op in ("|", "&", "-"):
            return t.join(a, b)
        case t.Many("bag", _), t.Many("bag", _) if op in ("+", "-", "|", "&"):
            return t.join(a, b)
    return None


def comparable(op: str, a: Type, b: Type) -> bool:
    """Can `a op b` be true at all?"""
    left, right = t.bare(a), t.bare(b)
    if {left, right} & {t.ANY, t.NONE}:
        return True
    if op in ("<", "<=", ">", ">="):
        return (_numeric(left) and _numeric(right)) or (left == right and left in (t.MONEY, t.DURATION, t.TEXT))
    if _row(left, right) or (_numeric(left) and _numeric(right)):
        return True
    return t.join(left, right) is not None or _empty(left, right)


def _row(a: Type, b: Type) -> bool:
    rows = [k for k in (a, b) if isinstance(k, t.Record) and k.name.startswith("row ")]
    return bool(rows) and (t.TEXT in (a, b) or len(rows) == 2)


def _empty(a: Type, b: Type) -> bool:
    return t.element(a) is not None and t.element(b) is not None
