"""The working of a price: each rule applied to the lines themselves, and why the others are not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

from shopdsl.dsl.library.pricing.amounts import Number, Ready, major
from shopdsl.dsl.library.pricing.problem import Ids, Problem, Target
from shopdsl.dsl.library.pricing.results import Working


@dataclass(slots=True)
class Ledger:
    """What is left of each item that is bought, the lines of the working, and what kept rules from being applied."""

    problem: Problem
    bought: Ids
    left: dict[int, Number] = field(default_factory=dict)
    working: list[Working] = field(default_factory=list)
    unmet: dict[str, str] = field(default_factory=dict)
    shipping: int = 0

    def __post_init__(self) -> None:
        for i in sorted(self.bought):
            item = self.problem.items[i]
            self.left[i] = item.amount
            note = f"{item.quantity} units" if item.quantity > 1 else ""
            self.working.append(Working("goods", item.product, major(item.amount), note))

    def write(self, used: int, chosen: Mapping[int, frozenset[Target]]) -> int:
        """Apply the rules used, a limited one to its chosen targets, and the fees; what is to be paid."""
        for rule in self.problem.rules:
            targets = [t for t in self.problem.targets[rule.bit] if t.items & self.bought]
            if rule.bit & used:
                self._apply(rule, [t for t in targets if rule.bit not in chosen or t in chosen[rule.bit]])
            elif (why := self._unmet(rule, targets)) is not None:
                self.unmet[rule.rule.name] = why
        for fee in self.problem.fees:
            items = fee.target.items & self.bought
            if items:
                base = self._sum(items, running=fee.running)
                spared = fee.free is not None and fee.free.met(base.numerator, base.denominator)
                self.shipping += 0 if spared else fee.amount
                note = f"free: the subtotal is {major(base)}" if spared else ""
                self.working.append(Working("shipping", fee.target.name, major(0 if spared else fee.amount), note))
        total = int(sum(self.left.values(), Fraction(0))) + self.shipping
        self.working.append(Working("total", "", major(total), ""))
        return total

    def _sum(self, items: Ids, *, running: bool) -> Number:
        return sum(self.left[i] if running else self.problem.items[i].amount for i in items)

    def _measures(self, rule: Ready, target: Target) -> tuple[Number, int, Number]:
        """Base, units and what is left of a target."""
        items = target.items & self.bought
        left = self._sum(items, running=True)
        base = left if rule.rule.base == "running" else self._sum(items, running=False)
        return base, sum(self.problem.items[i].quantity for i in items), left

    def _apply(self, rule: Ready, targets: list[Target]) -> None:
        for target in targets:
            base, units, left = self._measures(rule, target)
            if takes := rule.takes(base.numerator, units, floor(left), base.denominator):
                for i in target.items & self.bought:
                    self.left[i] -= Fraction(takes) * self.left[i] / left
                note = f"of {major(base)}" + (" left" if rule.rule.base == "running" else "")
                self.working.append(Working(rule.rule.name, target.name, major(-takes), note))

    def _unmet(self, rule: Ready, targets: list[Target]) -> str | None:
        """Why a rule takes nothing of any target; None where it would."""
        if not targets:
            return "there is no product that it applies to"
        measures = [self._measures(rule, t) for t in targets]
        if any(rule.takes(b.numerator, u, floor(left), b.denominator) for b, u, left in measures):
            return None
        base, units, _ = max(measures)
        if any(t.holds(b.numerator, u, b.denominator) for b, u, _ in measures for t in rule.tiers):
            return "there is nothing left that it could take"
        for subtotal in sorted(
            {b for t in rule.tiers for b in t.subtotals if not b.met(base.numerator, base.denominator)}, key=lambda b: b.least
        ):
            more = "more than " if subtotal.strict else ""
            return f"needs a subtotal of {more}{major(subtotal.least)}, and it is {major(base)}"
        units = max(u for _, u, _ in measures)
        for count in sorted({b for t in rule.tiers for b in t.quantities if not b.met(units)}, key=lambda b: b.least):
            more = "more than " if count.strict else ""
            return f"needs a quantity of {more}{count.least}, and it is {units}"
        return "no product meets its conditions"
