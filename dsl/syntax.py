"""The trees of expressions, programs and effects. `at` is the range of characters in the text they were parsed from."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

At = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant: bool, number (int or Decimal), text, or None."""

    at: At
    value: bool | int | Decimal | str | None


@dataclass(frozen=True, slots=True)
class MoneyLiteral:
    at: At
    amount: Decimal
    symbol: str


@dataclass(frozen=True, slots=True)
class DurationLiteral:
    """A length of time in minutes."""

    at: At
    minutes: Decimal


@dataclass(frozen=True, slots=True)
class Regex:
    at: At
    pattern: str


@dataclass(frozen=True, slots=True)
class Name:
    at: At
    id: str


@dataclass(frozen=True, slots=True)
class Attribute:
    at: At
    of: Expr
    name: str
    name_at: At


@dataclass(frozen=True, slots=True)
class Index:
    at: At
    of: Expr
    key: Expr


@dataclass(frozen=True, slots=True)
class Slice:
    at: At
    of: Expr
    low: Expr | None
    high: Expr | None


@dataclass(frozen=True, slots=True)
class Keyword:
    at: At
    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Call:
    """A call by name; with `clauses` the first argument is the element of a comprehension."""

    at: At
    function: str
    function_at: At
    args: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Negative:
    at: At
    of: Expr


@dataclass(frozen=True, slots=True)
class Not:
    at: At
    of: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator of two: + - * / // ** | & ??"""

    at: At
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Logic:
    """`and` or `or` over two or more."""

    at: At
    op: str
    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """A chain of comparisons: parts[0] ops[0] parts[1] ops[1] …"""

    at: At
    ops: tuple[str, ...]
    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class IfElse:
    at: At
    condition: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True, slots=True)
class Items:
    """A list or a set written out; `kind` says which."""

    at: At
    kind: str
    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """A map written out."""

    at: At
    parts: tuple[tuple[Expr, Expr], ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """`for name in source`, with its `if` conditions."""

    at: At
    name: str
    name_at: At
    source: Expr
    conditions: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Comprehension:
    """A list, set or map made by clauses; `key` only for maps."""

    at: At
    kind: str
    key: Expr | None
    value: Expr
    clauses: tuple[Clause, ...]


Expr = (
    Literal | MoneyLiteral | DurationLiteral | Regex | Name | Attribute | Index | Slice | Call | Negative | Not | Binary
    | Logic | Compare | IfElse | Items | Entries | Comprehension
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Let:
    at: At
    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class If:
    at: At
    condition: Expr
    then: tuple[Statement, ...]
    other: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ForEach:
    at: At
    name: str
    source: Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Interleave:
    """Bodies for each member, mixed; at most `open` members begun and not done."""

    at: At
    name: str
    source: Expr
    open: int | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Maybe:
    at: At
    chance: Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """Body `low` to `high` times; after `low`, each further time with probability `each` (or a uniform number of times)."""

    at: At
    low: Expr
    high: Expr
    each: Expr | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Others:
    """Wait here for at least one beat of another member of the interleave."""

    at: At


@dataclass(frozen=True, slots=True)
class BeatCall:
    at: At
    beat: str
    beat_at: At
    of: Expr | None
    about: Expr | None
    to: Expr | None
    until: Expr | None


@dataclass(frozen=True, slots=True)
class Assign:
    """`place = value`, `+=` or `-=`."""

    at: At
    place: Expr
    op: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the shop: `place order`, `remove E from cart`, `append E to PLACE`, `fail TEXT`."""

    at: At
    op: str
    operand: Expr
    preposition: str
    other: Expr | None


Statement = Let | If | ForEach | Interleave | Maybe | Repeat | Others | BeatCall | Assign | Operation
