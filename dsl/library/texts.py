"""Texts: normalised words, mentions, headlines, regular expressions on a linear-time engine."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any

from shopdsl.dsl.library.collections import walk
from shopdsl.dsl.values import Failed, Money, show

MAX_TEXT = 100_000
_SIGN = "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Signs of Chinese and Japanese, which have no spaces between words."""
_WORD = re.compile(rf"[{_SIGN}]|[^\W_{_SIGN}]+(?:[.'’][^\W_{_SIGN}]+)*")
_SIGNS = re.compile(rf"[{_SIGN}]+")
_CODES = {
    "$": "USD", "us$": "USD", "usd": "USD", "€": "EUR", "eur": "EUR", "£": "GBP", "gbp": "GBP", "¥": "CNY", "cny": "CNY", "rmb": "CNY",
    "人民币": "CNY", "元": "CNY", "块": "CNY", "块钱": "CNY", "圆": "CNY", "yuan": "CNY",
}  # fmt: skip
_AMOUNT = r"(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?:\.\d{1,2})?"
_BEFORE = r"us\$|[$€£¥]|(?:(?<![a-z])(?:usd|eur|gbp|cny|rmb))|人民币"
_BEHIND = r"块钱|[元块圆]|(?:yuan|rmb|cny|usd|eur|gbp)(?![a-z])"
_MONEY = re.compile(rf"(?<![\w.,])(?:({_BEFORE})\s?)({_AMOUNT})(?!\d)|(?<![a-z\d.,$€£¥])({_AMOUNT})\s?({_BEHIND})", re.I | re.A)
_SMALL = frozenset(["a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with", "per"])
_STOP = _SMALL | frozenset(["i", "it", "is", "one", "some", "any", "that", "this", "please"])
_UNIT = re.compile(r"(?:[a-z]{1,3}|count|pack|fl|oz)\b")


@lru_cache(maxsize=16_384)
def _words(text: str) -> tuple[str, ...]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return tuple(_WORD.findall(folded))


def words(text: str) -> list[str]:
    """The words of a text, Unicode NFKC, case folded, without punctuation; of Chinese every sign."""
    return list(_words(text))


def signs(text: str) -> list[str]:
    """The runs of Chinese and Japanese signs."""
    return _SIGNS.findall(unicodedata.normalize("NFKC", text))


def lower(text: str) -> str:
    return text.lower()


def contains(text: Any, part: Any) -> bool:
    """Do the words of `part` stand in `text`, one after the other?"""
    haystack, needle = " ".join(_words(show(text))), " ".join(_words(show(part)))
    return bool(needle) and f" {needle} " in f" {haystack} "


_FIGURE = re.compile(r"(?<![\w.])-?\d[\d,]{0,20}(?:\.\d{1,10})?")


def figure(text: str) -> float | None:
    """The first number of a text."""
    match = _FIGURE.search(unicodedata.normalize("NFKC", text[:MAX_TEXT]))
    return float(match[0].replace(",", "")) if match else None


def mentions(text: Any, subject: Any) -> bool:
    """Are at least two thirds of the words that matter in `subject` in `text`?"""
    have = set(_words(show(text)))
    wanted = [w for w in _words(show(subject)) if w not in _STOP]
    return bool(wanted) and 3 * sum(w in have for w in wanted) >= 2 * len(wanted)


def join(values: Any, separator: str = ", ") -> str:
    return limit(separator.join(show(v) for v in walk(values) if v is not None))


def untagged(value: Any) -> str:
    """A value as a text that cannot end the tag it is put into."""
    return show(value).replace("</", "< /")


def limit(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise Failed(f"a text grew past {MAX_TEXT:,} characters")
    return text


def headline(text: str) -> str:
    """Title case as shops write it: small words and units stay as they are."""
    spoken = text.split(" ")
    return " ".join(_capital(w, i, spoken[max(0, i - 2) : i]) for i, w in enumerate(spoken))


def _capital(word: str, place: int, before: list[str]) -> str:
    if not word or not word[0].islower():
        return word
    measured = before[-1:] == ["fl"] or any(b[:1].isdigit() for b in before[-1:])
    if measured and _UNIT.match(word):
        return word
    bare = word.strip("(),.")
    if place and bare in _SMALL:
        return word
    return "-".join(part[:1].upper() + part[1:] if part not in _SMALL else part for part in word.split("-"))


def prices(text: str) -> list[Money]:
    """The amounts of money that a text quotes in digits, with a sign or a word for the money before or behind, in its order."""
    found = _MONEY.findall(unicodedata.normalize("NFKC", text))
    return [Money((before or behind).replace(",", ""), _CODES[(sign or word).casefold()]) for sign, before, behind, word in found]


@lru_cache(maxsize=512)
def pattern(source: str) -> Any:
    """A compiled regular expression of RE2, which matches in linear time; raises re2.error."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    return re2.compile(source, options)


def matches(text: Any, regex: str) -> bool:
    try:
        made = pattern(regex)
    except Exception:  # re2.error is not typed, and RE2 raises nothing else
        raise Failed(f"this is no regular expression of RE2: {regex[:80]}") from None
    return made.search(show(text)) is not None
