"""The cheapest ways to price a problem: all sets of rules that cost least, and how each of them is reached."""

from __future__ import annotations

from collections.abc import Iterator

from shopdsl.dsl.library.pricing.goods import Stage, tokens
from shopdsl.dsl.library.pricing.later import Found, Later
from shopdsl.dsl.library.pricing.layout import Layout
from shopdsl.dsl.library.pricing.problem import Problem
from shopdsl.dsl.library.pricing.results import STEPS, Budget
from shopdsl.dsl.library.pricing.states import Walk

_BEAMS = (8, 64)
"""How many states passes before the exact one keep at each slot: the prices that they find bound what it must look at."""
_SETS = 16
"""How many comparisons of two sets of items are one step."""


def search(problem: Problem, prizes: dict[int, int], keep: int) -> list[Found]:
    """The ways of the least total less prizes, fewest coupons first, then by names; raises TooLarge.

    `prizes` are for rules whose use matters more than the total; `keep` is how many choices of items are told for one state.
    """
    order = _order(problem)
    budget = Budget()
    seen = sum(map(len, problem.targets.values())) + len(problem.fees)
    budget.spend(seen * max(seen, len(problem.items)) // _SETS)
    layout, marks = Layout(problem), tokens(problem, order)
    limited = set(marks.rule_of.values())
    stages = [Stage(problem, marks, free) for free in _free(problem, limited, budget)]
    later = Later(layout, budget, prizes, keep)
    walks = [Walk(stage, layout, order, later) for stage in stages]
    for beam in (*_BEAMS, STEPS):
        later.found.clear()
        whole = [walk.run(beam) for walk in walks]
        if all(whole):
            break
    ways = [w for found in later.found.values() for w in found if w.total - later.worth(w.used) == later.best]
    return sorted(ways, key=lambda w: _rank(problem, w))


def _rank(problem: Problem, way: Found) -> tuple[int, tuple[str, ...], object]:
    coupons = sum(1 for r in problem.rules if r.rule.coupon and r.bit & way.used)
    return coupons, tuple(sorted(problem.names(way.used))), way.paths


def _order(problem: Problem) -> tuple[int, ...]:
    """Sellers one after the other, dear slots first: what is small then closes the bounds that are still open."""
    items = problem.items

    def key(slot: int) -> tuple[str, int]:
        first = items[problem.slots[slot][0]]
        alone = len(problem.slots[slot]) == 1
        return (first.seller if alone else "", -max(items[i].amount for i in problem.slots[slot]))

    return tuple(sorted(range(len(problem.slots)), key=key))


def _free(problem: Problem, limited: set[int], budget: Budget) -> Iterator[int]:
    """The sets of unlimited product rules to apply: automatic ones that stack with everything, and any choice of the others."""
    rules = [r for r in problem.rules if r.rule.scope == "product" and r.bit not in limited]
    sets = [sum(r.bit for r in rules if not r.rule.coupon and not r.against)]
    for rule in rules:
        if rule.rule.coupon or rule.against:
            budget.spend(len(sets))
            sets += [s | rule.bit for s in sets if not rule.against & s]
    yield from sets
