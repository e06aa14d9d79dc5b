"""The values that expressions compute with, beside Python's own: money, durations, rows, bags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Literal

SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY"}
_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "CNY": "¥", "JPY": "¥"}
_CENT = Decimal("0.01")


class Failed(Exception):
    """An evaluation that cannot go on; the message is for the author of the expression."""


Nothing = Literal[0]


def _nothing(value: Any) -> Decimal:
    if type(value) is not int or value != 0:
        raise Failed(f"{value} is no amount of money")
    return Decimal(0)


class Money:
    """An amount of one currency, always in whole minor units; arithmetic rounds half up.

    The sum of no amounts is the number 0, as nothing says in which currency; it goes with any.
    """

    __slots__ = ("amount", "currency")

    def __init__(self, amount: Decimal | int | float | str, currency: str) -> None:
        exact = amount if isinstance(amount, Decimal) else Decimal(repr(amount) if isinstance(amount, float) else amount)
        self.amount = exact.quantize(_CENT, ROUND_HALF_UP)
        self.currency = currency

    @property
    def number(self) -> float:
        """The amount in major units."""
        return float(self.amount)

    @property
    def cents(self) -> int:
        """The amount in minor units."""
        return int(self.amount * 100)

    def _same(self, other: Money | Nothing) -> Decimal:
        if not isinstance(other, Money):
            return _nothing(other)
        if self.currency != other.currency:
            raise Failed(f"{self} and {other} are of two currencies")
        return other.amount

    def __add__(self, other: Money | Nothing) -> Money:
        return Money(self.amount + self._same(other), self.currency)

    __radd__ = __add__

    def __sub__(self, other: Money | Nothing) -> Money:
        return Money(self.amount - self._same(other), self.currency)

    def __rsub__(self, other: Nothing) -> Money:
        return -self

    def __mul__(self, factor: float) -> Money:
        return Money(self.amount * Decimal(repr(factor)), self.currency)

    __rmul__ = __mul__

    def __truediv__(self, other: Money | float) -> Money | float:
        if isinstance(other, Money):
            return float(self.amount / self._same(other))
        return Money(self.amount / Decimal(repr(other)), self.currency)

    def __neg__(self) -> Money:
        return Money(-self.amount, self.currency)

    def __eq__(self, other: object) -> bool:
        if type(other) is int:
            return other == 0 == self.amount
        return isinstance(other, Money) and (self.amount, self.currency) == (other.amount, other.currency)

    def __lt__(self, other: Money | Nothing) -> bool:
        return self.amount < self._same(other)

    def __le__(self, other: Money | Nothing) -> bool:
        return self.amount <= self._same(other)

    def __gt__(self, other: Money | Nothing) -> bool:
        return self.amount > self._same(other)

    def __ge__(self, other: Money | Nothing) -> bool:
        return self.amount >= self._same(other)

    def __hash__(self) -> int:
        return hash((self.amount, self.currency)) if self.amount else hash(0)

    def __str__(self) -> str:
        sign = "-" if self.amount < 0 else ""
        return f"{sign}{_SIGNS.get(self.currency, self.currency + ' ')}{abs(self.amount):,.2f}"

    __repr__ = __str__


class Duration:
    """A length of time, in minutes."""

    __slots__ = ("minutes",)

    def __init__(self, minutes: Decimal) -> None:
        self.minutes = minutes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Duration) and self.minutes == other.minutes

    def __lt__(self, other: Duration) -> bool:
        return self.minutes < other.minutes

    def __le__(self, other: Duration) -> bool:
        return self.minutes <= other.minutes

    def __hash__(self) -> int:
        return hash(self.minutes)

    def __str__(self) -> str:
        for unit, size in (("day", 1440), ("hour", 60)):
            if self.minutes % size == 0:
                return _counted(self.minutes / size, unit)
        return _counted(self.minutes, "minute")


def _counted(n: Decimal, unit: str) -> str:
    return f"{n:g} {unit}{'' if n == 1 else 's'}"


class Row:
    """A record of a spec: a table's row, a persona's value, a `record(…)`. It compares to its name, if it has one."""

    __slots__ = ("_fields", "name")

    def __init__(self, name: str, fields: Mapping[str, Any]) -> None:
        self.name = name
        self._fields = fields

    def get(self, key: str) -> Any:
        """A field, as an expression asks for it; `name` is the record's own name where no field is called so. Raises Failed."""
        if key in self._fields:
            return self._fields[key]
        if key == "name":
            return self.name
        raise Failed(f"there is no field `{key}` here")

    def __getattr__(self, key: str) -> Any:
        return self.get(key)

    def fields(self) -> Mapping[str, Any]:
        """The fields of the record, without its name."""
        return self._fields

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return bool(self.name) and self.name == other
        return isinstance(other, Row) and (self.name, self._fields) == (other.name, other._fields)

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name


class Bag:
    """A multiset: `b[x]` is 0 where x is absent, iterating gives the members in order, `-` floors at 0."""

    __slots__ = ("counts",)

    def __init__(self, counts: Mapping[Any, int] | Iterable[tuple[Any, int]] = ()) -> None:
        self.counts: dict[Any, int] = {k: n for k, n in dict(counts).items() if n > 0}

    def __getitem__(self, key: Any) -> int:
        return self.counts.get(key, 0)

    def __contains__(self, key: Any) -> bool:
        return key in self.counts

    def __iter__(self) -> Iterator[Any]:
        return iter(sorted(self.counts, key=order))

    def __len__(self) -> int:
        return len(self.counts)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, dict):
            other = Bag(other)
        return isinstance(other, Bag) and self.counts == other.counts

    def __hash__(self) -> int:
        return hash(frozenset(self.counts.items()))

    def size(self) -> int:
        """How many units, all members together."""
        return sum(self.counts.values())

    def __add__(self, other: Bag) -> Bag:
        return Bag({k: self[k] + other[k] for k in self.counts | other.counts})

    def __sub__(self, other: Bag) -> Bag:
        return Bag({k: n - other[k] for k, n in self.counts.items()})

    def __and__(self, other: Bag) -> Bag:
        return Bag({k: min(n, other[k]) for k, n in self.counts.items()})

    def __or__(self, other: Bag) -> Bag:
        return Bag({k: max(self[k], other[k]) for k in self.counts | other.counts})


def order(value: Any) -> Any:
    """What values of a set, map or bag are sorted by when they are walked through."""
    return getattr(value, "id", None) or getattr(value, "name", None) or value


MAX_SHOWN = 10_000


def show(value: Any) -> str:
    """A value as text, as a template shows it; raises Failed where it has more than MAX_SHOWN members, lists in lists counted."""
    return _show(value, [MAX_SHOWN])


def _show(value: Any, left: list[int]) -> str:
    left[0] -= 1
    if left[0] < 0:
        raise Failed(f"this has more than {MAX_SHOWN:,} members, too many for a text")
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, list | tuple | frozenset | set):
        return ", ".join(_show(v, left) for v in (value if isinstance(value, list | tuple) else sorted(value, key=order)))
    return str(value)
