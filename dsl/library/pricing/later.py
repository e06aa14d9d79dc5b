"""The rules of categories, sellers and the order, and shipping, on the sums that the items came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd
from typing import Any, NamedTuple

from shopdsl.dsl.library.pricing.amounts import Ready
from shopdsl.dsl.library.pricing.layout import FeeView, Layout, View
from shopdsl.dsl.library.pricing.results import Budget

Vector = tuple[int, ...]
Path = tuple[tuple[int, int], ...]
"""For each slot, in the order of the search: the item, and the tokens that it takes."""
Trail = tuple[()] | tuple[Any, int, int]
"""A path from its end: the trail before, the item, and the tokens."""
Picks = tuple[tuple[int, str], ...]
"""The targets that rules with one application were put on."""


class Found(NamedTuple):
    """One way to a price: the paths to the items are equal in all that follows."""

    total: int
    used: int
    paths: tuple[Path, ...]
    picks: Picks


@dataclass(slots=True)
class Later:
    """Gathers the cheapest ways, for each set of rules used; `prizes` is what the use of a rule is worth beyond what it takes."""

    layout: Layout
    budget: Budget
    prizes: dict[int, int]
    keep: int
    best: int | None = None
    found: dict[int, list[Found]] = field(default_factory=dict)
    _most: list[int] = field(default_factory=list)

    def worth(self, mask: int) -> int:
        """The prizes of some rules."""
        return sum(prize for bit, prize in self.prizes.items() if bit & mask)

    def finish(self, sums: Vector, total: int, used: int, owed: int, paths: tuple[Trail, ...]) -> None:
        """Try everything that can follow; as bases only shrink, what a rule takes of the first is the most that it takes."""
        self._most = []
        for rule in self.layout.later:
            amounts = [taken(rule, view, sums, 1) for view in self.layout.views[rule.bit]]
            self._most.append(max(amounts, default=0) if single(rule) else sum(amounts))
        self._go(0, sums, 1, total, used, owed, paths, ())

    def _go(
        self, n: int, sums: Vector, under: int, total: int, used: int, owed: int, paths: tuple[Trail, ...], picks: Picks
    ) -> None:
        self.budget.spend(self.layout.cost)
        ahead = sum(r.bit for r in self.layout.later[n:]) if self.prizes else 0
        if self.best is not None and self._least(n, total, used) - self.worth(used | ahead) > self.best:
            return
        if n == len(self.layout.later):
            self._end(sums, under, total, used, owed, paths, picks)
            return
        rule = self.layout.later[n]
        takes = [(view, amount) for view in self.layout.views[rule.bit] if (amount := taken(rule, view, sums, under))]
        if takes and not rule.against & used:
            for some in [[t] for t in takes] if single(rule) else [takes]:
                after, parts = sums, under
                for view, amount in some:
                    after, parts = self._less(after, parts, view, amount)
                picked = (*picks, (rule.bit, some[0][0].target.name)) if single(rule) else picks
                self._go(n + 1, after, parts, total - sum([a for _, a in some]), used | rule.bit, owed, paths, picked)
        if not takes or rule.rule.coupon:
            self._go(n + 1, sums, under, total, used, owed, paths, picks)
        elif rule.against:
            self._go(n + 1, sums, under, total, used, owed | rule.bit, paths, picks)

    def _less(self, sums: Vector, under: int, view: View, amount: int) -> tuple[Vector, int]:
        """The sums after an amount was taken: as a whole from sums around the target, or from its parts in proportion."""
        after = list(sums)
        if self.layout.nested:
            for n in view.hits:
                after[n] -= amount
            return tuple(after), 1
        # All parts are multiplied by what was left of the target, so that no share is a fraction.
        whole, parts = sum([sums[n] for n in view.hits]), len(self.layout.atoms)
        after[:parts] = [value * whole for value in sums[:parts]]
        for n in view.hits:
            after[n] = sums[n] * (whole - amount * under)
        under *= whole
        common = gcd(under, *after[:parts])
        after[:parts] = [value // common for value in after[:parts]]
        return tuple(after), under // common

    def _least(self, n: int, total: int, used: int) -> int:
        """No more than what a total can still come to."""
        for capped, most in zip(self.layout.capped[n:], self._most[n:], strict=True):
            if most and not capped.rule.against & used:
                total = capped.floor_after(total, most)
        return total

    def _end(self, sums: Vector, under: int, total: int, used: int, owed: int, paths: tuple[Trail, ...], picks: Picks) -> None:
        if any(owed & r.bit and not r.against & used for r in self.layout.problem.rules):
            return
        total += sum([charged(view, sums, under) for view in self.layout.fees])
        score = total - self.worth(used)
        if self.best is not None and score > self.best:
            return
        self.best = score
        kept = self.found.get(used, [])
        if not kept or total < kept[0].total:
            self.found[used] = [Found(total, used, tuple(map(followed, paths)), picks)]
        elif total == kept[0].total and len(kept) < self.keep:
            kept.append(Found(total, used, tuple(map(followed, paths)), picks))


def followed(trail: Trail) -> Path:
    """The path of a trail."""
    steps = []
    while trail:
        trail, item, tokens = trail
        steps.append((item, tokens))
    return tuple(reversed(steps))


def single(rule: Ready) -> bool:
    """Whether a rule of sellers or categories has one application in the order."""
    return rule.rule.once_per == "order" and rule.rule.scope != "order"


def taken(rule: Ready, view: View, sums: Vector, under: int) -> int:
    """What a rule would take of a target, where the parts of what is left are to be divided by `under`."""
    base = sum([sums[n] for n in view.base])
    left = sum([sums[n] for n in view.left]) // under if view.left else base
    return rule.takes(base, sums[view.units] if view.units >= 0 else 0, left, under if view.parted else 1)


def charged(view: FeeView, sums: Vector, under: int) -> int:
    """The fee, unless it is spared."""
    if not sums[view.units]:
        return 0
    free = view.fee.free
    spared = free is not None and free.met(sum([sums[n] for n in view.base]), under if view.parted else 1)
    return 0 if spared else view.fee.amount
