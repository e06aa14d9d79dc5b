"""Amounts in whole minor units, and what a rule takes of a base."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

from shopdsl.dsl.library.pricing.rules import Condition, Rule, Step

Number = int | Fraction
MINOR = 100
_LARGEST = 15


def exact(amount: Decimal, unit: int = 1) -> Fraction:
    """An amount as a fraction, in parts of a unit; raises ValueError where it is not finite, or absurd."""
    if not amount.is_finite() or (amount and abs(amount.adjusted()) > _LARGEST):
        raise ValueError(f"{amount} is no amount of money")
    return Fraction(amount) * unit


def minor(amount: Decimal) -> int:
    """A price in minor units; raises ValueError where it is negative or no whole number of them."""
    units = exact(amount, MINOR)
    if units < 0 or units.denominator != 1:
        raise ValueError(f"{amount} is no price in whole minor units")
    return units.numerator


def major(units: Number) -> Decimal:
    """Minor units, rounded to whole ones, as a decimal with two places."""
    return Decimal(floor(units + Fraction(1, 2))).scaleb(-2)


@dataclass(frozen=True, slots=True)
class Bound:
    """What a sum must reach."""

    least: Fraction
    strict: bool
    whole: int = field(init=False)

    def __post_init__(self) -> None:
        # The first whole number that reaches it: whole numbers are compared far more often, and far faster, than fractions.
        object.__setattr__(self, "whole", floor(self.least) + 1 if self.strict else ceil(self.least))

    def met(self, value: int, under: int = 1) -> bool:
        """Whether the sum, divided by `under`, reaches it."""
        if under == 1:
            return value >= self.whole
        over = value * self.least.denominator - self.least.numerator * under
        return over > 0 or (over == 0 and not self.strict)


def bound(condition: Condition) -> Bound:
    """The bound of a condition, for minor units or for pieces."""
    return Bound(exact(condition.amount, MINOR if condition.measure == "subtotal" else 1), condition.op == ">")


@dataclass(frozen=True, slots=True)
class Tier:
    """A step with its numbers ready; `fixed` is what it takes where that depends on no base, `share` the most of a base."""

    subtotals: tuple[Bound, ...]
    quantities: tuple[Bound, ...]
    take: Fraction
    rate: Fraction
    each: Fraction | None
    fixed: int
    share: Fraction = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", self._share())

    def holds(self, base: int, quantity: int, under: int = 1) -> bool:
        """Whether its conditions do."""
        for b in self.subtotals:
            if not b.met(base, under):
                return False
        return all(b.met(quantity) for b in self.quantities)

    def takes(self, base: int, rounding: str, under: int = 1) -> int:
        """What it takes of a base divided by `under`, in whole minor units."""
        if self.each is not None:
            times = base * self.each.denominator // (self.each.numerator * under)
            top, under = self.take.numerator * times, self.take.denominator
        elif self.rate:
            top, under = base * self.rate.numerator, under * self.rate.denominator
        else:
            return self.fixed
        return rounded(top, under, rounding)

    def _share(self) -> Fraction:
        """The largest part of its base that it can take."""
        if self.rate or not self.take:
            return self.rate
        if self.each is not None:
            return self.take / self.each
        least = max((b.least for b in self.subtotals), default=Fraction(0))
        return self.take / least if least > 0 else Fraction(2)


def rounded(top: int, under: int, rounding: str) -> int:
    """A fraction as a whole number."""
    match rounding:
        case "up":
            return -(-top // under)
        case "down":
            return top // under
        case _:
            return (2 * top + under) // (2 * under)


def tier(step: Step, rounding: str) -> Tier:
    """The numbers of a step."""
    pairs = [(c.measure, bound(c)) for c in step.when]
    take = exact(step.take or Decimal(0), MINOR)
    return Tier(
        tuple(b for measure, b in pairs if measure == "subtotal"),
        tuple(b for measure, b in pairs if measure == "quantity"),
        take,
        exact(step.percent or Decimal(0)) / 100,
        None if step.each is None else exact(step.each, MINOR),
        rounded(take.numerator, take.denominator, rounding),
    )


@dataclass(frozen=True, slots=True)
class Ready:
    """A rule with its numbers ready; `bit` is its place in the order, `against` the rules that it does not stack with.

    `starts` are the tiers with the least subtotal that they want.
    """

    rule: Rule
    bit: int
    tiers: tuple[Tier, ...]
    cap: int | None
    against: int
    starts: tuple[tuple[int, Tier], ...]

    def takes(self, base: int, quantity: int, left: int, under: int = 1) -> int:
        """What it takes of a target with a base, divided by `under`, and no more than so much left."""
        best = 0
        for t in self.tiers:
            if t.holds(base, quantity, under) and (amount := t.takes(base, self.rule.rounding, under)) > best:
                best = amount
        return self._at_most(best, left) if best > 0 else 0

    def most(self, base: int) -> int:
        """The most it takes of a base up to this one, whatever its conditions are."""
        return self._at_most(max((t.takes(base, self.rule.rounding) for t in self.tiers), default=0), base)

    def floor_after(self, left: int) -> int:
        """No more than what is left after it, where it looks at all that is left, and that is at least so much."""
        lowest = left
        for start, t in self.starts:
            here = left if left > start else start
            if t.each is None:
                amount = t.takes(here, self.rule.rounding) if t.rate else t.fixed
                after = here - (amount if self.cap is None or amount < self.cap else self.cap)
            else:
                after = here - min(here, t.share.numerator * here // t.share.denominator + 1)
                if self.cap is not None:
                    after = max(after, here - self.cap)
            if after < lowest:
                lowest = after
        return lowest if lowest > 0 else 0

    def _at_most(self, amount: int, left: int) -> int:
        return min(amount, left, amount if self.cap is None else self.cap)


def stack(a: Rule, b: Rule) -> bool:
    """Whether two rules may be applied to one order."""
    if a.group and a.group == b.group:
        return a.group in (a.stacks_with or ()) and b.group in (b.stacks_with or ())
    return all(x.stacks_with is None or y.group in x.stacks_with for x, y in ((a, b), (b, a)))


_SCOPES = ("product", "category", "seller", "order")


def ready(rules: list[Rule]) -> list[Ready]:
    """Rules in the order of application; raises ValueError for two of one name, or an `of` without such a target."""
    ordered = sorted(rules, key=lambda r: _SCOPES.index(r.scope))
    names = [r.name for r in ordered]
    for rule in ordered:
        if names.count(rule.name) > 1:
            raise ValueError(f"two rules are called {rule.name}")
        if rule.of and rule.scope not in ("seller", "category"):
            raise ValueError(f"{rule.name}: only a rule of a seller or a category can be `of` one")
    return [_ready(rule, ordered, place) for place, rule in enumerate(ordered)]


def _ready(rule: Rule, ordered: list[Rule], place: int) -> Ready:
    against = sum(1 << i for i, other in enumerate(ordered) if i != place and not stack(rule, other))
    cap = None if rule.cap is None else floor(exact(rule.cap, MINOR))
    if cap is not None and cap < 0:
        raise ValueError(f"{rule.name}: a cap is not negative")
    tiers = tuple(tier(s, rule.rounding) for s in rule.steps)
    starts = tuple((max((b.whole for b in t.subtotals), default=0), t) for t in tiers)
    return Ready(rule, 1 << place, tiers, cap, against, starts)
