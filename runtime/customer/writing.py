"""How a persona writes: seeded changes of a finished text. Words with a digit, prices and sizes are never touched."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from shopdsl.dsl.random import Stream

_TOKEN = re.compile(r"\S+|\s+")
_SHORT = {"please": "pls", "thanks": "thx", "you": "u", "are": "r", "because": "bc", "and": "&", "with": "w/"}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_UNITS = frozenset(
    [
        "x",
        "oz",
        "lb",
        "lbs",
        "g",
        "kg",
        "mg",
        "ml",
        "l",
        "in",
        "ft",
        "cm",
        "mm",
        "w",
        "v",
        "gb",
        "tb",
        "mp",
        "qt",
        "gal",
        "count",
        "pack",
        "sheets",
    ]
)


def apply(changes: dict[str, Any], text: str, stream: Stream) -> str:
    """A text with the changes of a persona's value, in the order of their names."""
    for name, (low, high) in sorted(changes.items()):
        rate = float(low) + (float(high) - float(low)) * stream.unit()
        if rate > 0:
            text = _CHANGES[name](text, rate, stream)
    return text


def _words(text: str, change: Callable[[str], str]) -> str:
    tokens = _TOKEN.findall(text)
    return "".join(t if t.isspace() or _protected(tokens, i) else change(t) for i, t in enumerate(tokens))


def _protected(tokens: list[str], i: int) -> bool:
    """Figures, amounts, and units that follow a figure."""
    word = tokens[i]
    if any(c.isdigit() for c in word) or word[:1] in "$€£¥":
        return True
    before = tokens[i - 2] if i >= 2 else ""
    return any(c.isdigit() for c in before) and word.strip(".,;:!?").lower() in _UNITS


def _typos(text: str, rate: float, stream: Stream) -> str:
    return _words(text, lambda w: _mistype(w, stream) if _letters(w) > 3 and stream.chance(rate) else w)


def _letters(word: str) -> int:
    """How many letters the word begins with; only those are mistyped, punctuation is not."""
    return next((i for i, c in enumerate(word) if not c.isalpha()), len(word))


def _mistype(word: str, stream: Stream) -> str:
    """One edit: deletion, insertion, substitution or transposition (Damerau 1964: four of five misspellings are one)."""
    i = 1 + stream.below(_letters(word) - 2)
    letter = _LETTERS[stream.below(26)]
    match stream.below(4):
        case 0:
            return word[:i] + word[i + 1 :]
        case 1:
            return word[:i] + letter + word[i:]
        case 2:
            return word[:i] + letter + word[i + 1 :]
    return word[:i] + word[i + 1] + word[i] + word[i + 2 :]


def _lower(text: str, rate: float, stream: Stream) -> str:
    return _words(text, str.lower)


def _no_punctuation(text: str, rate: float, stream: Stream) -> str:
    return re.sub(r"(?<=[A-Za-z])[.,!](?=\s|$)", "", text)


def _drop_words(text: str, rate: float, stream: Stream) -> str:
    small = {"a", "an", "the", "of", "to", "my", "is", "it", "for", "in"}
    kept = _words(text, lambda w: "" if w.lower() in small and stream.chance(min(1, rate * 4)) else w)
    return re.sub(r"[ \t]{2,}", " ", kept).strip()


def _abbreviate(text: str, rate: float, stream: Stream) -> str:
    return _words(text, lambda w: _SHORT.get(w.lower(), w))


_CHANGES: dict[str, Callable[[str, float, Stream], str]] = {
    "typos": _typos,
    "lower_case": _lower,
    "no_punctuation": _no_punctuation,
    "drop_words": _drop_words,
    "abbreviate": _abbreviate,
}
