"""Numbers and money. Rounding is half up (away from zero), division by zero is none."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal

from shopdsl.dsl.random import normal_quantile as quantile
from shopdsl.dsl.values import Failed, Money


def rounded(x: float | Money, digits: int = 0) -> int | float | Money:
    if isinstance(x, Money):
        return Money(x.amount.quantize(Decimal(1).scaleb(-min(2, max(0, digits))), ROUND_HALF_UP), x.currency)
    if isinstance(x, int) and digits >= 0:
        return x
    exact = Decimal(repr(x)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return int(exact) if digits <= 0 else float(exact)


def magnitude(x: float | Money) -> float | Money:
    return Money(abs(x.amount), x.currency) if isinstance(x, Money) else abs(x)


def ln(x: float) -> float | None:
    return math.log(x) if x > 0 else None


def log10(x: float) -> float | None:
    return math.log10(x) if x > 0 else None


def sqrt(x: float) -> float | None:
    return math.sqrt(x) if x >= 0 else None


def exp(x: float) -> float:
    return math.exp(x)


def remainder(a: int, b: int) -> int | None:
    return a % b if b else None


def clip(x: float, low: float = 0, high: float = 1) -> float:
    return min(max(x, low), high)


def normal_quantile(p: float) -> float:
    if not 0 < p < 1:
        raise Failed(f"normal_quantile takes a number between 0 and 1, not {p}")
    return quantile(p)


def same_money(a: Money, b: Money) -> bool:
    return a.amount == b.amount


def shelf_price(price: Money) -> Money:
    """A price as shops write it: …9 cents below 10, .49 or .99 below 100, .99 above."""
    x = float(price.amount)
    if x < 10:
        shown = max(0.49, math.floor(x * 10 + 0.5) / 10 - 0.01)
    elif x < 100:
        shown = math.floor(x * 2 + 0.5) / 2 - 0.01
    else:
        shown = math.floor(x + 0.5) - 0.01
    return Money(Decimal(f"{shown:.2f}"), price.currency)
