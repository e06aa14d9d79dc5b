"""The rules of single products: what can become of each item, and the states that a choice for every slot leads to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from shopdsl.dsl.library.pricing.amounts import Ready
from shopdsl.dsl.library.pricing.problem import Problem
from shopdsl.dsl.library.pricing.results import Budget

_COST = 8


class Outcome(NamedTuple):
    """What becomes of an item: what is left, the tokens it takes and misses, the rules applied, the automatic ones missed."""

    item: int
    left: int
    tokens: int
    missed: int
    applied: int
    owed: int


@dataclass(frozen=True, slots=True)
class Tokens:
    """The single applications of limited rules: a bit for each rule and unit, and the last slot that can take it."""

    bits: dict[tuple[int, str], int]
    rule_of: dict[int, int]
    last: dict[int, int]
    tracked: int

    def closed(self, place: int) -> int:
        """The tokens that nothing after a slot can take."""
        return sum(token for token, last in self.last.items() if last == place)


def tokens(problem: Problem, order: tuple[int, ...]) -> Tokens:
    """The tokens of the product rules whose limit binds; slots are gone through in `order`."""
    found = Tokens({}, {}, {}, 0)
    place = {slot: n for n, slot in enumerate(order)}
    tracked = 0
    for rule in problem.rules:
        units: dict[str, set[int]] = {}
        for target in problem.targets[rule.bit] if rule.rule.scope == "product" else ():
            for i in target.items:
                units.setdefault(problem.unit(rule.rule, i), set()).add(problem.items[i].slot)
        if all(len(slots) < 2 for slots in units.values()):
            continue
        for unit, slots in units.items():
            token = 1 << len(found.bits)
            found.bits[rule.bit, unit] = token
            found.rule_of[token] = rule.bit
            found.last[token] = max(place[s] for s in slots)
            tracked |= token if len(units) > 1 or not rule.rule.coupon else 0
    return Tokens(found.bits, found.rule_of, found.last, tracked)


@dataclass(frozen=True, slots=True)
class Stage:
    """The product rules, with the unlimited ones that are to be applied."""

    problem: Problem
    tokens: Tokens
    free: int

    def outcomes(self, item: int, budget: Budget) -> list[Outcome]:
        """What can become of an item."""
        rules = self.problem.alone[item]
        start = Outcome(item, self.problem.items[item].amount, 0, 0, 0, 0)
        found = []
        for outcome in self._after(rules, 0, start):
            budget.spend(_COST)
            found.append(outcome)
        return sorted(found, key=lambda o: o.left)

    def _after(self, rules: tuple[Ready, ...], n: int, now: Outcome) -> Iterator[Outcome]:
        if n == len(rules):
            yield now
            return
        rule, row = rules[n], self.problem.items[now.item]
        takes = rule.takes(row.amount if rule.rule.base == "list" else now.left, row.quantity, now.left)
        token = self.tokens.bits.get((rule.bit, self.problem.unit(rule.rule, now.item)), 0)
        if not takes:
            yield from self._after(rules, n + 1, now)
            return
        if (token or rule.bit & self.free) and not rule.against & (now.applied | self.free):
            used = now._replace(left=now.left - takes, tokens=now.tokens | token, applied=now.applied | rule.bit)
            yield from self._after(rules, n + 1, used)
        if token:
            yield from self._after(rules, n + 1, now._replace(missed=now.missed | (token & self.tokens.tracked)))
        elif not rule.bit & self.free:
            yield from self._after(rules, n + 1, now if rule.rule.coupon else now._replace(owed=now.owed | rule.bit))
