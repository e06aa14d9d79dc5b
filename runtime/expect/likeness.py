"""Are two values the same, but for the way they are written?"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

_CHINESE = re.compile("[\u3400-\u9fff]")
"""Where it is written, spaces part no words."""


def alike(a: Any, b: Any, any_order: bool = False) -> bool:
    """Are two arguments the same, but for the way they are written, or the order of a list?"""
    if isinstance(a, list) and isinstance(b, list):
        if any_order:
            a, b = sorted(a, key=_folded), sorted(b, key=_folded)
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(alike(v, b[k]) for k, v in a.items())
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a == b or (_sane(a) and _sane(b) and abs(a - b) < 1e-9)
    return isinstance(a, str) and isinstance(b, str) and _plain(a) == _plain(b)


def _sane(number: float) -> bool:
    """Can it be computed with? An agent may send a whole number of any length."""
    return isinstance(number, float) or number.bit_length() < 200


def _folded(value: Any) -> str:
    """What tells members of a list apart, as text."""
    return _plain(value) if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


def _plain(text: str) -> str:
    words = unicodedata.normalize("NFKC", text).casefold().split()
    return ("" if _CHINESE.search(text) else " ").join(words)
