"""Sums that are written in a text: numbers, the four operations, brackets."""

from __future__ import annotations

import math
import re
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow

_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?|\.\d+)|([-+*/()]))")
MAX_LENGTH, MAX_DEPTH = 1_000, 50


class _Unreadable(Exception):
    """Not a sum."""


def arithmetic(text: str) -> float | None:
    """What a sum comes to, or None where it cannot be read or divides by zero."""
    try:
        tokens = _tokens(text)
        value, rest = _sum(tokens, 0, 0)
        result = float(value)
        return result if rest == len(tokens) and math.isfinite(result) else None
    except (_Unreadable, InvalidOperation, DivisionByZero, Overflow):
        return None


def _tokens(text: str) -> list[str]:
    if len(text) > MAX_LENGTH:
        raise _Unreadable
    text, found, at = text.rstrip(), [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _Unreadable
        found.append(match[1] or match[2])
        at = match.end()
    return found


def _sum(tokens: list[str], at: int, depth: int) -> tuple[Decimal, int]:
    value, at = _product(tokens, at, depth)
    while at < len(tokens) and tokens[at] in "+-":
        other, after = _product(tokens, at + 1, depth)
        value, at = (value + other if tokens[at] == "+" else value - other), after
    return value, at


def _product(tokens: list[str], at: int, depth: int) -> tuple[Decimal, int]:
    value, at = _factor(tokens, at, depth)
    while at < len(tokens) and tokens[at] in "*/":
        other, after = _factor(tokens, at + 1, depth)
        value, at = (value * other if tokens[at] == "*" else value / other), after
    return value, at


def _factor(tokens: list[str], at: int, depth: int) -> tuple[Decimal, int]:
    if at >= len(tokens) or depth > MAX_DEPTH:
        raise _Unreadable
    if tokens[at] in "+-":
        value, after = _factor(tokens, at + 1, depth + 1)
        return (-value if tokens[at] == "-" else value), after
    if tokens[at] == "(":
        value, after = _sum(tokens, at + 1, depth + 1)
        if tokens[after : after + 1] != [")"]:
            raise _Unreadable
        return value, after + 1
    if tokens[at] in "*/)":
        raise _Unreadable
    return Decimal(tokens[at]), at + 1
