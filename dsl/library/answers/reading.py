"""What a text asserts where: its clauses, its negations, its questions and the wishes it only reports.

- A clause ends at `. ! ? ; , : 、 |`, a line break, a dash between spaces, and words such as and, but, so, because, 但, 而是, 就.
  What stands in brackets is a clause of its own.
- A negation word negates what follows it in the same clause within its reach (`wording.NEGATIONS`). Two that stand together
  assert again: "not impossible", "不是不能". Set phrases such as "not only" and "不过" negate nothing.
- After "no" and "without" the reach is short, and a new subject ends it: "with no coupon you pay $599". So does a condition
  before a price: "不用券599元".
- A few words after a phrase take it back: "… is not possible", "…不了".
- The last clause before a question mark asserts nothing, nor does the whole sentence if it opens as questions do; nor does
  a clause that ends with 吗.
- From "whether", "you asked", "是否", "您问" on, a clause asserts nothing.
- Of phrases, a result is not stated that is only hoped for, waited for or to come (希望取消成功, 取消成功后会…), nor a denial that is
  only feared or mistaken (担心不能叠加).
- What is struck out (`~~…~~`) is negated.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from shopdsl.dsl.library.answers import wording
from shopdsl.dsl.library.answers.folding import MAX_TEXT, flat

_WORD = re.compile(r"[^\W_]+")
_STRUCK = re.compile(r"~~[^~\n]{1,500}~~")
_FAR = 100
_NEAR = 40


@dataclass(frozen=True, slots=True)
class _Mark:
    start: int
    end: int
    reach: int
    number_reach: int
    negates: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A text read once: `flat` in its own case, `low` case folded, and what holds at each of its characters."""

    flat: str
    low: str
    clauses: list[int]
    marks: list[_Mark]
    starts: list[int]
    silent: bytearray
    struck: bytearray

    def negated(self, start: int, end: int, number: bool = False) -> bool:
        """Is what stands from `start` to `end` negated?"""
        if self.struck[start] or wording.TAKEN_BACK.match(self.low, end):
            return True
        last = bisect_left(self.starts, start) - 1
        return last >= 0 and self.marks[last].negates and self._reaches(last, start, number)

    def asserted(self, start: int, end: int, number: bool = False) -> bool:
        """Is what stands there said to be so: not negated, not asked, not only reported as a wish?"""
        return not self.silent[start] and not self.negated(start, end, number)

    def stated(self, start: int, end: int) -> bool:
        """Is a phrase asserted, and no result that is only hoped for or to come, nor a denial that is feared?"""
        return self.asserted(start, end) and not self._open(start, end)

    def _open(self, start: int, end: int) -> bool:
        said, before = self.low[start:end], self.low[max(0, start - _NEAR) : start]
        if wording.RESULT.search(said):
            hoped = wording.HOPED.search(before)
            return wording.TO_COME.match(self.low, end) is not None or bool(hoped and not wording.ENDS_HOPE.search(hoped[0]))
        return wording.DENIAL.match(said) is not None and wording.FEARED.search(before) is not None

    def _reaches(self, at: int, start: int, number: bool) -> bool:
        mark = self.marks[at]
        if self.clauses[mark.start] != self.clauses[start] or start - mark.end > _FAR:
            return False
        between = self.low[mark.end : start]
        if mark.reach == wording.NOUN_REACH and wording.SUBJECT.search(between):
            return False
        if number and wording.CONDITION.search(between) and between[0] != "是" and self.low[mark.start] != "非":
            return False
        return _distance(self.low, mark.end, start) <= (mark.number_reach if number else mark.reach)


def read(text: str) -> Reading:
    """The reading of a text, as it was written."""
    return _read(text[:MAX_TEXT])


@lru_cache(maxsize=16)
def _read(text: str) -> Reading:
    shown = flat(text)
    low = shown.casefold()
    clauses = _clauses(low)
    marks = list(_marks(low, clauses))
    return Reading(shown, low, clauses, marks, [m.start for m in marks], _silent(low), _struck(low))


def _marks(low: str, clauses: list[int]) -> Iterator[_Mark]:
    before: _Mark | None = None
    for found in wording.NEGATION.finditer(low):
        name = found.lastgroup or "idle"
        if name == "idle":
            continue
        _, reach, number_reach = wording.NEGATIONS[int(name[1:])]
        doubled = before is not None and before.negates and _joined(low, clauses, before, found.start())
        before = _Mark(found.start(), found.end(), reach, number_reach, not doubled)
        yield before


def _joined(low: str, clauses: list[int], mark: _Mark, start: int) -> bool:
    """Do two negations stand so close that the second takes the first back? "Neither … nor" does not."""
    if low.startswith("nor", start):
        return False
    together = 1 if low[mark.start].isascii() else 2
    return clauses[mark.start] == clauses[start] and _distance(low, mark.end, start) <= together


def _distance(low: str, end: int, start: int) -> int:
    """The words, after an English negation, or the characters, after a Chinese one, from its end to a place."""
    if start - end > _FAR:
        return _FAR
    between = low[end:start]
    return len(_WORD.findall(between)) if low[end - 1].isascii() else len(between) - between.count(" ")


def _clauses(low: str) -> list[int]:
    """The number of the clause at each character; after a bracket closes, the clause before it goes on."""
    numbers, outer, now, fresh, at = [0] * (len(low) + 1), list[int](), 0, 0, 0
    for bound in wording.BOUND.finditer(low):
        numbers[at : bound.start()] = [now] * (bound.start() - at)
        at = bound.start()
        if bound["close"] and outer:
            now = outer.pop()
            continue
        if bound["open"]:
            outer.append(now)
        elif bound["stop"] and "\n" in bound["stop"]:
            outer.clear()
        now = fresh = fresh + 1
    numbers[at:] = [now] * (len(numbers) - at)
    return numbers


def _silent(low: str) -> bytearray:
    """Marks all that is asked, or only reported as a wish."""
    silent = bytearray(len(low) + 1)
    sentence = at = 0
    for bound in [*wording.BOUND.finditer(low), None]:
        end = bound.start() if bound else len(low)
        stop = bound["stop"] if bound else None
        asked = bool(stop) and "?" in (stop or "")
        quiet = _quiet_from(low, at, end, asked)
        if asked and wording.OPENING.match(low, sentence, end):
            quiet = sentence
        silent[quiet:end] = b"\1" * (end - quiet)
        at = bound.end() if bound else end
        if stop:
            sentence = at
    return silent


def _quiet_from(low: str, at: int, end: int, asked: bool) -> int:
    segment = low[at:end]
    if asked or wording.ASKED.search(segment[-8:]):
        return at
    wish = wording.WISH.search(segment)
    return at + wish.start() if wish else end


def _struck(low: str) -> bytearray:
    struck = bytearray(len(low) + 1)
    for found in _STRUCK.finditer(low):
        struck[found.start() : found.end()] = b"\1" * (found.end() - found.start())
    return struck
