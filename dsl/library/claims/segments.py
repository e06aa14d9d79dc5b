"""Sentences, list items and table rows of a text, in plain prose or Markdown, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_LINE = re.compile(r"[^\n]+(?:\n(?=[a-z])(?<![.!?:;。？！|\r]\n)[^\n]+)*")
_MARK = re.compile(r"\s*(?:>\s*)*(?P<item>[-*+•‣◦–]\s+(?:\[[ xX]\]\s*)?|\(?\d{1,3}[.)]\s+)?(?P<head>#{1,6}\s+)?")
_RULE = re.compile(r"[\s|:=*_-]*")
_END = re.compile(r"(?:[.!?…]+[\"'”’)\]*_]*(?=\s|$))|[。？！][”’」』）]*")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|mr|mrs|ms|dr|st|vs|approx|no|nos|inc|co|ltd|jr|sr|dept|est|incl|excl|cf|prof|u\.s"
    r"|[a-z])\.$",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\d\s?(?:fl\.?\s?)?(?:oz|fl|in|ft|lb|lbs|pt|qt|gal|pkg|pk|ct|min|max|hr|hrs|sq|cu|yd|tbsp|tsp|kg|ml|mm|cm)\.$", re.IGNORECASE
)
_OPENER = re.compile(
    r"(?:the|it|it's|its|this|that|these|those|there|i|i've|we|you|your|they|would|do|does|shall|can|is|are|what"
    r"|which|if)\b",
    re.IGNORECASE,
)
_QUANTITY = ("qty", "quantity", "count", "units")
_EDGE = " \t\r\n*_`|"

_ASKS = re.compile(r"[?？][\"'”’)\]*_\s]*$")
_ASKS_UNMARKED = re.compile(
    r"^\W*(?:(?:and|so|but|please|just|also)\W+)*(?:"
    r"(?:let me know|tell me|specify|choose|confirm|clarify)\b.*?\b(?:which|what|whether|how (?:many|much|big"
    r"|large)|your (?:preferred|preference)|you(?:'d| would)? prefer)\b"
    r"|(?:would|do|did|could|can|should|shall|may) (?:you|i|we)\b|(?:are|have) you\b"
    r"|(?:which|what|how (?:many|much))\b.{0,60}\b(?:do|would|should|are|is) (?:you|i|we|it|the|your)\b)",
    re.IGNORECASE | re.DOTALL,
)
_ASKS_CHINESE = re.compile(r"[吗呢]\s*。?$")


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence, list item, heading or table row; `columns` are the heads of the table's columns."""

    text: str
    start: int
    kind: str
    columns: tuple[str, ...] = ()


def sentences(text: str) -> list[str]:
    """The sentences, list items, headings and table rows of a text, in its order, without the marks around them."""
    return [s.text for s in segments(text)]


def questions(text: str) -> list[str]:
    """The sentences that ask something."""
    return [s.text for s in segments(text) if asks(s.text)]


def asks(sentence: str) -> bool:
    """Does a sentence ask for an answer, with or without a question mark?"""
    plain = sentence.replace("’", "'")
    return any(p.search(plain) for p in (_ASKS, _ASKS_UNMARKED, _ASKS_CHINESE))


@lru_cache(maxsize=512)
def segments(text: str) -> tuple[Segment, ...]:
    """The segments of a text. Each is a slice of it, and all its words stand in one of them."""
    return tuple(_segments(text))


def _segments(text: str) -> Iterator[Segment]:
    columns: tuple[str, ...] | None = None
    for line in _LINE.finditer(text):
        body = line[0]
        if body.count("|") >= 2:
            if _RULE.fullmatch(body) is None:
                yield from _trimmed(body, line.start(), "row" if columns else "columns", columns or ())
                columns = columns or cells(body)
            continue
        columns = None
        if _RULE.fullmatch(body) is None:
            yield from _line(body, line.start())


def cells(row: str) -> tuple[str, ...]:
    """The cells of a table row."""
    return tuple(c.strip(_EDGE) for c in row.strip().strip("|").split("|"))


def counted(row: Segment) -> int | None:
    """The quantity that a table row gives, by the head of its column."""
    for name, cell in zip(row.columns, cells(row.text), strict=False):
        if name.lower().startswith(_QUANTITY) and cell.isdecimal() and len(cell) <= 4:
            return int(cell)
    return None


def _line(body: str, start: int) -> Iterator[Segment]:
    mark = _MARK.match(body)
    assert mark is not None
    kind = "item" if mark["item"] else "head" if mark["head"] else "prose"
    rest = body[mark.end() :]
    for low, high in _pieces(rest):
        yield from _trimmed(rest[low:high], start + mark.end() + low, kind)


def _trimmed(body: str, start: int, kind: str, columns: tuple[str, ...] = ()) -> Iterator[Segment]:
    low = len(body) - len(body.lstrip(_EDGE))
    kept = body.strip(_EDGE)
    if kept:
        yield Segment(kept, start + low, kind, columns)


def _pieces(line: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for end in _END.finditer(line):
        if _is_end(line, begin, end):
            yield begin, end.end()
            begin = end.end()
    if line[begin:].strip():
        yield begin, len(line)


def _is_end(line: str, begin: int, end: re.Match[str]) -> bool:
    following = line[end.end() : end.end() + 60].lstrip(" \t\"'“‘(*_")
    if end[0][0] != "." or not following:
        return True
    before = line[max(begin, end.start() - 16) : end.start() + 1]
    if following[0].islower() or _ABBREVIATION.search(before) or line[begin : end.start()][:8].strip(" *").isdigit():
        return False
    return _UNIT.search(before) is None or _OPENER.match(following) is not None
