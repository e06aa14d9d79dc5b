"""Functions that draw. The first argument is the stream of the drawn name; weights decide as whole numbers."""

from __future__ import annotations

import math
from typing import Any

from shopdsl.dsl.library.collections import walk
from shopdsl.dsl.random import UNIT, Stream, cumulative, normal_quantile, scale
from shopdsl.dsl.values import Failed, order


class Weighted:
    """Members with their running whole weights, made once and drawn from often."""

    __slots__ = ("members", "steps")

    def __init__(self, members: list[Any], weights: list[float] | None) -> None:
        self.members = members
        self.steps: list[int] | None = None
        if weights is not None and members:
            self.steps = cumulative([float(w or 0) for w in weights])
            if self.steps is None:
                raise Failed("no member has a weight above 0")

    def index(self, stream: Stream) -> int:
        return stream.pick(self.steps) if self.steps else stream.below(len(self.members))


def weighted(values: Any, weight: list[float] | None = None) -> Weighted:
    """A map of weights is a distribution over its keys; anything else has equal weights, or those given."""
    if isinstance(values, Weighted):
        return values
    if isinstance(values, dict):
        members = sorted((k for k in values), key=order)
        return Weighted(members, [float(values[m]) for m in members])
    return Weighted(walk(values), weight)


def choice(stream: Stream, values: Any, weight: list[float] | None = None) -> Any:
    pool = weighted(values, weight)
    return pool.members[pool.index(stream)] if pool.members else None


def sample(stream: Stream, values: Any, k: int, weight: list[float] | None = None) -> list[Any]:
    pool = weighted(values, weight)
    if pool.steps is None:
        return stream.sample(pool.members, max(0, k))
    weights = [b - a for a, b in zip([0, *pool.steps], pool.steps, strict=False)]
    left: list[int] = list(range(len(pool.members)))
    result: list[Any] = []
    while left and len(result) < k:
        steps = cumulative([weights[i] for i in left])
        if steps is None:
            break
        result.append(pool.members[left.pop(stream.pick(steps))])
    return result


def shuffle(stream: Stream, values: Any) -> list[Any]:
    members = walk(values)
    return stream.sample(members, len(members))


def chance(stream: Stream, p: float) -> bool:
    return stream.chance(p)


def uniform(stream: Stream, low: float, high: float) -> float:
    return low + (high - low) * stream.unit()


def uniform_int(stream: Stream, low: int, high: int) -> int:
    if high < low:
        raise Failed(f"uniform_int({low}, {high}) has nothing to draw from")
    return low + stream.below(high - low + 1)


def geometric(stream: Stream, p: float) -> int:
    """Tries up to and with the first success: P(n) = (1-p)^(n-1) p; ends at 1,000."""
    threshold, n = scale(p), 1
    while n < 1000 and stream.below(UNIT) >= threshold:
        n += 1
    return n


def power_law(stream: Stream, low: int, high: int, shift: float = 0, alpha: float = 1, decay: float = 1) -> int:
    """P(q) ∝ (q + shift)^-alpha · decay^(q - low), for q from low to high."""
    if high < low or low + shift <= 0 or high - low > 10_000:
        raise Failed(f"power_law({low}, {high}, shift={shift:g}) has nothing to draw from")
    steps = cumulative([(q + shift) ** -alpha * decay ** (q - low) for q in range(low, high + 1)])
    if steps is None:
        raise Failed("no quantity has a weight above 0")
    return low + stream.pick(steps)


def normal(stream: Stream, mean: float, sd: float) -> float:
    return mean + sd * normal_quantile(stream.unit())


def lognormal(stream: Stream, mean: float, sd: float) -> float:
    return math.exp(min(700.0, normal(stream, mean, sd)))
