"""The numbers of a text, each with its unit or currency.

Digits with grouped thousands, `万 千 亿` and, after a currency sign, `k` behind them; Chinese numerals up to 99,999 before a unit
or a currency; English number words up to twelve before a unit or another word ("one" before a unit only). The digits of ids,
dates, times, telephone and version numbers are none. In a range ("3-5 days") both ends are numbers with the unit of either.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from shopdsl.dsl.library.answers import numerals
from shopdsl.dsl.library.answers.change import WHOLE, change
from shopdsl.dsl.library.answers.decimals import POINTED, pointed
from shopdsl.dsl.library.answers.folding import MAX_TEXT
from shopdsl.dsl.library.answers.marked import no_amounts
from shopdsl.dsl.library.answers.reading import read
from shopdsl.dsl.library.answers.units import AFTER, BEFORE, CURRENCY_AFTER, CURRENCY_BEFORE, UNIT_AFTER, UNITS

_RUN = re.compile(r"[0-9]+(?:[.,'][0-9]+)*")
_SPACED_RUN = re.compile(r"[0-9]{1,3}(?: [0-9]{3})+(?![0-9])(?:[.,][0-9]+)?|[0-9]+(?:[.,'][0-9]+)*")
_CHINESE = re.compile(rf"(百分之)?([{numerals.NUMERALS}]{{1,12}})")
_PERCENT = re.compile(r"百分之 ?\Z")
_ENGLISH = re.compile(rf"(?<![a-z0-9'-])({'|'.join(numerals.WORDS)})(?=[ -]([a-z]+))")
_TENS = re.compile(r"(?:ty|hundred|thousand)(?: and)? \Z")
_NO_NOUN = "of and or the hundred thousand million dozen to is are in at on for with more other"
_MANY = re.compile(r" ?(万|亿|千(?![克米瓦卡赫])|thousand(?![a-z])|million(?![a-z]))")
_SIZES = {"万": 10_000, "亿": 100_000_000, "千": 1_000, "thousand": 1_000, "million": 1_000_000}
_K = re.compile(r"k(?![a-z0-9])")
_ATTACHED = re.compile(r"[a-z][a-z0-9]*")
_TIMES = re.compile(r"(?:[^a-z0-9]|\A)x[0-9]{1,2}(?![a-z0-9])|[0-9]x[0-9]")
_OPEN = re.compile(r"[\s$€£¥]?")
_RANGE = re.compile(r" ?[-~] ?|(?:[到至]| to )(?:零下|负|minus )?")
_BELOW = re.compile(r"(?:零下|(?<!正)负|(?<![a-z])minus)(?:约|大约)? ?\Z")
_BELOW_BEHIND = re.compile(r" below (?:zero|freezing)(?![a-z])")
_FAHRENHEIT = re.compile(r"华氏(?:温度)?(?:零下|负)? ?\Z")
_DEGREES = ("°c", "°f")


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a text: its value in `unit` (a name of the table, or the letters that stand there) or `currency`, "" for none;
    `start` to `end` in the folded text, the currency included."""

    value: Decimal
    unit: str
    currency: str
    start: int
    end: int
    negated: bool


@dataclass(frozen=True, slots=True)
class _Raw:
    value: Decimal
    start: int
    end: int


@lru_cache(maxsize=16)
def _numbers(text: str, locale: str) -> tuple[Number, ...]:
    reading = read(text)
    low, none_here = reading.low, no_amounts(reading.low)
    inches = _Inches(low)
    raws = sorted(_raws(low, locale, none_here), key=lambda raw: (raw.start, -raw.end))
    found = list[Number]()
    for raw in raws:
        # the 五 of 五块五 is read with the sum before it
        if (not found or raw.start >= found[-1].end) and (number := _measured(low, raw, locale, inches)):
            found.append(number)
    return tuple(replace(n, negated=reading.negated(n.start, n.end, number=True)) for n in _ranges(low, found))


def numbers(text: str, locale: str) -> list[Number]:
    """The numbers of a text, in its order."""
    return list(_numbers(text[:MAX_TEXT], locale))


def _raws(low: str, locale: str, none_here: bytearray) -> Iterator[_Raw]:
    run = _SPACED_RUN if numerals.decimal_comma(locale) else _RUN
    for found in run.finditer(low):
        if not none_here[found.start()]:
            yield from _digits(low, found.start(), found[0], locale)
    for found in POINTED.finditer(low):
        if (decimal := pointed(low, found.start())) and not none_here[found.start()]:
            yield _Raw(decimal[0], found.start(), decimal[1])
    for found in _CHINESE.finditer(low):
        value = numerals.chinese(found[2])
        if value is not None and not none_here[found.start()]:
            yield _Raw(Decimal(value), found.start(2), found.end())
    for found in _ENGLISH.finditer(low):
        if found[2] not in _NO_NOUN.split() and not _TENS.search(low[max(0, found.start() - 14) : found.start()]):
            yield _Raw(Decimal(numerals.WORDS[found[1]]), found.start(), found.end())


def _digits(low: str, start: int, run: str, locale: str) -> Iterator[_Raw]:
    if not _may_begin(low, start) or (len(run) > 1 and run[0] == "0" and run[1].isdigit()):
        return
    value = numerals.digits(run, locale)
    if value is not None:
        yield _signed(low, start, start + len(run), value)
    elif "," in run:
        at = start
        for part in run.split(","):
            if (listed := numerals.digits(part, locale)) is not None:
                yield _Raw(listed, at, at + len(part))
            at += len(part) + 1


def _may_begin(low: str, start: int) -> bool:
    before = low[max(0, start - 8) : start]
    if not before or CURRENCY_BEFORE.search(before):
        return True
    if before[-1] in "#_/^" or (before[-1].isalpha() and before[-1] < "\u0e00" and not _TIMES.match(low, max(0, start - 2))):
        return False
    return not (before[-1] == "-" and before[-2:-1].isalpha() and before[-2] < "\u0e00")


def _signed(low: str, start: int, end: int, value: Decimal) -> _Raw:
    if low[start - 1 : start] == "." and _OPEN.fullmatch(low, max(0, start - 2), start - 1) and low[start:end].isdigit():
        return _Raw(Decimal(f"0.{low[start:end]}"), start - 1, end)
    minus = low[start - 1 : start] == "-" and not low[max(0, start - 2) : start - 1].isdigit()
    return _Raw(-value if minus else value, start, end)


def _measured(low: str, raw: _Raw, locale: str, inches: _Inches) -> Number | None:
    """A number with what stands around it; nothing where a numeral in words has neither unit nor noun."""
    start, end, value = raw.start, raw.end, raw.value
    if many := _MANY.match(low, end):
        value, end = value * _SIZES[many[1]], many.end()
    before = CURRENCY_BEFORE.search(low[max(0, start - 8) : start])
    if before and (k := _K.match(low, end)):
        value, end = value * 1_000, k.end()
    after = CURRENCY_AFTER.match(low, end)
    if not before and not after:
        return _with_unit(low, Number(value, "", "", start, end, False), inches)
    code = _currency(before[1] if before else "", after[1] if after else "", locale)
    start -= len(before[0]) if before else 0
    minus = before and value > 0 and low[start - 1 : start] == "-" and not low[max(0, start - 2) : start - 1].strip()
    end, more = after.end() if after else end, Decimal(0)
    if after and after[1] in WHOLE and value >= 0 and value == int(value):
        more, end = change(low, end, after[1])
    return Number(-value - more if minus else value + more, "", code, start, end, False)


def _currency(before: str, after: str, locale: str) -> str:
    """A word or a code says more than a sign; `¥` is the yen where Japanese is spoken."""
    code = AFTER[after] if after and (not before or after not in "$€£¥") else BEFORE[before]
    return "JPY" if code == "CNY" and locale.lower().startswith("ja") and "¥" in before + after else code


def _with_unit(low: str, plain: Number, inches: _Inches) -> Number | None:
    if _PERCENT.search(low[max(0, plain.start - 4) : plain.start]):
        return replace(plain, unit="%")
    after = UNIT_AFTER.match(low, plain.end)
    spelling = (after[1] or after[2]) if after else ""
    if after and (spelling != '"' or inches.at(plain.end)):
        return _degrees(low, replace(plain, unit=UNITS[spelling].name, end=after.end()))
    word = low[plain.start]
    if word in numerals.NUMERALS or low.startswith("one", plain.start):
        return None
    attached = _ATTACHED.match(low, plain.end)
    if attached and not re.match("x[0-9]", attached[0]):
        return replace(plain, unit=attached[0], end=attached.end())
    return plain


def _degrees(low: str, number: Number) -> Number:
    """A temperature below zero, and one in Fahrenheit where only the word before it says so; other numbers as they are."""
    if number.unit not in _DEGREES:
        return number
    before = low[max(0, number.start - 8) : number.start]
    below = _BELOW.search(before) or _BELOW_BEHIND.match(low, number.end)
    unit = "°f" if _FAHRENHEIT.search(before) else number.unit
    return replace(number, unit=unit, value=-abs(number.value) if below else number.value)


class _Inches:
    """Tells the inch sign behind a number from the quote that closes there; asked from left to right."""

    def __init__(self, low: str) -> None:
        opening = (i for i, c in enumerate(low) if c == '"' and not low[max(0, i - 1) : i].isdigit())
        self._opening = list(opening)

    def at(self, place: int) -> bool:
        """Is a quote at this place an inch sign: is no other one open?"""
        return bisect_left(self._opening, place) % 2 == 0


def _ranges(low: str, found: list[Number]) -> list[Number]:
    """Ends of ranges share their unit; `2549-1`, digits that run down over a hyphen, are no numbers."""
    dropped = set[int]()
    for i, (one, other) in enumerate(pairwise(found)):
        between = low[one.end : other.start] if other.start - one.end < 5 else ""
        if not _RANGE.fullmatch(between):
            continue
        plain = not one.unit + one.currency
        if one.value < other.value or (other.unit in _DEGREES and plain):
            found[i], found[i + 1] = _shared(low, one, other)
        elif plain and between == "-" and not low.startswith(("=", " ="), other.end):
            dropped |= {i, i + 1}
    return [n for i, n in enumerate(found) if i not in dropped]


def _shared(low: str, one: Number, other: Number) -> tuple[Number, Number]:
    if not one.unit + one.currency:
        return _degrees(low, replace(one, unit=other.unit, currency=other.currency)), other
    if not other.unit + other.currency:
        return one, replace(other, unit=one.unit, currency=one.currency)
    return one, other
