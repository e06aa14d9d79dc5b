"""Records as files and specs give them, checked against their shapes and made data of a plan: money in minor units, numbers as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from shopdsl.dsl.diagnostics import nearest
from shopdsl.dsl.tree import Mapping as MappingNode
from shopdsl.dsl.tree import Node, Scalar, Sequence, typed
from shopdsl.dsl.values import SYMBOLS

Path = tuple[Any, ...]
_MONEY = re.compile(r"([$€£¥])(-?\d[\d,]{0,15}(?:\.\d+)?)")
_PLAIN_NUMBER = re.compile(r"[+-]?(\d{1,30}(\.\d{1,30})?|\.\d{1,30})", re.ASCII)
_RANGE = 10**15
MAX_DEPTH = 40


class Plain(str):
    """A plain scalar of YAML: its text, whose type is that of the field that it is for."""


@dataclass(frozen=True)
class Flaw:
    """What is wrong with given data, and where."""

    path: Path
    message: str
    help: str = ""


@dataclass
class Reader:
    """Reads values of declared types; what does not fit is a flaw, and stands as none."""

    shapes: Mapping[str, Any]
    currency: str
    flaws: list[Flaw] = field(default_factory=list)

    def tables(self, data: Any, named: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        """All records by record and key; `named` says which record each name of `data` stands for."""
        result: dict[str, dict[str, Any]] = {name: {} for name, about in self.shapes.items() if about["key"]}
        for name, rows in self._mapping(data, ()).items():
            record = named.get(name)
            if record is None:
                self._flaw((name,), f"there is no table `{name}`", f"tables: {', '.join(sorted(named))}")
                continue
            for key, row in self._rows(rows, record, (name,)):
                result[record][key] = row
        return result

    def _rows(self, rows: Any, record: str, path: Path) -> Iterator[tuple[str, Any]]:
        key = self.shapes[record]["key"]
        called = self.shapes[record]["fields"][key]["called"] or key
        taken: set[str] = set()
        listed: list[tuple[Any, str | None, Any]] = [(i, None, r) for i, r in enumerate(rows)] if isinstance(rows, list) else []
        for place, name, row in listed or [(k, str(k), r) for k, r in self._mapping(rows, path).items()]:
            whole = dict(row) if isinstance(row, dict) else row
            if isinstance(whole, dict) and name is not None:
                whole.setdefault(called, name)
            made = self.value(whole, {"record": record}, (*path, place))
            own = made.get(key) if isinstance(made, dict) else None
            if own is not None and name is not None and own != name:
                self._flaw((*path, place), f"`{name}` has the {key} `{own}`", f"write `{key}: {name}`, or leave it out")
                continue
            if own is not None and str(own) in taken:
                self._flaw((*path, place), f"there are two records `{own}`", "remove one of the two")
            if own is not None:
                taken.add(str(own))
                yield str(own), made

    def value(self, given: Any, kind: Any, path: Path) -> Any:
        """A value as plan data."""
        if isinstance(given, Plain) and typed(given) is None:
            given = None
        if len(path) > 3 * MAX_DEPTH:
            self._flaw(path, f"this nests more than {MAX_DEPTH} records deep", "")
            return None
        match kind:
            case {"optional": inner}:
                return None if given is None else self.value(given, inner, path)
            case {"list": inner}:
                return [self.value(v, inner, (*path, i)) for i, v in enumerate(self._list(given, path))]
            case {"map": inner}:
                return {str(k): self.value(v, inner, (*path, k)) for k, v in self._mapping(given, path).items()}
            case {"record": name}:
                return self._record(given, name, path)
        return self._scalar(given, kind, path)

    def _record(self, given: Any, name: str, path: Path, partial: bool = False) -> Any:
        about = self.shapes[name]
        called = {f["called"] or n: (n, f["type"]) for n, f in about["fields"].items()}
        made: dict[str, Any] = {}
        for key, value in self._mapping(given, path).items():
            if key not in called:
                help = nearest(str(key), called) or f"fields: {', '.join(called)}"
                self._flaw((*path, key), f"`{name}` has no field `{key}`", help)
                continue
            own, kind = called[key]
            made[own] = self.value(value, kind, (*path, key))
        if partial:
            return made
        missing = [k for k, (own, kind) in called.items() if own not in made and not _optional(kind)]
        if missing and isinstance(given, dict):
            self._flaw(
                path, f"this `{name}` lacks `{missing[0]}`", f"add `{missing[0]}:`, or declare the field `{{optional: …}}`"
            )
        return made if about["sparse"] else dict.fromkeys(about["fields"]) | made

    def change(self, given: Any, name: str, path: Path) -> Any:
        """Some fields of a record."""
        return self._record(given, name, path, partial=True)

    def _scalar(self, given: Any, kind: Any, path: Path) -> Any:
        found: Any
        match kind:
            case "text" | "duration" | {"ref": _}:
                found = str(given) if isinstance(given, str) else None
            case {"one_of": members}:
                found = str(given) if isinstance(given, str) and str(given) in members else None
            case "bool":
                found = (
                    given
                    if isinstance(given, bool)
                    else {"true": True, "false": False}.get(given)
                    if isinstance(given, Plain)
                    else None
                )
            case "money":
                found = self._money(given, path)
            case _:
                found = _number(given, kind)
        if found is None and not any(f.path == path for f in self.flaws[-1:]):
            shown = "none" if given is None else f"`{str(given)[:60]}`"
            self._flaw(path, f"{shown} is not {_wanted(kind)}", "")
        return found

    def _money(self, given: Any, path: Path) -> int | None:
        if isinstance(given, str) and (match := _MONEY.fullmatch(given)):
            if SYMBOLS[match[1]] != self.currency and (match[1], self.currency) != ("¥", "JPY"):
                self._flaw(path, f"`{given}` is {SYMBOLS[match[1]]}, and this store sells in {self.currency}", "")
                return None
            given = Plain(match[2].replace(",", ""))
        exact = _decimal(given)
        if exact is not None and exact * 100 != int(exact * 100):
            self._flaw(path, f"`{str(given)[:60]}` has fractions of minor units", "write an amount of two decimals at most")
            return None
        return None if exact is None else int(exact * 100)

    def _list(self, given: Any, path: Path) -> list[Any]:
        if not isinstance(given, list):
            self._flaw(path, f"{'none' if given is None else 'this'} is not a list", "")
            return []
        return given

    def _mapping(self, given: Any, path: Path) -> dict[str, Any]:
        if not isinstance(given, dict):
            self._flaw(path, f"{'none' if given is None else 'this'} is not a mapping", "")
            return {}
        return given

    def _flaw(self, path: Path, message: str, help: str) -> None:
        self.flaws.append(Flaw(path, message, help))


def _optional(kind: Any) -> bool:
    return isinstance(kind, dict) and "optional" in kind


def _decimal(given: Any) -> Decimal | None:
    if isinstance(given, bool) or (isinstance(given, str) and not isinstance(given, Plain)):
        return None
    if isinstance(given, str) and not _PLAIN_NUMBER.fullmatch(given):
        return None
    try:
        exact = Decimal(given)
    except (InvalidOperation, TypeError, ValueError):
        return None
    sane = exact.is_finite() and (not exact or abs(exact.adjusted()) <= 30)
    return exact if sane and abs(exact) < _RANGE else None


def _number(given: Any, kind: Any) -> Any:
    exact = _decimal(given)
    if exact is None:
        return None
    if kind == "number":
        return format(exact, "f")[:40]
    if exact != exact.to_integral_value():
        return None
    low, high = kind["range"] if isinstance(kind, dict) and "range" in kind else (-_RANGE, _RANGE)
    return int(exact) if low <= exact <= high else None


def _wanted(kind: Any) -> str:
    match kind:
        case {"ref": record}:
            return f"the key of a `{record}`, a text"
        case {"one_of": members}:
            return f"one of {', '.join(members)}"
        case {"range": [low, high]}:
            return f"a whole number from {low} to {high}"
        case "int":
            return "a whole number"
        case "money":
            return "an amount of money"
        case "bool":
            return "true or false"
    return f"a {kind}"


def given(node: Node | None) -> Any:
    """A node as data whose scalars are typed later, by the fields that they are for."""
    match node:
        case Scalar(text, style, _):
            return Plain(text) if style == "" else text
        case Sequence(items):
            return [given(i) for i in items]
        case MappingNode(entries):
            return {k.text: given(v) for k, v in entries}
    return None


def located(node: Node, path: Path) -> Node:
    """The node at a path, or the last one on the way to it."""
    for step in path:
        inner = node.items[step] if isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items) else None
        inner = node.get(str(step)) if isinstance(node, MappingNode) else inner
        if inner is None:
            return node
        node = inner
    return node
