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
_ASKS_CHINESE = re.compile(r"[吗呢]\s*[。：:]?$")

# A request for what only the customer knows, at the begin of a clause. "Please note" and 请稍等 request nothing of that kind.
_START = r"(?:^\W*|[.!,;:(]\s+|\s[-–—]\s+|\b(?:so|and|but|then|first)\s+)"
_THEIRS = (
    r"(?:your|his|her|their|its|which|what|how|where|when|who|whether|a (?:bit|few|little)|some|(?:any )?details|more|about"
    r"|the (?:colou?r|size|model|order|number|name|address|budget|date|brand|style|quantity|email|e-mail|phone|exact|full))\b"
)
_NOT_OURS = r"(?![^.!?]{0,40}\b(?:with|to) (?:the |your |a )?(?:courier|carrier|driver|seller|friends?|family|others|anyone|manufacturer|bank)\b)"
_REQUESTS = re.compile(
    rf"{_START}(?:(?:please|kindly|just|could you|can you|would you|will you)\s+)(?:(?:please|kindly|just|also|first|then)\s+)*(?:"
    rf"tell (?:me|us)\b(?! if\b)|let (?:me|us) know {_THEIRS}"
    rf"|(?:share|provide|specify|describe|clarify|indicate|state|confirm|choose|select|pick|enter)(?: (?:me|us|with (?:me|us)))? {_THEIRS}"
    rf"|(?:send|give) (?:me|us) (?!an? (?:moment|minute|second|sec|while|bit)|some time){_THEIRS}){_NOT_OURS}"
    rf"|{_START}(?:tell (?:me|us)|let (?:me|us) know) {_THEIRS}"
    rf"|{_START}(?:i|we)(?:'ll|'d| will| would)? (?:just |only |still )?need (?:to know|{_THEIRS})",
    re.IGNORECASE,
)
_US = "(?:我们?|客服|小二)?(?:一?下)?"
_REQUESTS_CHINESE = re.compile(
    r"(?:(?<![申邀聘不])请|麻烦|劳烦|有劳)(?:[您你]|先|再|也|直接|帮忙|尽快|这边|在此){0,3}(?:"
    rf"告[诉知](?!快递|卖家|商家|对方|家人|朋友|收件){_US}|提供(?!给)|说(?:一下|下|说|明(?!书))|描述|补充|选择|(?:回复|发)(?:我|一?下|给我)"
    r"|确认(?:一?下)?[^。！？!?\n]{0,6}(?:是否|哪|几|什么|多少|还是)|把[^。！？!?\n]{1,20}(?:告诉|发|提供)给?我)"
    r"|(?<!不)方便(?:的话)?[，,]?(?:[您你]|请|先){0,2}(?:告[诉知]我|提供|说一?下|透露)"
    r"|(?<![不无])需要[您你](?:先|再|这边)?(?:提供|告[诉知]|补充|说明)"
    r"|想(?:先|再|跟[您你]){0,2}(?:了解|知道|确认|问)(?:一?下)?[您你]"
)
_LEADS = re.compile(r"[?？:：][\"'”’)\]*_\s]*$")


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
    """The sentences that ask something, requests to tell it among them, and the items of a list right behind one."""
    return list(_questions(text))


def _questions(text: str) -> Iterator[str]:
    listed = False
    for segment in segments(text):
        asked = asks(segment.text) or requests(segment.text)
        if asked or (listed and segment.kind == "item"):
            yield segment.text
        if segment.kind != "item":
            listed = asked and _LEADS.search(segment.text) is not None


def requests(sentence: str) -> bool:
    """Does a sentence ask the customer to tell something?"""
    return any(p.search(sentence.replace("’", "'")) for p in (_REQUESTS, _REQUESTS_CHINESE))


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
