"""The types of the language, how they are written, and what may stand for what."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Basic:
    """bool, int, number, money, text, duration, none, or any (a mistake already reported, which fits everything)."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Enum:
    """Texts of a closed list."""

    name: str
    members: tuple[str, ...]

    def __str__(self) -> str:
        return self.name or " | ".join(f'"{m}"' for m in self.members)


@dataclass(frozen=True, slots=True)
class Record:
    """A record of the vocabulary, or of a spec (a table's row, a persona's value), by name."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Many:
    """list, set or bag of one type."""

    kind: str
    of: Type

    def __str__(self) -> str:
        return f"{self.kind}[{self.of}]"


@dataclass(frozen=True, slots=True)
class Map:
    key: Type
    value: Type

    def __str__(self) -> str:
        return f"map[{self.key}, {self.value}]"


@dataclass(frozen=True, slots=True)
class Optional:
    """A type or none."""

    of: Type

    def __str__(self) -> str:
        return f"{self.of}?"


@dataclass(frozen=True, slots=True)
class Variable:
    """A type to be found out from the arguments of a function."""

    name: str

    def __str__(self) -> str:
        return self.name


Type = Basic | Enum | Record | Many | Map | Optional | Variable

BOOL, INT, NUMBER, MONEY, TEXT, DURATION = (Basic(n) for n in ("bool", "int", "number", "money", "text", "duration"))
NONE, ANY = Basic("none"), Basic("any")
BASICS = {t.name: t for t in (BOOL, INT, NUMBER, MONEY, TEXT, DURATION, NONE, ANY)}

_TOKEN = re.compile(r"[a-z_]+|[A-Z]|[\[\],?]")


def parse_type(text: str) -> Type:
    """A type as the tables write it: `list[product]`, `map[text, number]`, `T?`."""
    tokens = _TOKEN.findall(text)
    result, rest = _read(tokens)
    if rest:
        raise ValueError(text)
    return result


def _read(tokens: list[str]) -> tuple[Type, list[str]]:
    head, rest = tokens[0], tokens[1:]
    result: Type
    if head in ("list", "set", "bag") and rest[:1] == ["["]:
        inner, rest = _read(rest[1:])
        result, rest = Many(head, inner), rest[1:]
    elif head == "map":
        key, rest = _read(rest[1:])
        value, rest = _read(rest[1:])
        result, rest = Map(key, value), rest[1:]
    else:
        result = Variable(head) if head.isupper() else BASICS.get(head) or Record(head)
    if rest[:1] == ["?"]:
        return Optional(result), rest[1:]
    return result, rest


def bare(t: Type) -> Type:
    """A type without its `?`."""
    return t.of if isinstance(t, Optional) else t


def optional(t: Type) -> Type:
    return t if isinstance(t, Optional) or t in (ANY, NONE) else Optional(t)


def fits(given: Type, wanted: Type) -> bool:
    """May a value of type `given` stand where `wanted` is asked for?"""
    if ANY in (given, wanted) or given == wanted:
        return True
    if isinstance(wanted, Variable):
        return True
    if given == NONE:
        return isinstance(wanted, Optional)
    if isinstance(wanted, Optional):
        return fits(bare(given), wanted.of)
    if isinstance(given, Optional):
        return fits(given.of, wanted)
    return _fits_bare(given, wanted)


def _fits_bare(given: Type, wanted: Type) -> bool:
    match given, wanted:
        case Basic("int"), Basic("number"):
            return True
        case Enum(), Basic("text"):
            return True
        case Enum(_, members), Enum(_, allowed):
            return set(members) <= set(allowed)
        case Many(k1, a), Many(k2, b):
            return (k1 == k2 or k2 == "list") and fits(a, b)
        case Map(k1, v1), Map(k2, v2):
            return fits(k1, k2) and fits(v1, v2)
        case Map(k, v), Many("bag", of):
            return fits(k, of) and fits(v, NUMBER)
        case Map(k, _), Many("list" | "set", of):
            return fits(k, of)
        case Record(name), Basic("text"):
            return name.startswith("row ")
    return False


def join(a: Type, b: Type) -> Type | None:
    """The narrowest type that both fit, or None."""
    if fits(a, b) and not (isinstance(a, Optional) and not isinstance(b, Optional)):
        return b
    if fits(b, a):
        return optional(a) if isinstance(b, Optional) or b == NONE else a
    if NONE in (a, b):
        return optional(b if a == NONE else a)
    if isinstance(bare(a), Enum) and isinstance(bare(b), Enum):
        return TEXT
    inner = None if bare(a) == a and bare(b) == b else join(bare(a), bare(b))
    return optional(inner) if inner else None


def element(t: Type) -> Type | None:
    """What walking through a value of this type gives, or None where it cannot be walked."""
    match bare(t):
        case Many(_, of):
            return of
        case Map(key, _):
            return key
        case Record(name) if name.startswith("table "):
            return Record("row " + name.removeprefix("table "))
        case Basic("any"):
            return ANY
    return None


def bind(wanted: Type, given: Type, found: dict[str, Type]) -> bool:
    """Match an argument with a parameter that may hold variables; what they stand for is added to `found`."""
    if isinstance(wanted, Variable):
        known = found.get(wanted.name)
        merged = bare(given) if known is None else join(known, bare(given))
        if merged is None:
            return False
        found[wanted.name] = merged
        return True
    if given == ANY:
        return True
    match wanted, given:
        case Optional(w), _:
            return given == NONE or bind(w, bare(given), found)
        case _, Optional(g):
            return bind(wanted, g, found)
        case Many(kind, w), _ if kind in ("list", "set"):
            inner = element(given)
            ok = inner is not None and (kind == "list" or (isinstance(given, Many) and given.kind == "set"))
            return ok and inner is not None and bind(w, inner, found)
        case Many("bag", w), Many("bag", g):
            return bind(w, g, found)
        case Many("bag", w), Map(k, v):
            return bind(w, k, found) and fits(v, NUMBER)
        case Map(wk, wv), Map(k, v):
            return bind(wk, k, found) and bind(wv, v, found)
    return fits(given, wanted)


def fill(t: Type, found: dict[str, Type]) -> Type:
    """A result type with its variables replaced by what they stand for."""
    match t:
        case Variable(name):
            return found.get(name, ANY)
        case Many(kind, of):
            return Many(kind, fill(of, found))
        case Map(key, value):
            return Map(fill(key, found), fill(value, found))
        case Optional(of):
            return optional(fill(of, found))
    return t
