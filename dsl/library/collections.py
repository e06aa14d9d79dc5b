"""Aggregates, lists and bags. Aggregates leave none out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from shopdsl.dsl.values import Bag, Failed, Money, order


def walk(value: Any) -> list[Any]:
    """The members of anything that can be walked through, in a fixed order."""
    if isinstance(value, list | tuple):
        return value if isinstance(value, list) else list(value)
    if isinstance(value, frozenset | set | dict):
        return sorted(value, key=order)
    return list(value)


def known(value: Any) -> list[Any]:
    """The members that are not none."""
    return [v for v in walk(value) if v is not None]


def total_of(values: Any) -> Any:
    members = known(values)
    if members and isinstance(members[0], Money):
        result = members[0]
        for m in members[1:]:
            result = result + m
        return result
    if any(isinstance(m, float) for m in members):
        return math.fsum(members)
    return sum(members)


def mean(values: Any) -> Any:
    members = known(values)
    if not members:
        return None
    return total_of(members) / len(members)


def least(*values: Any) -> Any:
    return _extreme(min, values)


def greatest(*values: Any) -> Any:
    return _extreme(max, values)


def _extreme(pick: Any, values: tuple[Any, ...]) -> Any:
    if len(values) > 1:
        return None if any(v is None for v in values) else pick(values)
    members = known(values[0])
    return pick(members) if members else None


def count(values: Any) -> int:
    return sum(1 for v in known(values) if v is not False)


def any_of(values: Any) -> bool:
    return any(known(values))


def all_of(values: Any) -> bool:
    return all(known(values))


def first(values: Any) -> Any:
    return next(iter(known(values)), None)


def last(values: Any) -> Any:
    return next(reversed(known(values)), None)


def as_list(values: Any) -> list[Any]:
    return list(walk(values))


def as_set(values: Any) -> frozenset[Any]:
    return frozenset(walk(values))


def flat(lists: Any) -> list[Any]:
    return [member for inner in walk(lists) if inner is not None for member in walk(inner)]


def ordered(values: Any, by: list[Any] | None = None) -> list[Any]:
    members = walk(values)
    if by is None:
        return sorted(members, key=order)
    ranks = sorted(range(len(members)), key=lambda i: (by[i] is None, by[i], i))
    return [members[i] for i in ranks]


def reverse(values: Any) -> list[Any]:
    return list(reversed(walk(values)))


def rank(values: Any, member: Any) -> int | None:
    for place, value in enumerate(walk(values), 1):
        if value == member:
            return place
    return None


def whole_numbers(low: int, high: int) -> list[int]:
    if high - low > 10_000:
        raise Failed(f"range({low}, {high}) is longer than 10,000")
    return list(range(low, high + 1))


def as_bag(value: Bag | dict[Any, int]) -> Bag:
    return value if isinstance(value, Bag) else Bag(value)


def size(bag: Bag | dict[Any, int]) -> int:
    return as_bag(bag).size()


def abs_diff(one: Bag | dict[Any, int], two: Bag | dict[Any, int]) -> int:
    a, b = as_bag(one), as_bag(two)
    return sum(abs(a[k] - b[k]) for k in a.counts | b.counts)


def length(value: Any) -> int:
    return len(value)


def pieces(values: Iterable[Any], sizes: list[int]) -> list[list[Any]]:
    """Consecutive pieces of the given sizes."""
    members, result = list(values), []
    for n in sizes:
        result.append(members[:n])
        members = members[n:]
    return result


def waves(values: Any, at_most: int = 4, by: list[Any] | None = None) -> list[list[Any]]:
    """As few pieces as possible, as equal as possible; members with one `by` stay together where they fit."""
    members = walk(values)
    keys = by if by is not None else [None] * len(members)
    n = -(-len(members) // max(1, at_most))
    if n <= 1:
        return [members] if members else []
    goal = -(-len(members) // n)
    result: list[list[Any]] = [[]]
    for group in _groups(members, keys):
        if result[-1] and len(result[-1]) + len(group) > goal and len(group) <= goal:
            result.append([])
        for member in group:
            if len(result[-1]) >= goal:
                result.append([])
            result[-1].append(member)
    return result


def _groups(members: list[Any], keys: list[Any]) -> list[list[Any]]:
    groups: list[tuple[Any, list[Any]]] = []
    for member, key in zip(members, keys, strict=True):
        if not groups or groups[-1][0] != key:
            groups.append((key, []))
        groups[-1][1].append(member)
    return [g for _, g in groups]


def deal(values: Any, at_most: int = 4, by: list[Any] | None = None) -> list[list[Any]]:
    """As few pieces as possible, dealt round-robin over the groups that `by` makes."""
    members = walk(values)
    keys = by if by is not None else [None] * len(members)
    groups = _groups(*_sorted_by(members, keys))
    turn = [g[i] for i in range(max(map(len, groups), default=0)) for g in groups if i < len(g)]
    n = -(-len(turn) // max(1, at_most))
    sizes = [len(turn) // n + (i < len(turn) % n) for i in range(n)] if n else []
    return pieces(turn, sizes)


def _sorted_by(members: list[Any], keys: list[Any]) -> tuple[list[Any], list[Any]]:
    ranks = sorted(range(len(members)), key=lambda i: (order(keys[i]), i))
    return [members[i] for i in ranks], [keys[i] for i in ranks]
