"""One spelling for numbers and dates in phrases: `seven ports`, `7-port` and `7 ports`; 九五折 and 9.5 折; 5 November and Nov 5th;
二点四公斤 and 2.4公斤; 十一月五日 and 2026/11/05.

A numeral that may be no number stays as it is: `one` without a unit behind it, 一 of 一定, 两三, and what is a part of a larger
number such as `two hundred`. A plural `s` goes only right behind a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from shopdsl.dsl.library.answers import numerals
from shopdsl.dsl.library.answers.decimals import pointed
from shopdsl.dsl.library.answers.units import UNIT_AFTER
from shopdsl.dsl.library.answers.wording import COUNTED, MONTHS

Token = tuple[str, int, int]
"""What a token is compared as, and its place in the folded text."""

DATE = "~"
"""The sign that a folded date begins with: no other token holds it."""

_MONTH = "|".join(MONTHS)
_DAY = "[0-9]{1,2}"
_TH = "(?:st|nd|rd|th)?"
_DATES = re.compile(
    rf"(?<![a-z0-9])(?P<m1>{_MONTH})\.? (?:the )?(?P<d1>{_DAY}){_TH}(?![a-z0-9]|[.,:][0-9])"
    rf"|(?<![a-z0-9.,$€£¥])(?:the )?(?P<d2>{_DAY}){_TH}(?: of)? (?P<m2>{_MONTH})(?![a-z]| (?:be|not|have|also|only)(?![a-z]))"
    rf"|(?<![0-9./-])(?P<y3>[0-9]{{4}})(?P<joint>[-./])(?P<m3>{_DAY})(?P=joint)(?P<d3>{_DAY})(?![0-9/-])"
    rf"|(?:(?<![0-9])(?P<y4>[0-9]{{4}}) ?年 ?)?(?<![0-9])(?P<m4>{_DAY}) ?月 ?(?P<d4>{_DAY}) ?[日号]"
    rf"|(?<![{numerals.NUMERALS}])(?:(?P<y5>[零〇一二三四五六七八九]{{4}}|[0-9]{{4}}) ?年 ?)?"
    r"(?P<m5>十[一二]?|[一二三四五六七八九]) ?月 ?(?P<d5>三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九]) ?[日号]"
)
_CHINESE = re.compile(rf"[{numerals.NUMERALS}]{{1,12}}")
_TENS = re.compile(r"(?<![a-z])(?:(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand)(?: and)?[ -]\Z")
_LARGER = re.compile(r"[ -](?:hundred|thousand|million|dozen|and a half)")
_PLURAL = re.compile(r"[a-z]{3,}(?<![sui])s")
_OFF = re.compile(" ?折")


def numeral(low: str, start: int) -> list[Token] | None:
    """The date or the Chinese numeral that begins at a place, as tokens; nothing where none does."""
    if found := _DATES.match(low, start):
        return list(_date(found))
    if decimal := pointed(low, start):
        return [(f"{decimal[0]:f}", start, decimal[1])]
    if found := _CHINESE.match(low, start):
        value = _chinese(low, found[0], found.end())
        return [(value, start, found.end())] if value else [(c, at, at + 1) for at, c in enumerate(found[0], start)]
    return None


def word(low: str, token: str, start: int, end: int, before: Token | None) -> str:
    """A word or a run of digits in its one spelling, after the token before it."""
    if token in numerals.WORDS:
        return str(numerals.WORDS[token]) if _counts(low, token, start, end) else token
    if len(token) == 2 and token.isdigit() and token[1] != "0" and _OFF.match(low, end):
        return f"{token[0]}.{token[1]}"
    behind = before is not None and before[0][-1].isdigit() and low[before[2] : start] in (" ", "-")
    return token[:-1] if behind and _PLURAL.fullmatch(token) else token


def _date(found: re.Match[str]) -> Iterator[Token]:
    name = found["m1"] or found["m2"]
    month = str(MONTHS[name]) if name else _part(found["m3"] or found["m4"] or found["m5"])
    day = _part(found["d1"] or found["d2"] or found["d3"] or found["d4"] or found["d5"])
    yield f"{DATE}{month}{DATE}{day}", *found.span()
    if year := found["y3"] or found["y4"] or found["y5"]:
        yield _part(year), *found.span()


def _part(written: str) -> str:
    return written.lstrip("0") if written.isascii() else str(numerals.chinese(written))


def _chinese(low: str, run: str, end: int) -> str:
    """The digits of a Chinese numeral; nothing where it is none, or a single sign that counts nothing, as in 一定."""
    if len(run) == 2 and _OFF.match(low, end) and not set(run) & set("十百千万零"):
        return f"{numerals.chinese(run[0])}.{numerals.chinese(run[1])}"
    counts = len(run) > 1 or UNIT_AFTER.match(low, end) or low[end : end + 1] in COUNTED
    value = numerals.chinese(run) if counts and end < len(low) else None
    return "" if value is None else str(value)


def _counts(low: str, token: str, start: int, end: int) -> bool:
    """Is an English number word a number of its own? "One" is mostly none."""
    if _TENS.search(low[max(0, start - 14) : start]) or _LARGER.match(low, end):
        return False
    unit = UNIT_AFTER.match(low, end)
    return token != "one" or (unit is not None and unit[0][-1].isascii())
