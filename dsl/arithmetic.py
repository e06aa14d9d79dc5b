"""What operators of two and comparisons compute; none has been dealt with before, except in comparisons."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from shopdsl.dsl.library.texts import limit
from shopdsl.dsl.values import Bag, Failed, Money, Row


def _divide(a: Any, b: Any) -> Any:
    return None if (not isinstance(b, Money) and b == 0) or (isinstance(b, Money) and not b.amount) else a / b


def _floor_divide(a: Any, b: Any) -> Any:
    return None if b == 0 else a // b


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and 0 <= b <= 64 and abs(a) < 1_000_000:
        return a**b
    result = float(a) ** b if a or b >= 0 else None
    return None if isinstance(result, complex) else result


def _add(a: Any, b: Any) -> Any:
    return limit(a + b) if isinstance(a, str) else _finite(a + b)


def _multiply(a: Any, b: Any) -> Any:
    if isinstance(a, str | list) or isinstance(b, str | list):
        raise TypeError("texts and lists are not multiplied")
    return _finite(a * b)


def _subtract(a: Any, b: Any) -> Any:
    return _finite(a - b)


def _finite(result: Any) -> Any:
    if isinstance(result, int) and result.bit_length() > 1024:
        raise OverflowError
    if isinstance(result, float) and not math.isfinite(result):
        raise OverflowError
    return result


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": _add, "-": _subtract, "*": _multiply, "/": _divide, "//": _floor_divide, "**": _power, "|": operator.or_, "&": operator.and_,
}  # fmt: skip


def _contains(member: Any, of: Any) -> bool:
    _flat(of)
    if isinstance(of, Bag) and hasattr(member, "quantity"):
        member = member.product
    if isinstance(of, list) and of and isinstance(of[0], Row):
        return any(member == row for row in of)
    return member in of


def _flat(value: Any) -> None:
    """Lists of lists can share their members, so that comparing them may take for ever. All members of a list are of one type, or none."""
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    if isinstance(next((m for m in members if m is not None), None), list | dict | frozenset):
        raise Failed("lists of lists cannot be compared; compare their members")


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, list | dict):
        _flat(a)
        _flat(b)
    return bool(a == b)


def _ordered(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], bool]:
    return lambda a, b: a is not None and b is not None and bool(compare(a, b))


COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": _equal, "!=": lambda a, b: not _equal(a, b),
    "<": _ordered(operator.lt), "<=": _ordered(operator.le), ">": _ordered(operator.gt), ">=": _ordered(operator.ge),
    "in": lambda a, b: a is not None and b is not None and _contains(a, b),
    "not in": lambda a, b: a is not None and b is not None and not _contains(a, b),
}  # fmt: skip
