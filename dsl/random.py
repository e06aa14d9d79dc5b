"""Reproducible draws: BLAKE2b in counter mode, read as 64-bit words, and sampling that no raw float decides."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from hashlib import blake2b
from itertools import accumulate
from typing import TypeVar

from shopdsl.dsl.values import Failed

T = TypeVar("T")

UNIT = 1 << 40
"""Weights and probabilities are whole multiples of 1/UNIT before they decide anything."""


def digest_int(*parts: object) -> int:
    """A 63-bit whole number from any parts, the same everywhere."""
    return int.from_bytes(blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest(), "big") >> 1


class Stream:
    """The random words of one drawn name."""

    __slots__ = ("_counter", "_key", "_words")

    def __init__(self, *path: object) -> None:
        self._key = blake2b("\x1f".join(map(str, path)).encode(), digest_size=32).digest()
        self._counter = 0
        self._words: list[int] = []

    def word(self) -> int:
        """The next 64-bit word."""
        if not self._words:
            block = blake2b(self._counter.to_bytes(8, "big"), key=self._key).digest()
            self._words = [int.from_bytes(block[i : i + 8], "big") for i in range(56, -1, -8)]
            self._counter += 1
        return self._words.pop()

    def below(self, n: int) -> int:
        """A uniform whole number from 0 to n-1, without bias."""
        if not 0 < n <= 1 << 64:
            raise Failed("there is nothing to draw from, or too much")
        limit = (1 << 64) - (1 << 64) % n
        word = self.word()
        while word >= limit:
            word = self.word()
        return word % n

    def unit(self) -> float:
        """A uniform number in (0, 1); use it for values, never to decide."""
        return ((self.word() >> 12) + 0.5) * 2.0**-52

    def chance(self, p: float) -> bool:
        """True with probability p, to a multiple of 1/UNIT."""
        return self.below(UNIT) < scale(p)

    def pick(self, steps: Sequence[int]) -> int:
        """An index, by cumulative whole weights."""
        return bisect_right(steps, self.below(steps[-1]))

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """k different members in random order, or all where there are fewer."""
        n = len(items)
        moved: dict[int, int] = {}
        result = []
        for i in range(min(k, n)):
            j = i + self.below(n - i)
            result.append(items[moved.get(j, j)])
            moved[j] = moved.get(i, i)
        return result


def scale(p: float) -> int:
    """A probability as a multiple of 1/UNIT, clamped to 0..1."""
    return min(UNIT, max(0, math.floor(p * UNIT + 0.5)))


def cumulative(weights: Sequence[float]) -> list[int] | None:
    """Running sums of weights as whole multiples of 1/UNIT of their total; None where nothing has weight."""
    total = math.fsum(weights)
    if not total > 0 or any(w < 0 for w in weights):
        return None
    steps = list(accumulate(math.floor(w / total * UNIT + 0.5) for w in weights))
    return steps if steps[-1] > 0 else None


def normal_quantile(p: float) -> float:
    """The standard normal quantile (Wichura's algorithm AS 241, PPND16)."""
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        return q * _ratio(r, _A, _B)
    r = math.sqrt(-math.log(min(p, 1 - p)))
    x = _ratio(r - 1.6, _C, _D) if r <= 5 else _ratio(r - 5, _E, _F)
    return math.copysign(x, q)


def _ratio(r: float, upper: tuple[float, ...], lower: tuple[float, ...]) -> float:
    a = b = 0.0
    for x, y in zip(reversed(upper), reversed(lower), strict=True):
        a, b = a * r + x, b * r + y
    return a / b


_A = (3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
      4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3)  # fmt: skip
_B = (1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
      2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3)  # fmt: skip
_C = (1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
      1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4)  # fmt: skip
_D = (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
      1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9)  # fmt: skip
_E = (6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
      2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7)  # fmt: skip
_F = (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
      7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15)  # fmt: skip
