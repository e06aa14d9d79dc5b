"""The least that a state can still come to: what bounds the search."""

from __future__ import annotations

from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple

from shopdsl.dsl.library.pricing.amounts import Ready
from shopdsl.dsl.library.pricing.goods import Outcome
from shopdsl.dsl.library.pricing.later import Vector, single
from shopdsl.dsl.library.pricing.layout import Capped, Layout


class Move(NamedTuple):
    """An outcome with what it adds to the sums, the rules that do not stack with it, and the part that it belongs to."""

    outcome: Outcome
    adds: tuple[int, ...]
    rivals: int
    part: int


def against(rules: tuple[Ready, ...], applied: int) -> int:
    """The rules that do not stack with one of those applied."""
    mask = 0
    for rule in rules:
        mask |= rule.against if rule.bit & applied else 0
    return mask


class Ahead(NamedTuple):
    """What is known of the end of a state: the most that each later rule can still take, and the fees that are sure."""

    takes: tuple[int, ...]
    fees: int


class Floors:
    """Bounds from below for the states of one walk: each token can be taken once, and later rules take what they can at most."""

    def __init__(self, layout: Layout, moves: list[list[Move]], high: list[Vector], prizes: dict[int, int]) -> None:
        self.high, self.prizes = high, prizes
        self.plain = [0]
        self.worth: list[dict[int, int]] = [{}]
        for column in reversed(moves):
            plain, worth = worths(tuple((m.outcome.tokens, m.outcome.left) for m in column))
            self.plain.insert(0, self.plain[0] + plain)
            self.worth.insert(0, most(self.worth[0], worth))
        self.cliques = _cliques(layout.capped)
        self.rivals = reduce(or_, (r.against for r in layout.later), 0)
        self.views = [
            (r, single(r), [(v, layout.watched(v.base, v.target.items), dict[int, int]()) for v in layout.views[r.bit]])
            for r in layout.later
        ]
        self.paid = [
            (
                f.fee.amount,
                f.units,
                layout.watched(f.base, f.fee.target.items) if f.base else 0,
                None if f.fee.free is None else f.fee.free.whole,
            )
            for f in layout.fees
        ]
        self._left: dict[tuple[int, int], int] = {}

    def goods(self, place: int, taken: int) -> int:
        """The least that the slots from a place on come to, before later rules."""
        if (place, taken) not in self._left:
            gains = sum(amount for token, amount in self.worth[place].items() if not token & taken)
            self._left[place, taken] = self.plain[place] - gains
        return self._left[place, taken]

    def end(self, least: int, applied: int, ahead: Ahead) -> int:
        """The least that a state comes to where so much is left before later rules, less the prizes that these can win."""
        takes, prize = ahead.takes, 0
        for clique in self.cliques:
            end, won = least, 0
            for place, capped in clique:
                rule = capped.rule
                if takes[place] and not rule.against & applied:
                    after = capped.floor_after(least, takes[place])
                    if after < end:
                        end = after
                    if self.prizes:
                        won = max(won, self.prizes.get(rule.bit, 0))
            least, prize = end, prize + won
        return least + ahead.fees - prize

    def ahead(self, place: int, sums: Vector) -> Ahead:
        """What the sums at a place allow: rules take no more, and fees are no less, than at an earlier place of the state."""
        high, takes, fees = self.high[place], [], 0
        for rule, alone, views in self.views:
            whole = 0
            for view, n, seen in views:
                base = sums[n] + high[n]
                amount = seen.get(base)
                if amount is None:
                    some = any(all(b.met(base) for b in t.subtotals) for t in rule.tiers)
                    amount = seen[base] = min(view.most, rule.most(base)) if some else 0
                if not alone:
                    whole += amount
                elif amount > whole:
                    whole = amount
            takes.append(whole)
        for amount, units, n, free in self.paid:
            if sums[units] and (free is None or sums[n] + high[n] < free):
                fees += amount
        return Ahead(tuple(takes), fees)


@lru_cache(64)
def worths(column: tuple[tuple[int, int], ...]) -> tuple[int, dict[int, int]]:
    """The least of a slot's values without tokens, and what each token saves; together no less than what those of a move save."""
    plain = min(value for tokens, value in column if not tokens)
    worth: dict[int, int] = {}
    for tokens, value in sorted(column, key=lambda c: c[0].bit_count()):
        bits = [1 << n for n in range(tokens.bit_length()) if tokens >> n & 1]
        short = plain - value - sum(worth.get(bit, 0) for bit in bits)
        if short > 0:
            for bit in bits:
                worth[bit] = worth.get(bit, 0) + short
    return plain, worth


def most(a: dict[int, int], b: dict[int, int]) -> dict[int, int]:
    """The larger worth of each token."""
    return {token: max(a.get(token, 0), b.get(token, 0)) for token in a | b}


def _cliques(rules: list[Capped]) -> list[list[tuple[int, Capped]]]:
    """Neighbours in the order of application of which at most one is applied, with their places."""
    groups: list[list[tuple[int, Capped]]] = []
    for place, capped in enumerate(rules):
        if groups and all(other.rule.against & capped.rule.bit for _, other in groups[-1]):
            groups[-1].append((place, capped))
        else:
            groups.append([(place, capped)])
    return groups
