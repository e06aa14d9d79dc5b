"""What a search must know of the items chosen so far: the sums that rules and fees will look at.

Only these sums, not the items, tell two states apart. A sum that can no longer cross a bound matters no more, and of two
states that differ only in what is left the one with less left is the better. A sum is `crossed` where a rule before takes
from items within and outside it: its shares must then be followed (`atoms`), and while such a sum is open, only equal states
are one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple

from shopdsl.dsl.library.pricing.amounts import Bound, Ready
from shopdsl.dsl.library.pricing.problem import Fee, Ids, Problem, Target

Kind = Literal["left", "list", "units"]


@dataclass(slots=True)
class Sum:
    """A sum over items; `bounds` with what may be taken before they are looked at; `clamp` is how much is surely enough.

    `fixed` where every value may matter, `rated` where a part of it is taken, `atom` where it is only there to be shared in.
    """

    kind: Kind
    items: Ids
    bounds: list[tuple[Bound, int]] = field(default_factory=list)
    clamp: int = 0
    fixed: bool = False
    rated: bool = False
    crossed: bool = False
    atom: bool = False


class View(NamedTuple):
    """Where one application finds its base, its units and what is left (empty: enough is), and what it takes from.

    The base is `parted` where it is made of parts that amounts are shared out to.
    """

    target: Target
    base: tuple[int, ...]
    units: int
    left: tuple[int, ...]
    hits: tuple[int, ...]
    most: int
    parted: bool


class FeeView(NamedTuple):
    """Where a fee finds its sum and its units."""

    fee: Fee
    base: tuple[int, ...]
    units: int
    parted: bool


@dataclass(frozen=True, slots=True)
class Capped:
    """A later rule, for bounds; `whole` where it looks at all that is left, `share` where it does so target by target.

    The share is a fraction of all that is left, and what rounding may add.
    """

    rule: Ready
    whole: bool
    share: tuple[int, int, int] | None

    def floor_after(self, left: int, most: int) -> int:
        """No more than what is left after it, where that is at least so much and it takes at most `most`."""
        if self.whole:
            return self.rule.floor_after(left)
        if self.share is not None:
            top, under, more = self.share
            return left - min(most, top * left // under + more)
        return left - most


class Layout:
    """The sums of a problem, and the views of its rules and fees; built once, then only read."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.sums: list[Sum] = []
        self._found: dict[tuple[str, Ids], int] = {}
        self.later = [r for r in problem.rules if r.rule.scope != "product"]
        self._pairs = [(r, t) for r in self.later for t in problem.targets[r.bit]]
        self.running = {r.bit: r.rule.base == "running" or not self._touched(r) for r in self.later}
        tame = self._nested([(r, t.items) for r, t in self._pairs])
        self._safe = {(r.bit, t.items) for r, t in self._pairs if not self.running[r.bit] and self._unclamped(r, t, tame)}
        self.nested = self._nested([(r, t.items) for r, t in self._pairs if (r.bit, t.items) not in self._safe])
        self._atoms = (
            [] if self.nested else self._parts([t.items for _, t in self._pairs] + [f.target.items for f in problem.fees])
        )
        for n, atom in enumerate(self._atoms):
            self.sums.append(Sum("left", atom, atom=True))
            self._found["atom", atom] = n
        self.views = {r.bit: [self._view(r, t) for t in problem.targets[r.bit]] for r in self.later}
        self.fees = [self._fee(fee) for fee in problem.fees]
        self._hit()
        everything = frozenset(range(len(problem.items)))
        self.whole = {
            r.bit for r in self.later if any(v.target.items == everything and v.base == v.left for v in self.views[r.bit])
        }
        self.capped = [self._capped(r) for r in self.later]
        rated = any(s.rated for s in self.sums)
        parts = self._parts([s.items for s in self.sums if s.kind == "left"]) if rated else []
        self.atoms = [n for n, s in enumerate(self.sums) if s.atom]
        self.part_of = {i: n for n, part in enumerate(parts) for i in part}
        self.parts = len(parts) + 1
        self.cost = 1 + len(self.sums) // 8

    def most(self, items: Ids) -> int:
        """The largest list subtotal that some items can come to."""
        return sum(max((self.problem.items[i].amount for i in slot if i in items), default=0) for slot in self.problem.slots)

    def least(self, items: Ids) -> int:
        """The smallest list subtotal."""
        return sum(min(self.problem.items[i].amount if i in items else 0 for i in slot) for slot in self.problem.slots)

    def watched(self, base: tuple[int, ...], items: Ids) -> int:
        """The one sum that is the base as long as no later rule is applied."""
        return base[0] if len(base) == 1 else self._found["left", items]

    def _capped(self, rule: Ready) -> Capped:
        share = None
        if self.running[rule.bit]:
            part = min(max((t.share for t in rule.tiers), default=Fraction(0)), Fraction(1))
            share = part.numerator, part.denominator, len(self.views[rule.bit])
        return Capped(rule, rule.bit in self.whole, share)

    def _touched(self, rule: Ready) -> bool:
        mine = frozenset().union(*(t.items for t in self.problem.targets[rule.bit]))
        before = [r for r in self.problem.rules if r.bit < rule.bit]
        return any(mine & t.items for r in before for t in self.problem.targets[r.bit])

    def _nested(self, looked_at: list[tuple[Ready, Ids]]) -> bool:
        fees = [(1 << len(self.problem.rules), f.target.items) for f in self.problem.fees if f.running]
        seen = [(r.bit, items) for r, items in looked_at] + fees
        return all(t.items <= x or not t.items & x for r, t in self._pairs for bit, x in seen if bit > r.bit)

    def _unclamped(self, rule: Ready, target: Target, tame: bool) -> bool:
        """Whether what is left can never be less than what the rule wants."""
        rivals = [
            (r, t) for r in self.problem.rules if r.bit <= rule.bit for t in self.problem.targets[r.bit] if t.items & target.items
        ]
        if sum(r.most(self.most(t.items)) for r, t in rivals) <= self.least(target.items):
            return True
        smallest = min((Fraction(a) for i in target.items if (a := self.problem.items[i].amount)), default=Fraction(1))
        needed = min((max((b.least for b in t.subtotals), default=Fraction(0)) for t in rule.tiers), default=Fraction(0))
        shares = sum(max((tier.share for tier in r.tiers), default=Fraction(0)) for r in {r.bit: r for r, _ in rivals}.values())
        return tame and shares + Fraction(len(rivals)) / max(needed, smallest) <= 1

    @staticmethod
    def _parts(sets: Iterable[Ids]) -> list[Ids]:
        """The coarsest disjoint sets that each of these is made of."""
        signs: dict[int, tuple[int, ...]] = {}
        for n, items in enumerate(sets):
            for i in items:
                signs[i] = (*signs.get(i, ()), n)
        parts: dict[tuple[int, ...], list[int]] = {}
        for i, sign in signs.items():
            parts.setdefault(sign, []).append(i)
        return [frozenset(p) for p in parts.values()]

    def _sum(self, kind: Kind, items: Ids) -> int:
        if (kind, items) not in self._found:
            self._found[kind, items] = len(self.sums)
            self.sums.append(Sum(kind, items))
        return self._found[kind, items]

    def _left(self, items: Ids) -> tuple[int, ...]:
        return (self._sum("left", items),) if self.nested else tuple(self._found["atom", a] for a in self._atoms if a <= items)

    def _watched(self, bit: int, items: Ids) -> Sum:
        """The sum of what is left of some items before any later rule, to be told apart by it."""
        row = self.sums[self._sum("left", items)]
        row.crossed |= any(r.bit < bit and t.items & items and not t.items <= items for r, t in self._pairs)
        return row

    def _before(self, bit: int, items: Ids) -> int:
        return sum(r.most(self.most(t.items)) for r, t in self._pairs if r.bit < bit and t.items & items)

    def _view(self, rule: Ready, target: Target) -> View:
        running, items, most = self.running[rule.bit], target.items, rule.most(self.most(target.items))
        before = self._before(rule.bit, items)
        base = self._left(items) if running else (self._sum("list", items),)
        self._watch(self._watched(rule.bit, items) if running else self.sums[base[0]], rule, before if running else 0)
        units = -1
        if any(t.quantities for t in rule.tiers):
            units = self._sum("units", items)
            self.sums[units].bounds += [(b, 0) for t in rule.tiers for b in t.quantities]
        left: tuple[int, ...] = ()
        if not self.nested or (rule.bit, items) not in self._safe:
            left = self._left(items)
            if not (running and all(t.share <= 1 for t in rule.tiers)):
                row = self._watched(rule.bit, items)
                row.clamp = max(row.clamp, before + most)
        return View(target, base, units, left, (), most, running and not self.nested)

    def _watch(self, row: Sum, rule: Ready, before: int) -> None:
        for tier in rule.tiers:
            row.bounds += [(b, before) for b in tier.subtotals]
            if tier.rate and row.kind == "left":
                row.bounds.append((_first(rule, tier.rate), before))
            row.fixed |= tier.each is not None or bool(tier.rate and row.kind == "list")
            row.rated |= bool(tier.rate and row.kind == "left")

    def _fee(self, fee: Fee) -> FeeView:
        items = fee.target.items
        units = self._sum("units", items)
        self.sums[units].bounds.append((Bound(Fraction(0), True), 0))
        if fee.free is None:
            return FeeView(fee, (), units, False)
        base = self._left(items) if fee.running else (self._sum("list", items),)
        end = 1 << len(self.problem.rules)
        row = self._watched(end, items) if fee.running else self.sums[base[0]]
        row.bounds.append((fee.free, self._before(end, items) if fee.running else 0))
        return FeeView(fee, base, units, fee.running and not self.nested)

    def _hit(self) -> None:
        for bit, views in self.views.items():
            for n, view in enumerate(views):
                hits = (
                    [d for d, s in enumerate(self.sums) if s.kind == "left" and view.target.items <= s.items]
                    if self.nested
                    else view.left
                )
                views[n] = view._replace(hits=tuple(hits))
            self.views[bit] = views


def _first(rule: Ready, rate: Fraction) -> Bound:
    """From which base on a rate takes anything at all, once it is rounded."""
    match rule.rule.rounding:
        case "up":
            return Bound(Fraction(0), True)
        case "down":
            return Bound(1 / rate, False)
        case _:
            return Bound(1 / (2 * rate), False)
