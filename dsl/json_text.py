"""JSON files of others: read without floats, and where in the text the value at a path stands."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

Path = tuple[Any, ...]
_HALF = re.compile(r"\\u[dD][89abABcdefCDEF]")
_SPACE = re.compile(r"[ \t\r\n]*")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are all different; raises ValueError."""
    made = dict(pairs)
    if len(made) != len(pairs):
        twice = next(k for i, (k, _) in enumerate(pairs) if k in dict(pairs[:i]))
        raise ValueError(f"the key {twice[:60]!r} stands twice in one object")
    return made


def _decimal(text: str) -> Decimal:
    """A number of a sane size; raises ValueError."""
    value = Decimal(text)
    if value and abs(value.adjusted()) > 30:
        raise ValueError(f"the number {text[:30]} is out of range")
    return value


def _number(text: str) -> Any:
    raise ValueError(f"{text} is not a number of JSON")


_DECODER = json.JSONDecoder(parse_float=_decimal, parse_constant=_number, object_pairs_hook=_once)


class BadJson(Exception):
    """A text that is not JSON; `offset` is where it stops being that."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


def parse(text: str) -> Any:
    """The value of a text, decimal numbers as Decimal; raises BadJson."""
    try:
        value = _DECODER.decode(text)
        if _HALF.search(text) and not _whole(value):
            raise ValueError("a text holds half a character (a lone surrogate)")
        return value
    except json.JSONDecodeError as error:
        raise BadJson(error.msg.lower(), min(error.pos, max(0, len(text) - 1))) from None
    except (RecursionError, ValueError) as error:
        raise BadJson(
            "it nests too deeply, or holds a number that is too long" if isinstance(error, RecursionError) else str(error), 0
        ) from None


def _whole(value: Any) -> bool:
    """Can all texts of a value be written as UTF-8?"""
    if isinstance(value, str):
        return value.encode("utf-8", "ignore").decode() == value
    if isinstance(value, dict):
        return all(_whole(k) and _whole(v) for k, v in value.items())
    return all(map(_whole, value)) if isinstance(value, list) else True


def locate(text: str, path: Path, start: int = 0) -> tuple[int, int]:
    """Where the value at a path begins and ends; of a path that leads nowhere, the last value on the way."""
    place = _skip(text, start)
    for step in path:
        found = _member(text, place, step) if text[place] == "{" else _element(text, place, step) if text[place] == "[" else None
        if found is None:
            break
        place = found
    return place, _DECODER.raw_decode(text, place)[1]


def elements(text: str, place: int) -> list[int]:
    """Where the members of a list begin."""
    result = []
    at = _skip(text, place + 1)
    while text[at] != "]":
        result.append(at)
        at = _next(text, at)
    return result


def _skip(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]  # it matches nothing as well


def _next(text: str, at: int) -> int:
    """The place after a value, and after the comma behind it."""
    at = _skip(text, _DECODER.raw_decode(text, at)[1])
    return _skip(text, at + 1) if text[at] == "," else at


def _element(text: str, place: int, wanted: Any) -> int | None:
    found = elements(text, place) if isinstance(wanted, int) else []
    return found[wanted] if isinstance(wanted, int) and 0 <= wanted < len(found) else None


def _member(text: str, place: int, wanted: Any) -> int | None:
    at = _skip(text, place + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        value = _skip(text, _skip(text, end) + 1)
        if key == wanted:
            return value
        at = _next(text, value)
    return None
