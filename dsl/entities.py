"""Records that a toolset declares (orders, users …): shared tables that are never changed, and what one trial has changed of them.

Data is plain JSON without floats: money in minor units, numbers as decimal text. An `Entity` is a view of one record or of a part of it; it
always shows what the trial has made of it by then. A record is copied when it is first written to, the tables never.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from shopdsl.dsl.values import Failed, Money, Row

Path = tuple[Any, ...]
View = Callable[["Entities", Any, Path], Any]
Change = list[Any]
"""A changed record: `[record, key, data]`."""


@dataclass(frozen=True)
class Field:
    """A field of a record: its type as plan data, how a foreign file calls it, what it shows, and the name of what it refers to."""

    name: str
    kind: Any
    foreign: str
    view: View
    refers: str | None


class Shape:
    """One declared record: its fields, and, where its records are kept in a table, the table and the field that is the key."""

    def __init__(self, name: str, data: dict[str, Any]) -> None:
        self.name, self.key, self.table = name, data["key"], data["table"]
        self.sparse: bool = data["sparse"]
        self.fields: dict[str, Field] = {}
        self.references: dict[str, Field] = {}
        for field, about in data["fields"].items():
            made = Field(field, about["type"], about["called"] or field, _view(about["type"]), about["as"])
            self.fields[field] = made
            if made.refers:
                self.references[made.refers] = made


class Tables:
    """The shapes of a toolset and the records of a store, by record and key: shared by all trials, never changed."""

    def __init__(self, shapes: dict[str, Any], data: dict[str, dict[str, Any]], currency: str) -> None:
        self.shapes = {name: Shape(name, about) for name, about in shapes.items()}
        self.data, self.currency = data, currency

    @cached_property
    def keys(self) -> dict[str, list[str]]:
        """The keys of every table, sorted."""
        return {name: sorted(self.data.get(name, ())) for name in self.shapes}

    @cached_property
    def named(self) -> dict[str, str]:
        """The record that each table holds."""
        return {shape.table: name for name, shape in self.shapes.items() if shape.key}


class Entities:
    """The records of one trial: the tables, and what differs from them."""

    def __init__(self, tables: Tables, changed: dict[tuple[str, str], Any] | None = None) -> None:
        self.tables = tables
        self.changed: dict[tuple[str, str], Any] = changed or {}
        self._own: set[tuple[str, str]] = set()

    def begin(self) -> dict[tuple[str, str], Any]:
        """Begin a transaction; the result is what `restore` takes back to."""
        before = self.changed
        self.changed, self._own = dict(before), set()
        return before

    def restore(self, before: dict[tuple[str, str], Any]) -> None:
        """Undo all since `begin`."""
        self.changed, self._own = before, set()

    def since(self, before: dict[tuple[str, str], Any]) -> list[Change]:
        """The records that differ from an earlier `changed`, whole."""
        return [[r, k, data] for (r, k), data in sorted(self.changed.items()) if before.get((r, k)) is not data]

    def find(self, record: str, key: Any) -> Entity | None:
        """A record by its key, or None."""
        known = (record, key) in self.changed or key in self.tables.data.get(record, ())
        return Entity(self, self.tables.shapes[record], (record, key)) if known else None

    def data(self, path: Path) -> Any:
        """The data at a path: record, key, then fields, places of lists and keys of maps."""
        found = self.changed.get((path[0], path[1]))
        try:
            if found is None:
                found = self.tables.data[path[0]][path[1]]
            for step in path[2:]:
                found = found[step]
        except (KeyError, IndexError, TypeError):
            raise Failed("what this named is not there any more") from None
        return found

    def put(self, path: Path, value: Any) -> None:
        """Set what stands at a path; the record is this transaction's own from then on."""
        self._place(path)[path[-1]] = value

    def _place(self, path: Path) -> Any:
        """The record, list or map that holds what stands at a path, as this transaction's own."""
        place = self._mine(path[:2])
        try:
            for step in path[2:-1]:
                place = place[step]
            if place is None or (isinstance(place, list) and path[-1] >= len(place)):
                raise IndexError
        except (KeyError, IndexError, TypeError):
            raise Failed("what this named is not there any more") from None
        return place

    def add(self, path: Path, value: Any) -> None:
        """Append to the list at a path."""
        place = self._place(path)
        place[path[-1]] = [*(place.get(path[-1]) or []), value]

    def create(self, record: str, key: str, data: Any) -> None:
        """Put a new record into its table; raises Failed where the key is taken."""
        if self.find(record, key) is not None:
            raise Failed(f"there is a {record} {key!r} already")
        self.changed[record, key] = data
        self._own.add((record, key))

    def _mine(self, root: Path) -> Any:
        key = (root[0], root[1])
        if key not in self._own:
            self.changed[key] = _copy(self.data(key))
            self._own.add(key)
        return self.changed[key]

    def table(self, name: str) -> Table:
        """A table by its name."""
        return Table(self, self.tables.named[name])


class Entity:
    """A record, or a part of one, as expressions see it."""

    __slots__ = ("home", "path", "shape")

    def __init__(self, home: Entities, shape: Shape, path: Path) -> None:
        self.home, self.shape, self.path = home, shape, path

    def get(self, name: str) -> Any:
        """A field, or the record that a field refers to; raises Failed."""
        own = self.home.data(self.path)
        if not isinstance(own, dict):
            raise Failed("what this named is not there any more")
        field = self.shape.fields.get(name)
        if field is not None:
            return field.view(self.home, own.get(name), (*self.path, name))
        field = self.shape.references.get(name)
        if field is None:
            raise Failed(f"there is no field `{name}` here")
        key = own.get(field.name)
        return None if key is None else self.home.find(_target(field.kind), key)

    def data(self) -> Any:
        """Its plain data."""
        return self.home.data(self.path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entity) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __str__(self) -> str:
        return str(self.data().get(self.shape.key, self.shape.name)) if self.shape.key else self.shape.name


class Table:
    """A table as expressions see it: a map of records by key."""

    __slots__ = ("_home", "record")

    def __init__(self, home: Entities, record: str) -> None:
        self._home, self.record = home, record

    def __iter__(self) -> Iterator[str]:
        base = self._home.tables.keys[self.record]
        fresh = [k for r, k in self._home.changed if r == self.record and k not in self._home.tables.data.get(r, ())]
        return iter(sorted([*base, *fresh]) if fresh else base)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, key: object) -> bool:
        return self._home.find(self.record, key) is not None

    def get(self, key: Any) -> Entity | None:
        """A record by its key."""
        return self._home.find(self.record, key)


def _target(kind: Any) -> str:
    while isinstance(kind, dict) and "ref" not in kind:
        kind = next(iter(kind.values()))
    return str(kind["ref"])


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _copy(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_copy(v) for v in value]
    return value


def _view(kind: Any) -> View:
    """What a value of a type shows."""
    match kind:
        case "money":
            return lambda home, value, path: None if value is None else Money(Decimal(value) / 100, home.tables.currency)
        case "number":
            return lambda home, value, path: None if value is None else float(value)
        case {"optional": inner}:
            return _view(inner)
        case {"record": name}:
            return lambda home, value, path: None if value is None else Entity(home, home.tables.shapes[name], path)
        case {"list": inner}:
            return _many(_view(inner))
        case {"map": inner}:
            return _mapped(_view(inner))
    return lambda home, value, path: value


def _many(member: View) -> View:
    return lambda home, value, path: None if value is None else [member(home, v, (*path, i)) for i, v in enumerate(value)]


def _mapped(member: View) -> View:
    return lambda home, value, path: None if value is None else {k: member(home, v, (*path, k)) for k, v in value.items()}


MAX_DEPTH = 40


def encoded(value: Any, kind: Any, home: Entities, depth: int = 0) -> Any:
    """A value of an expression as data of a type.

    Raises Failed for money of another currency, a number that is out of its range, a key of no record, and what nests too deeply."""
    if depth > MAX_DEPTH:
        raise Failed(f"a record nests more than {MAX_DEPTH} deep")
    match kind:
        case {"optional": inner}:
            return None if value is None else encoded(value, inner, home, depth)
        case {"list": inner}:
            return [encoded(v, inner, home, depth + 1) for v in value]
        case {"map": inner}:
            return {str(k): encoded(v, inner, home, depth + 1) for k, v in value.items()}
        case {"record": name}:
            return _record(value, home.tables.shapes[name], home, depth + 1)
    if isinstance(value, Entity):
        return value.path[1]
    if isinstance(value, Money):
        return _cents(value, home.tables.currency)
    return format(value, ".12g") if kind == "number" else _possible(value, kind, home)


def _possible(value: Any, kind: Any, home: Entities) -> Any:
    match kind:
        case {"range": [low, high]} if value is not None and not low <= value <= high:
            raise Failed(f"{value} is not from {low} to {high}")
        case {"ref": record} if value is not None and record in home.tables.shapes and home.find(record, value) is None:
            raise Failed(f"there is no {record} {value!r}")
    return value


def _cents(value: Money, currency: str) -> int:
    if value.currency != currency:
        raise Failed(f"{value} is not money of this store, which sells in {currency}")
    return value.cents


def _record(value: Any, shape: Shape, home: Entities, depth: int) -> Any:
    if isinstance(value, Entity):
        return _copy(value.data())
    given = value.fields() if isinstance(value, Row) else value
    whole = {n: encoded(given.get(n), f.kind, home, depth) for n, f in shape.fields.items() if given.get(n) is not None}
    return whole if shape.sparse else dict.fromkeys(shape.fields) | whole


def measure(data: Any, depth: int = 0) -> int:
    """How much a record holds: texts by their length, lists and maps by their members; raises Failed where it nests too deeply."""
    if depth > MAX_DEPTH:
        raise Failed(f"a record nests more than {MAX_DEPTH} deep")
    if isinstance(data, str):
        return 1 + len(data) // 8
    if isinstance(data, dict | list):
        return 1 + sum(measure(v, depth + 1) for v in (data.values() if isinstance(data, dict) else data))
    return 1


def foreign(data: Any, kind: Any, shapes: dict[str, Shape]) -> Any:
    """Data of a type as a foreign file writes it: foreign names, money and numbers as numbers."""
    if data is None:
        return None
    match kind:
        case "money":
            return float(Decimal(data) / 100)
        case "number":
            return _number(Decimal(data))
        case {"optional": inner}:
            return foreign(data, inner, shapes)
        case {"list": inner}:
            return [foreign(v, inner, shapes) for v in data]
        case {"map": inner}:
            return {k: foreign(v, inner, shapes) for k, v in data.items()}
        case {"record": name}:
            fields = shapes[name].fields
            return {fields[k].foreign: foreign(v, fields[k].kind, shapes) for k, v in data.items()}
    return data


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() and value.as_tuple().exponent == 0 else float(value)
