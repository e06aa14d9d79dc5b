"""States of a search, and those of them of which none is sure to end cheaper than another one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from operator import le
from typing import NamedTuple

from shopdsl.dsl.library.pricing.floors import Ahead
from shopdsl.dsl.library.pricing.later import Trail, Vector, followed
from shopdsl.dsl.library.pricing.results import Budget

_COMPARED = 64
"""How many parts that are compared are one step."""


class State(NamedTuple):
    """Tokens taken and missed that are still open, rules missed for good, rules applied, what is left in all and by part, sums, paths.

    `least` is what it comes to at least, `ahead` what bounds that.
    """

    taken: int
    missed: int
    lost: int
    applied: int
    left: int
    parts: tuple[int, ...]
    sums: Vector
    paths: tuple[Trail, ...]
    least: int
    ahead: Ahead


class Front:
    """States that differ only in what is left, and in the paths to it.

    One is better that has less left of each part, and less in all by `gap` (None: no difference is enough); `keep` is how many
    paths to one state are remembered.
    """

    __slots__ = ("_by_left", "_by_parts", "budget", "gap", "keep")

    def __init__(self, gap: int | None, keep: int, budget: Budget) -> None:
        self.gap, self.keep, self.budget = gap, keep, budget
        self._by_left: list[tuple[int, tuple[int, ...]]] = []
        self._by_parts: dict[tuple[int, ...], State] = {}

    def __iter__(self) -> Iterator[State]:
        return iter(self._by_parts.values())

    def add(self, new: State) -> None:
        """Add a state, unless one is better; drop those that it betters."""
        old = self._by_parts.get(new.parts)
        if old is not None:
            if self.keep > 1:
                self._by_parts[new.parts] = old._replace(paths=_joined(old.paths, new.paths, self.keep))
            return
        if self._by_parts and self.gap is not None:
            self.budget.spend(len(self._by_parts) * len(new.parts) // _COMPARED)
            if self._bettered(new, self.gap):
                return
            self._drop(new, self.gap)
        self._by_parts[new.parts] = new
        insort(self._by_left, (new.left, new.parts))

    def _bettered(self, new: State, gap: int) -> bool:
        end = bisect_right(self._by_left, (new.left - gap + 1,))
        parts = new.parts
        for _, old in self._by_left[:end]:  # noqa: SIM110 - a generator would take a third more
            if all(map(le, old, parts)):
                return True
        return False

    def _drop(self, new: State, gap: int) -> None:
        start = bisect_left(self._by_left, (new.left + gap,))
        kept = self._by_left[start:]
        worse = [entry for entry in kept if all(map(le, new.parts, entry[1]))]
        if worse:
            for entry in worse:
                del self._by_parts[entry[1]]
            self._by_left[start:] = [entry for entry in kept if entry[1] in self._by_parts]


def _joined(a: tuple[Trail, ...], b: tuple[Trail, ...], keep: int) -> tuple[Trail, ...]:
    """The first paths of two lists, one for each choice of items."""
    by_items = {tuple(i for i, _ in followed(trail)): trail for trail in (*b, *a)}
    return tuple(by_items[items] for items in sorted(by_items)[:keep])
