"""Words of a text with their places, folded so that `12-Ounce` is `12 oz`, and an index that finds many phrases at once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")

_LONGEST = 40
"""Words of the longest phrase that can be found."""

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_SAME = {
    word: unit
    for unit, spellings in {
        "oz": "ounce ounces", "in": "inch inches", "lb": "lbs pound pounds", "l": "liter liters litre litres", "ml": "milliliter milliliters",
        "qt": "quart quarts", "gal": "gallon gallons", "pt": "pint pints", "g": "gram grams", "kg": "kilogram kilograms", "ft": "foot feet",
        "w": "watt watts", "v": "volt volts", "h": "hour hours hr hrs", "min": "minute minutes mins", "gray": "grey", "colour": "color colors",
        "flavour": "flavor flavors", "fl": "fluid", "pc": "pcs", "aluminum": "aluminium",
    }.items()
    for word in spellings.split()
}  # fmt: skip


class Word(NamedTuple):
    """A word of a text: folded, and where it stands."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[Word, ...]:
    """The words of a text, folded, with their places."""
    return tuple([Word(fold(m[0]), m.start(), m.end()) for m in _TOKEN.finditer(text)])


@lru_cache(maxsize=65_536)
def phrase(text: str) -> tuple[str, ...]:
    """The folded words of a text."""
    return tuple(fold(m[0]) for m in _TOKEN.finditer(text))


def start(text: str, count: int) -> tuple[str, ...]:
    """The first folded words of a text."""
    return tuple(fold(m[0]) for m in islice(_TOKEN.finditer(text), count))


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """A word in the one form that stands for all its spellings: case folded, singular, units short."""
    if word[0].isdigit():
        return _number(word)
    folded = unicodedata.normalize("NFKC", word).casefold().replace("’", "'").removesuffix("'s")
    return _SAME.get(folded) or _singular(folded)


def _number(word: str) -> str:
    plain = re.sub(r",(?=\d{3}(?!\d))", "", word)
    return plain.rstrip("0").rstrip(".") if plain.count(".") == 1 else plain


def _singular(word: str) -> str:
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zes")) else word[:-1]


class Phrases(Generic[T]):
    """Phrases by their first word; of those that begin at one place the longest counts."""

    def __init__(self, entries: Iterable[tuple[tuple[str, ...], T]]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], T]]] = {}
        for entry in entries:
            if entry[0]:
                self._by_first.setdefault(entry[0][0], []).append(entry)

    def find(self, found: Sequence[Word]) -> Iterator[tuple[int, int, tuple[str, ...], list[T]]]:
        """The phrases among words, as places of the first word and past the last; none overlaps another."""
        at = 0
        while at < len(found):
            known = self._by_first.get(found[at].text)
            key, values = _longest(known, found, at) if known else ((), [])
            if values:
                yield at, at + len(key), key, values
            at += max(1, len(key))

    def has(self, found: Sequence[Word]) -> bool:
        """Does one of the phrases stand among words?"""
        return next(self.find(found), None) is not None

    def get(self, key: tuple[str, ...]) -> list[T]:
        """The values of exactly this phrase."""
        return [value for known, value in self._by_first.get(key[0], ()) if known == key] if key else []


def _longest(known: list[tuple[tuple[str, ...], T]], found: Sequence[Word], at: int) -> tuple[tuple[str, ...], list[T]]:
    best: tuple[str, ...] = ()
    values: list[T] = []
    here = tuple(w.text for w in found[at : at + _LONGEST])
    for key, value in known:
        if len(key) >= len(best) and here[: len(key)] == key:
            values = [*values, value] if key == best else [value]
            best = key
    return best, values
