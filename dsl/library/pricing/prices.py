"""What a basket costs with the coupons that are held, and the cheapest choice of coupons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date

from shopdsl.dsl.library.pricing.amounts import major, stack
from shopdsl.dsl.library.pricing.goods import tokens
from shopdsl.dsl.library.pricing.later import Found, Path
from shopdsl.dsl.library.pricing.ledger import Ledger
from shopdsl.dsl.library.pricing.problem import Item, Problem, Target, merged, problem, valid
from shopdsl.dsl.library.pricing.results import Priced
from shopdsl.dsl.library.pricing.rules import Line, Rule, Shipping
from shopdsl.dsl.library.pricing.search import search

_NO_GAIN = "would not make it cheaper"


def price(
    lines: Iterable[Line], rules: Sequence[Rule], held: Sequence[str], shipping: Sequence[Shipping] = (), at: date | None = None
) -> Priced:
    """The price with these coupons: each is applied if it can be, an earlier one rather than a later one.

    What that leaves open (targets, automatic rules that do not stack) is chosen as the cheapest. `refused` says for every other
    rule why it is not applied. Raises ValueError for data that contradict themselves, and TooLarge.
    """

    def prizes(made: Problem) -> dict[int, int]:
        bits = {r.rule.name: r.bit for r in made.rules if r.rule.coupon}
        order = [bits[name] for name in dict.fromkeys(held) if name in bits]
        one = 1 + sum(i.amount for i in made.items) + sum(f.amount for f in made.fees)
        return {bit: one << place for place, bit in enumerate(reversed(order))}

    return _priced(merged(lines), rules, held, shipping, at, prizes, "cannot be applied together with the others")


def best_price(
    lines: Iterable[Line],
    rules: Sequence[Rule],
    coupons: Sequence[str],
    shipping: Sequence[Shipping] = (),
    at: date | None = None,
) -> Priced:
    """The cheapest choice of coupons, exactly; of equal ones that with the fewest coupons, then the first by names.

    `ties` are the other sets of rules that cost the same. Raises ValueError for data that contradict themselves, and TooLarge.
    """
    return _priced(merged(lines), rules, coupons, shipping, at, lambda _: {}, _NO_GAIN)


def _priced(
    items: list[Item],
    rules: Sequence[Rule],
    held: Sequence[str],
    shipping: Sequence[Shipping],
    at: date | None,
    prizes: Callable[[Problem], dict[int, int]],
    otherwise: str,
) -> Priced:
    made = problem(items, eligible(rules, held, at), shipping)
    ways = search(made, prizes(made), 1)
    ties = tuple(dict.fromkeys(made.names(w.used) for w in ways[1:]))
    return told(made, ways[0], ways[0].paths[0], refusals(rules, held, at), otherwise, ties)


def eligible(rules: Sequence[Rule], held: Sequence[str], at: date | None) -> list[Rule]:
    """The rules that may be applied: valid, and automatic or held."""
    return [r for r in rules if valid(r, at) and (not r.coupon or r.name in held)]


def refusals(rules: Sequence[Rule], held: Sequence[str], at: date | None) -> dict[str, str]:
    """Why rules may not be applied."""
    why = {name: "there is no such coupon" for name in held if all(r.name != name for r in rules)}
    for rule in rules:
        if rule.coupon and rule.name not in held:
            why[rule.name] = "not held"
        elif not valid(rule, at):
            why[rule.name] = f"not valid on {at}"
    return why


def told(
    made: Problem, way: Found, path: Path, refused: dict[str, str], otherwise: str, ties: tuple[tuple[str, ...], ...]
) -> Priced:
    """A way with its working, and the reason of each rule that is not in it."""
    ledger = Ledger(made, frozenset(i for i, _ in path))
    total = ledger.write(way.used, _chosen(made, way, path))
    if total != way.total:
        raise AssertionError(f"the working comes to {total}, the search to {way.total}")
    goods = sum(made.items[i].amount for i, _ in path)
    for rule in made.rules:
        if not rule.bit & way.used:
            rival = next((r.rule.name for r in made.rules if r.bit & way.used and not stack(r.rule, rule.rule)), None)
            stacking = f"does not stack with {rival}" if rival else otherwise
            refused[rule.rule.name] = ledger.unmet.get(rule.rule.name, stacking)
    return Priced(
        major(total),
        major(goods),
        major(goods + ledger.shipping - total),
        major(ledger.shipping),
        made.names(way.used),
        refused,
        tuple(ledger.working),
        ties,
    )


def _chosen(made: Problem, way: Found, path: Path) -> dict[int, frozenset[Target]]:
    """The targets of the rules whose limit binds."""
    marks = tokens(made, tuple(range(len(made.slots))))
    chosen: dict[int, set[Target]] = {bit: set() for bit in marks.rule_of.values()}
    for item, mask in path:
        for token, bit in marks.rule_of.items():
            if token & mask:
                chosen[bit] |= {t for t in made.targets[bit] if item in t.items}
    for bit, name in way.picks:
        chosen[bit] = {t for t in made.targets[bit] if t.name == name}
    return {bit: frozenset(targets) for bit, targets in chosen.items()}
