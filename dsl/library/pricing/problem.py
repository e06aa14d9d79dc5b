"""One pricing problem: the items that can be chosen, the targets of each rule, and the fees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from shopdsl.dsl.library.pricing.amounts import Bound, Ready, exact, minor, ready
from shopdsl.dsl.library.pricing.rules import Line, Rule, Shipping

Ids = frozenset[int]


class Item(NamedTuple):
    """The lines of one product, seller and category together; one item of each slot is bought."""

    product: str
    seller: str
    category: str
    amount: int
    quantity: int
    slot: int


class Target(NamedTuple):
    """The items that one application of a rule looks at."""

    name: str
    items: Ids


class Fee(NamedTuple):
    """A fee of some items, and the bound that spares it."""

    target: Target
    amount: int
    free: Bound | None
    running: bool


@dataclass(frozen=True, slots=True)
class Problem:
    """Items by number, the items of each slot, rules in the order of application with their targets, and fees.

    `alone` are for each item the rules of single products that look at it.
    """

    items: tuple[Item, ...]
    slots: tuple[tuple[int, ...], ...]
    rules: tuple[Ready, ...]
    targets: dict[int, tuple[Target, ...]]
    fees: tuple[Fee, ...]
    alone: tuple[tuple[Ready, ...], ...]

    def unit(self, rule: Rule, item: int) -> str:
        """Within what a rule has one application, as seen from an item."""
        return unit_of(rule, self.items[item])

    def names(self, mask: int) -> tuple[str, ...]:
        """The names of some rules."""
        return tuple(r.rule.name for r in self.rules if r.bit & mask)


def unit_of(rule: Rule, item: Item) -> str:
    """The order, seller, category or product that `once_per` speaks of; the item itself where nothing limits the rule."""
    match rule.once_per:
        case "order":
            return ""
        case "seller":
            return item.seller
        case "category":
            return item.category
        case "product":
            return item.product
        case _:
            return f"{item.slot}"


def merged(lines: Iterable[Line]) -> list[Item]:
    """The items of a basket, each in a slot of its own; raises ValueError for a quantity below one."""
    sums: dict[tuple[str, str, str], tuple[int, int]] = {}
    for line, count in Counter(lines).items():
        if line.quantity < 1:
            raise ValueError(f"{line.product}: a quantity is at least one")
        key, units = (line.product, line.seller, line.category), line.quantity * count
        amount, quantity = sums.get(key, (0, 0))
        sums[key] = (amount + minor(line.price) * units, quantity + units)
    return [Item(*key, *value, slot) for slot, (key, value) in enumerate(sums.items())]


def problem(items: Sequence[Item], rules: Sequence[Rule], shipping: Sequence[Shipping]) -> Problem:
    """Put a problem together; raises ValueError where its data contradict themselves."""
    slots: dict[int, list[int]] = {}
    for number, item in enumerate(items):
        slots.setdefault(item.slot, []).append(number)
    prepared = tuple(ready(list(rules)))
    targets = {r.bit: targets_of(r.rule, items) for r in prepared}
    fees = tuple(fee for row in shipping for fee in _fees(row, items))
    alone: list[list[Ready]] = [[] for _ in items]
    for rule in prepared:
        for target in targets[rule.bit] if rule.rule.scope == "product" else ():
            for number in target.items:
                alone[number].append(rule)
    return Problem(tuple(items), tuple(map(tuple, slots.values())), prepared, targets, fees, tuple(map(tuple, alone)))


def targets_of(rule: Rule, items: Sequence[Item]) -> tuple[Target, ...]:
    """The targets of a rule, with the items that it may look at."""
    found: dict[tuple[str, int], list[int]] = {}
    for number, item in enumerate(items):
        if rule.only is not None and item.product not in rule.only:
            continue
        name = {"order": "", "seller": item.seller, "category": item.category, "product": item.product}[rule.scope]
        if not rule.of or rule.of == name:
            found.setdefault((name, number if rule.scope == "product" else -1), []).append(number)
    return tuple(Target(name, frozenset(numbers)) for (name, _), numbers in found.items())


def _fees(row: Shipping, items: Sequence[Item]) -> list[Fee]:
    found: dict[str, list[int]] = {}
    for number, item in enumerate(items):
        if row.scope == "order" or row.of in ("", item.seller):
            found.setdefault(item.seller if row.scope == "seller" else "", []).append(number)
    free = None if row.free_from is None else Bound(exact(row.free_from, 100), row.op == ">")
    return [Fee(Target(n, frozenset(i)), minor(row.fee), free, row.base == "running") for n, i in found.items()]


def valid(rule: Rule, at: date | None) -> bool:
    """Whether a rule is valid on a day; without a day, dates are not looked at."""
    return at is None or (
        (rule.valid_from is None or rule.valid_from <= at) and (rule.valid_until is None or at < rule.valid_until)
    )
