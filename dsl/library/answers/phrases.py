"""Where a phrase stands in a text, as whole words.

Words of scripts that write spaces match whole words only; white space, hyphens, commas, brackets and quotes between them may
differ, a full stop may not. Chinese, Japanese, Korean and Thai match as strings without the punctuation and white space inside.
A number is one word in either, without the signs that group its digits, so "49元" is not in "549元" nor in "49.50元".
A phrase with a number or a date in it also matches where these are spelt otherwise (`spelling`); a date with a year also
matches one without. `…` or `...` inside a phrase is a gap: it stands for a few words of the same sentence that deny nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from shopdsl.dsl.library.answers import spelling, wording
from shopdsl.dsl.library.answers.decimals import pointed
from shopdsl.dsl.library.answers.folding import MAX_TEXT, folded
from shopdsl.dsl.library.answers.numerals import decimal_comma
from shopdsl.dsl.library.answers.spelling import Token

_UNSPACED = r"\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN = re.compile(rf"[0-9]+(?:[.,][0-9]+)+|[^\W_{_UNSPACED}]+(?:'[^\W_{_UNSPACED}]+)*|[{_UNSPACED}]|[%$€£¥₹₩₽+&#@°=<>]")
_SPOKEN = re.compile(rf"[^\W_{_UNSPACED}]|{spelling.DATE}")
_STOPS = frozenset(".!?;。|")
_OF_YEAR = re.compile(rf"({spelling.DATE}[0-9]+{spelling.DATE}[0-9]+) [0-9]{{4}}(?![0-9])")
_YEAR = re.compile(r" ?(?:19|20)[0-9]{2}(?![0-9.]|元|块)")
_DATE_LAST = re.compile(rf"{spelling.DATE}[0-9]+\Z")
_NOTHING = re.compile(r"(?!)")
_GAP = re.compile(r"\s*(?:…+|\.{3,})\s*")
_BESIDE_WORDS = re.compile(r"[\s\"'()\[\]「」『』<>《》【】-]*")
_SIGN = re.compile(f"[{_UNSPACED}]")
_FAR = 80
GAP_SIGNS = 8
GAP_WORDS = 3


@dataclass(frozen=True, slots=True)
class _Squeezed:
    text: str
    starts: dict[int, int]
    ends: dict[int, int]


def _plain(low: str, comma: bool) -> Iterator[Token]:
    group = "." if comma else ","
    reached = 0
    for found in _TOKEN.finditer(low):
        if found.start() < reached:
            continue
        if decimal := pointed(low, found.start()):
            reached = decimal[1]
            yield low[found.start() : reached], found.start(), reached
            continue
        token = re.sub(rf"[{group}](?=[0-9]{{3}}(?![0-9]))", "", found[0]) if found[0][0].isdigit() else found[0]
        yield token, *found.span()


def _respelt(low: str, comma: bool) -> Iterator[Token]:
    """The tokens with numbers and dates in their one spelling."""
    last: Token | None = None
    for token, start, end in _plain(low, comma):
        if last and start < last[2]:
            continue
        there = spelling.numeral(low, start) or [(spelling.word(low, token, start, end, last), start, end)]
        yield from there
        last = there[-1]


@lru_cache(maxsize=256)
def _squeezed(text: str, comma: bool, respelt: bool) -> _Squeezed:
    low = folded(text)
    parts, starts, ends = list[str](), dict[int, int](), dict[int, int]()
    length, before, spoken = 0, 0, False
    for token, start, end in (_respelt if respelt else _plain)(low, comma):
        speaks = bool(_SPOKEN.match(token))
        # a year that stood before the rest of its date comes from the same place as the token before it
        gap = (_gap(low[before:start], spoken and speaks) if start >= before else " ") if parts else ""
        starts[length + len(gap)] = start
        length += len(gap) + len(token)
        ends[length] = before = end
        parts += [gap, token]
        spoken = speaks
    return _Squeezed("".join(parts), starts, ends)


def _gap(between: str, spaced: bool) -> str:
    if not _STOPS.isdisjoint(between):
        return "\n"
    return " " if spaced and between else ""


def hits(text: str, phrase: str, locale: str) -> Iterator[tuple[int, int]]:
    """The places of a phrase in the folded text, in order, none in another; a phrase may have gaps."""
    first, *others = _parts(phrase) or [""]
    found = whole(text, first, locale)
    for part in others:
        found = _joined(folded(text), list(found), list(whole(text, part, locale)))
    yield from _apart(found)


def _parts(phrase: str) -> list[str]:
    """What stands between the gaps of a phrase."""
    return [part for part in _GAP.split(phrase[:MAX_TEXT]) if not empty(part)]


def closed(phrase: str) -> str:
    """A phrase as it is said: without its gaps, and with a space for those between words that are spaced."""
    parts = _parts(phrase)
    if len(parts) < 2:
        return phrase
    return "".join(f"{one} " if one[-1].isascii() and other[0].isascii() else one for one, other in pairwise(parts)) + parts[-1]


def _joined(low: str, ones: list[tuple[int, int]], others: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans from a hit of one part to the nearest hit of the next, if no more than a gap lies between them."""
    starts = [start for start, _ in others]
    for start, end in ones:
        at = bisect_left(starts, end)
        if at < len(others) and starts[at] - end <= _FAR and _is_gap(low[end : starts[at]]):
            yield start, others[at][1]


def _is_gap(between: str) -> bool:
    """May this be what a gap stands for: a few words without punctuation and without a denial?"""
    words = [found[0] for found in _TOKEN.finditer(between)]
    signs = sum(_SIGN.fullmatch(word) is not None for word in words)
    denies = any(found.lastgroup != "idle" for found in wording.NEGATION.finditer(between))
    plain = _BESIDE_WORDS.fullmatch(_TOKEN.sub("", between)) is not None
    return plain and not denies and signs <= GAP_SIGNS and len(words) - signs <= GAP_WORDS


def _apart(found: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Those that do not begin inside the one before."""
    reached = 0
    for start, end in found:
        if start >= reached:
            yield start, end
            reached = end


def whole(text: str, phrase: str, locale: str) -> Iterator[tuple[int, int]]:
    """The places of a phrase without gaps, in order, none in another."""
    comma = decimal_comma(locale)
    text, phrase = text[:MAX_TEXT], phrase[:MAX_TEXT]
    found = list(_places(_squeezed(text, comma, False), _squeezed(phrase, comma, False).text))
    wanted = _squeezed(phrase, comma, True).text
    # what holds no number has one spelling, and its plural is another word
    if any(map(str.isdigit, wanted)):
        there = _squeezed(text, comma, True)
        found = sorted({*found, *_places(there, wanted), *_without_year(there, wanted)})
    yield from _apart(found)


def _without_year(within: _Squeezed, wanted: str) -> Iterator[tuple[int, int]]:
    """The places of a phrase whose date has a year where the date has none; a date of another year is another date."""
    shorter = _OF_YEAR.sub(r"\1", wanted)
    if shorter != wanted:
        yield from _places(within, shorter, _YEAR if _DATE_LAST.search(shorter) else _NOTHING)


def _places(within: _Squeezed, wanted: str, unless: re.Pattern[str] = _NOTHING) -> Iterator[tuple[int, int]]:
    at = within.text.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        stands = at in within.starts and end in within.ends
        if stands and not unless.match(within.text, end):
            yield within.starts[at], within.ends[end]
        at = within.text.find(wanted, end if stands else at + 1)


def empty(phrase: str) -> bool:
    """Does a phrase hold nothing that could be looked for?"""
    return not _squeezed(phrase[:MAX_TEXT], False, False).text
