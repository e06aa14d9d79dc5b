"""The typed expectations: what is looked for, whether a text asserts it, and the nearest thing that stands there if not.

- One asserted mention is enough; negated, asked and only reported mentions do not count.
- A sum of money may be a bare number, if it is no id, no end of a range and no count of what the next word names.
- What only bounds (`bounds`) is no value: "more than 7 days", 省了609元.
- A number in a known unit equals the same measure in another: 1.2 kg and 1200 g, 2 days and 48 hours.
- Of options, those count that `mentions` gives: neither compared with nor ruled out.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from shopdsl.dsl.library.answers.bounds import bounds
from shopdsl.dsl.library.answers.figures import Number, numbers
from shopdsl.dsl.library.answers.folding import folded
from shopdsl.dsl.library.answers.marked import bare, called
from shopdsl.dsl.library.answers.mentions import asserted_names, name_hits, spelt
from shopdsl.dsl.library.answers.phrases import empty, hits, whole
from shopdsl.dsl.library.answers.reading import Reading, read
from shopdsl.dsl.library.answers.units import Unit
from shopdsl.dsl.library.answers.units import unit as known_unit
from shopdsl.dsl.values import Money

_CODE = re.compile(r"[A-Z]{2,3}")
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an expectation holds, and if not, one sentence for people: what was looked for and what stands there instead."""

    ok: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` (included) to `end` (excluded) of a folded text."""

    start: int
    end: int


def money(text: str, amount: Money, locale: str) -> Verdict:
    """Is the amount quoted, and not only negated or asked for? A discount may be quoted with a minus."""
    reading, found = read(text), numbers(text, locale)
    named = [n for n in found if _currency(reading.low, n, amount.currency)]
    plain = [n for n in found if not n.currency + n.unit and bare(reading.low, n.start, n.end)]
    same = [n for n in [*named, *plain] if _discounted(n.value, amount.amount)]
    near = named or [n for n in found if n.currency]
    return _found(reading, str(amount), same, near, amount.amount, "no sum of money")


def quoted(text: str, amount: Money, locale: str) -> bool:
    """Is the amount named at all, if only as a bound or as what is saved, and not negated or asked for?"""
    reading = read(text)
    same = [
        n for n in numbers(text, locale) if _currency(reading.low, n, amount.currency) and _discounted(n.value, amount.amount)
    ]
    return any(not n.negated and not reading.silent[n.start] for n in same)


def quantity(text: str, value: Decimal, unit: str, locale: str) -> Verdict:
    """Does a number stand there with that value in that unit? Without a unit, a bare number or a count of pieces."""
    reading, wanted = read(text), folded(unit).strip()
    known = known_unit(wanted)
    size = known.size if known else Decimal(1)
    there = [replace(n, value=n.value * _size(n)) for n in numbers(text, locale) if _in_unit(reading.low, n, wanted, known)]
    equal = _discounted if known and known.name == "%" else operator.eq
    same = [n for n in there if equal(n.value, value * size)]
    sought = f"{value:f}{' ' if wanted and wanted[0].isalpha() and wanted[0].isascii() else ''}{unit}"
    return _found(reading, sought, same, there, value * size, f"no number of {unit}" if wanted else "no such number")


def says(text: str, phrase: str, locale: str) -> Verdict:
    """Does the phrase stand there as whole words, asserted?"""
    return _says(read(text), phrase, list(hits(text, phrase, locale)))


def place(text: str, name: str, locale: str) -> Verdict:
    """Like `says`; a code of two or three capitals stands there in capitals only."""
    reading = read(text)
    found = [hit for hit in whole(text, name, locale) if not _CODE.fullmatch(name) or spelt(reading, hit, name)]
    return _says(reading, name, found)


def choice(text: str, right: str, options: Sequence[str], locale: str) -> Verdict:
    """Is the right option asserted, and no other? What is only compared with ("lighter than …") is no choice."""
    chosen = asserted_names(text, [right, *options], locale)
    others = [name for name in options if folded(name) != folded(right) and folded(name) in chosen]
    if folded(right) in chosen:
        return Verdict(False, f"it names {_quoted(others[0])} beside {_quoted(right)}") if others else Verdict(True)
    reading = read(text)
    found = list(name_hits(text, right, locale))
    taken_back = _says(reading, right, [h for h in found if not reading.asserted(*h)])
    if len(found) and all(reading.asserted(*h) for h in found):
        taken_back = Verdict(False, f"{_quoted(right)} stands there, but only compared with or ruled out")
    return Verdict(False, f"{taken_back.reason}; it names {_quoted(others[0])}") if others else taken_back


def first(text: str, phrases: Sequence[str], locale: str) -> Span | None:
    """The place of the first asserted hit of any of the phrases."""
    reading = read(text)
    found = [next((h for h in hits(text, phrase, locale) if reading.stated(*h)), None) for phrase in phrases]
    return min((Span(*hit) for hit in found if hit), key=lambda span: (span.start, -span.end), default=None)


def _currency(low: str, number: Number, wanted: str) -> bool:
    """Is the number a sum of that currency? The yen and the yuan share a sign, sterling and the weight a word."""
    written = low[number.start : number.end]
    if wanted == "GBP" and number.unit == "lb":
        return written.endswith(("pound", "pounds"))
    return number.currency == wanted or ({number.currency, wanted} == {"CNY", "JPY"} and "¥" in written)


def _discounted(value: Decimal, wanted: Decimal) -> bool:
    return value == wanted or (wanted > 0 and -value == wanted)


def _size(number: Number) -> Decimal:
    known = known_unit(number.unit)
    return known.size if known else Decimal(1)


def _in_unit(low: str, number: Number, wanted: str, known: Unit | None) -> bool:
    if number.currency:
        return False
    if not wanted:
        return number.unit in ("", "piece") and not called(low, number.start)
    if known:
        there = known_unit(number.unit)
        return there is not None and there.measures == known.measures
    follows = number.unit or low[number.end :][: len(wanted) + 3].lstrip(" -")
    return re.match(rf"{re.escape(wanted.removesuffix('s') or wanted)}s?(?![a-z])", follows) is not None


def _found(reading: Reading, sought: str, same: list[Number], near: list[Number], value: Decimal, nothing: str) -> Verdict:
    stated = [n for n in same if not bounds(reading.low, n)]
    if any(not n.negated and not reading.silent[n.start] for n in stated):
        return Verdict(True)
    if same:
        why = _why(stated[0].negated) if stated else "but only as a bound, or as what is saved or missing"
        return Verdict(False, f"{_quoted(_shown(reading, (stated or same)[0]))} stands there, {why}")
    if not near:
        return Verdict(False, f"no {sought}; it quotes {nothing}")
    nearest = min(near, key=lambda n: (abs(n.value - value), n.start))
    return Verdict(False, f"no {sought}; it quotes {_shown(reading, nearest)}")


def _says(reading: Reading, phrase: str, found: list[tuple[int, int]]) -> Verdict:
    if any(reading.stated(*hit) for hit in found):
        return Verdict(True)
    if found:
        ahead = reading.asserted(*found[0])
        why = "but only hoped for, feared or still to come" if ahead else _why(reading.negated(*found[0]))
        return Verdict(False, f"{_quoted(phrase)} stands there, {why}")
    return Verdict(False, f"it says nothing of {_quoted(phrase)}" if not empty(phrase) else "there is no phrase to look for")


def _why(negated: bool) -> str:
    return "negated" if negated else "but only asked for or reported as a wish"


def _shown(reading: Reading, number: Number) -> str:
    return reading.flat[number.start : number.end].strip()


def _quoted(text: str) -> str:
    return f'"{text if len(text) <= _SHOWN else text[:_SHOWN] + "…"}"'
