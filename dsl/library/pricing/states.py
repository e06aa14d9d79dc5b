"""The states that a choice for every slot leads to; those that cannot be better than another one are dropped."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from operator import add

from shopdsl.dsl.library.pricing.floors import Floors, Move, against, most, worths
from shopdsl.dsl.library.pricing.front import Front, State
from shopdsl.dsl.library.pricing.goods import Stage
from shopdsl.dsl.library.pricing.later import Later, Vector
from shopdsl.dsl.library.pricing.layout import Layout, Sum

Choice = tuple[int, int, Move, int, int]
"""What is left in a move and, at least, from there on; its number; the move; the tokens taken and the rules applied with it."""

Groups = dict[tuple[int, ...], Front]
"""States by what of them matters."""


class Walk:
    """Goes through the slots of a stage in an order; `keep` is how many paths to one state are remembered."""

    def __init__(self, stage: Stage, layout: Layout, order: tuple[int, ...], later: Later) -> None:
        self.budget, self.later, self.keep = later.budget, later, later.keep
        self.stage, self.layout = stage, layout
        self.rules = stage.problem.rules
        self.moves = [[m for i in stage.problem.slots[slot] for m in self._moves(i)] for slot in order]
        self.closed = [stage.tokens.closed(n) for n in range(len(order))]
        self.low, self.high = self._lows(), self._highs()
        self.floors = Floors(layout, self.moves, self.high, later.prizes)
        self.open = self._opens(order)
        self.gap = self._gap()
        self._choices: dict[tuple[int, int, int], list[Choice]] = {}
        # A sum that every choice makes the same tells no two states apart.
        self.looked_at = [(n, s) for n, s in enumerate(layout.sums) if not s.atom and self.low[0][n] != self.high[0][n]]
        self._known: list[list[dict[int, int]]] = [[{} for _ in self.looked_at] for _ in self.low]

    def _moves(self, item: int) -> Iterator[Move]:
        row = self.stage.problem.items[item]
        for o in self.stage.outcomes(item, self.budget):
            value = {"left": o.left, "list": row.amount, "units": row.quantity}
            adds = tuple(value[s.kind] if item in s.items else 0 for s in self.layout.sums)
            yield Move(o, adds, against(self.rules, o.applied), self.layout.part_of.get(item, self.layout.parts - 1))

    def _opens(self, order: tuple[int, ...]) -> list[int]:
        """The product rules that can still be applied when the slots from each place on are left."""
        rest = [0]
        for slot in reversed(order):
            rest.append(rest[-1] | sum({r.bit for i in self.stage.problem.slots[slot] for r in self.stage.problem.alone[i]}))
        return rest[::-1]

    def _highs(self) -> list[Vector]:
        """The most that the slots from each place on add to each sum."""
        rest: list[Vector] = [(0,) * len(self.layout.sums)]
        for moves in reversed(self.moves):
            columns = zip(*(m.adds for m in moves), strict=True)
            rest.insert(0, tuple(map(add, rest[0], map(max, columns))))
        return rest

    def _lows(self) -> list[Vector]:
        """The least that they add, where each token is taken once."""
        plain, gains = [0] * len(self.layout.sums), [dict[int, int]() for _ in self.layout.sums]
        rest: list[Vector] = [tuple(plain)]
        for moves in reversed(self.moves):
            for n in range(len(plain)):
                if len({m.adds[n] for m in moves}) == 1:
                    plain[n] += moves[0].adds[n]
                    continue
                least, worth = worths(tuple((m.outcome.tokens, m.adds[n]) for m in moves))
                plain[n] += least
                gains[n] = most(gains[n], worth)
            rest.insert(0, tuple(p - sum(g.values()) for p, g in zip(plain, gains, strict=True)))
        return rest

    def _gap(self) -> int | None:
        """How much more must be left in a state, so that its end is not just as cheap; None: no difference is enough."""
        need = Fraction(1)
        if self.keep == 1:
            return 0
        for rule in self.layout.later:
            rate = max((t.rate for t in rule.tiers), default=Fraction(0))
            if rate >= 1:
                return None
            need = (need + 1) / (1 - rate) if rate else need
        return ceil(need)

    def run(self, beam: int) -> bool:
        """Hand states at the end to the later rules, of each slot only so many of the most promising; whether those were all."""
        sums = (0,) * len(self.layout.sums)
        states = [State(0, 0, 0, 0, 0, (0,) * self.layout.parts, sums, ((),), 0, self.floors.ahead(0, sums))]
        whole = True
        for place in range(len(self.moves)):
            groups: Groups = {}
            for state in states:
                self._follow(state, place, groups)
            states = sorted((s for group in groups.values() for s in group), key=lambda s: s.least)
            whole &= len(states) <= beam
            del states[beam:]
        automatic = sum(r.bit for r in self.rules if not r.rule.coupon)
        wanted = sum(r.bit for r in self.rules if r.bit & self.stage.free and (r.rule.coupon or r.against))
        for s in states:
            if not wanted & ~s.applied and (self.later.best is None or s.least <= self.later.best):
                self.later.finish(s.sums, s.left, s.applied, s.lost & automatic, s.paths)
        return whole

    def _fitting(self, place: int, taken: int, applied: int) -> list[Choice]:
        """The moves of a slot that take no token twice and stack with the rules applied, least first."""
        key = (place, taken, applied)
        if key not in self._choices:
            rows: list[Choice] = []
            for n, move in enumerate(self.moves[place]):
                o = move.outcome
                if not o.tokens & taken and not move.rivals & applied:
                    least = o.left + self.floors.goods(place + 1, taken | o.tokens)
                    rows.append((least, n, move, taken | o.tokens, applied | o.applied))
            self._choices[key] = sorted(rows)
        return self._choices[key]

    def _follow(self, state: State, place: int, groups: Groups) -> None:
        """Make every move that can still be cheap enough."""
        best, left, before, end = self.later.best, state.left, state.ahead, self.floors.end
        prize = self._prize(state.applied, place)
        steps = 0
        for more, _, move, taken, applied in self._fitting(place, state.taken, state.applied):
            # Bounds only rise with what is left, so that no later move can be cheap enough either.
            least = end(left + more, state.applied, before)
            if best is not None and least - prize > best:
                break
            steps += 1
            sums = tuple(map(add, state.sums, move.adds))
            ahead = self.floors.ahead(place + 1, sums)
            if ahead != before or (applied ^ state.applied) & self.floors.rivals:
                least = end(left + more, applied, ahead)
            least -= self._prize(applied, place + 1)
            if best is None or least <= best:
                new = State(taken, state.missed, state.lost, applied, left, state.parts, sums, state.paths, least, ahead)
                self._make(new, move, place, groups)
        self.budget.spend(steps * self.layout.cost)

    def _prize(self, applied: int, place: int) -> int:
        """The prizes of the product rules applied, and of those that still can be."""
        if not self.later.prizes:
            return 0
        return self.later.worth(applied | self.open[place] & ~against(self.rules, applied))

    def _make(self, new: State, move: Move, place: int, groups: Groups) -> None:
        """Complete a state of which the sums are those after a move, and tokens, rules and parts before it."""
        o, shut = move.outcome, self.closed[place]
        missed, lost = new.missed, new.lost | o.owed
        if o.missed or missed:
            missed = (missed | o.missed) & ~new.taken
            for token, bit in self.stage.tokens.rule_of.items() if missed & shut else ():
                lost |= bit if token & missed & shut else 0
        if lost & new.applied:
            return
        parts = list(new.parts)
        parts[move.part] += o.left
        paths = tuple([(p, o.item, o.tokens) for p in new.paths])
        taken, missed, signs = new.taken & ~shut, missed & ~shut, self._signs(new.sums, place + 1)
        state = State(taken, missed, lost, new.applied, new.left + o.left, tuple(parts), new.sums, paths, new.least, new.ahead)
        key = (taken, missed, lost, new.applied, *signs)
        front = groups.get(key)
        if front is None:
            front = groups[key] = Front(self.gap if len(signs) == len(self.looked_at) else None, self.keep, self.budget)
        front.add(state)

    def _signs(self, sums: Vector, place: int) -> tuple[int, ...]:
        """For each sum its value, or where that matters no more the bounds met (negative); atoms while a crossed sum is open."""
        signs: list[int] = []
        follow = False
        low, high = self.low[place], self.high[place]
        for (n, row), known in zip(self.looked_at, self._known[place], strict=True):
            value = sums[n]
            sign = known.get(value)
            if sign is None:
                sign = known[value] = _sign(row, value, low[n], high[n])
            signs.append(value if sign < 0 else -1 - sign)
            follow |= row.crossed and (sign < 0 or row.rated)
        return (*signs, *[sums[n] for n in self.layout.atoms]) if follow else tuple(signs)


def _sign(row: Sum, value: int, low: int, high: int) -> int:
    """The bounds that a sum is sure to meet, as bits; -1 while one is open."""
    if row.fixed or value + low < row.clamp:
        return -1
    sign, least, highest = 0, value + low, value + high
    for n, (bound, before) in enumerate(row.bounds):
        if bound.met(least - before):
            sign |= 1 << n
        elif bound.met(highest):
            return -1
    return sign
