"""Folding: the one form of a text that every comparison looks at.

Unicode NFKC and case folding; typographic quotes and dashes become plain ones; runs of white space become one space, or
one line break; marks of emphasis, trade marks and characters without width go. A full-width comma becomes a comma and a
space, so that it never groups digits, unless it stands before three full-width digits. Texts are cut at MAX_TEXT.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MAX_TEXT = 20_000

_PLAIN = {
    **dict.fromkeys("™®©\u00ad\ufeff\ufe0e\ufe0f\u2060", ""),
    **dict.fromkeys(map(chr, [*range(0x200B, 0x2010), *range(0x202A, 0x202F)]), ""),
    **dict.fromkeys("“”„‟″", '"'),
    **dict.fromkeys("‘’‚‛′ʼ", "'"),
    **dict.fromkeys("‐‑‒–−", "-"),
    **dict.fromkeys("—―", " - "),
    **{raised: f"^{digit}" for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    "…": "... ",
    "〜": "~",
}
_TABLE = str.maketrans(_PLAIN)
_FRACTIONS = {"½": "5", "¼": "25", "¾": "75"}
_FRACTION = re.compile("([0-9]?)([½¼¾])")
_GROUPING = re.compile("(?<=[０-９])，(?=[０-９]{3}(?![０-９]))")
_EMPHASIS = re.compile(r"\*\*|__|`")
_SPACE = re.compile(r"\s+")


def flat(text: str) -> str:
    """A text folded in everything but its case, as long as `folded` of the same text."""
    return _flat(text[:MAX_TEXT])


@lru_cache(maxsize=64)
def _flat(text: str) -> str:
    text = _GROUPING.sub(",", text).replace("，", ", ").translate(_TABLE)
    text = _FRACTION.sub(lambda m: f"{m[1] or '0'}.{_FRACTIONS[m[2]]}", text)
    text = _EMPHASIS.sub("", unicodedata.normalize("NFKC", text))
    text = _SPACE.sub(lambda m: "\n" if "\n" in m[0] else " ", text)
    return "".join(c if len(c.casefold()) == 1 else c.casefold() for c in text)[:MAX_TEXT]


def folded(text: str) -> str:
    """A text in the form that all comparisons look at; places in a text are places in this form."""
    return flat(text).casefold()
