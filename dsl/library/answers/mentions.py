"""Which names a text asserts, as an option that is chosen or a product that is recommended.

- A mention inside a longer name's mention is that name's.
- What is only compared with is not chosen: "lighter than A", 比A和B都轻, 与A相比.
- Of A没有B亮 and "A is not as bright as B" the better one is asserted.
- What something is said to lack (A没有橄榄绿, "A is not olive") rules it out where another option is named that stays.
- A name does not run over a comma that its own spelling does not have.
- Nor is what is ruled out behind its name, or later in the sentence of "it": "A ($269) is sold out", A超出预算，所以不推荐. What the
  sentence says behind another name is that name's; what it takes back ("but I still recommend it") rules nothing out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from shopdsl.dsl.library.answers import wording
from shopdsl.dsl.library.answers.folding import folded
from shopdsl.dsl.library.answers.phrases import whole
from shopdsl.dsl.library.answers.reading import Reading, read

_LETTER = re.compile(r"[A-Z]{1,3}")
_ARTICLE = re.compile(
    r"(?:A|I)(?= [a-z])(?! (?:is|was|has|costs|and|or|because|wins|works|fits|since|would|looks|offers|for|as)\b)"
)
_NAMED = re.compile(r"(?:option|choice|answer|plan|model|type|size|grade) \Z")
_WORD_NEXT = re.compile(" [a-z]")
_SENTENCE_END = re.compile(r"[!?;。\n]|\.(?![0-9a-z])")
# a comma that groups digits belongs to them
_MARKS = re.compile(r"[、;/]|,(?![0-9])|(?<![0-9]),|(?<![ -~])\n")
_FAR = 160
_BEFORE = 60
_NEAR = 14


@dataclass(frozen=True, slots=True)
class _Mention:
    name: str
    start: int
    end: int


def spelt(reading: Reading, hit: tuple[int, int], name: str) -> bool:
    """Does a name stand there in the case it has?"""
    return reading.flat[slice(*hit)] == name


def name_hits(text: str, name: str, locale: str) -> Iterator[tuple[int, int]]:
    """The hits of an option's or a product's name.

    A letter such as A stands there as a capital, and not as the article; "no" is an answer, and not the "no" of "no fee"; and
    option 2 is not the "two" of "two ways".
    """
    reading, same = read(text), folded(name)
    for hit in whole(text, name, locale):
        if _runs_over(reading.low[slice(*hit)], same):
            continue
        letter = _LETTER.fullmatch(name) is None or _is_letter(reading, hit, name)
        number = not same.isdigit() or reading.low[slice(*hit)] == same
        if letter and number and not (same == "no" and _WORD_NEXT.match(reading.low, hit[1])):
            yield hit


def _runs_over(there: str, name: str) -> bool:
    """Does a hit run over punctuation, or over the end of a Chinese line, where the name has none?"""
    marks = _MARKS.sub("", there)
    return len(there) - len(marks) > len(name) - len(_MARKS.sub("", name))


def _is_letter(reading: Reading, hit: tuple[int, int], name: str) -> bool:
    named = _NAMED.search(reading.low[max(0, hit[0] - 8) : hit[0]])
    return spelt(reading, hit, name) and (bool(named) or not _ARTICLE.match(reading.flat, hit[0]))


def asserted(text: str, names: Iterable[str], locale: str) -> list[str]:
    """The names that a text asserts; of names inside each other the longest that stands there."""
    known = list(dict.fromkeys(names))
    chosen = asserted_names(text, known, locale)
    return [name for name in known if folded(name) in chosen]


def asserted_names(text: str, names: Iterable[str], locale: str) -> set[str]:
    """The names that are asserted, folded."""
    reading = read(text)
    mentions = _mentions(text, names, locale)
    worse, better = _worse(reading.low, mentions)
    dropped = _between(reading.low, mentions) | worse | (_compared(reading.low, mentions) - better)
    dropped |= _ruled_out(reading.low, mentions) - better
    kept = [i for i, m in enumerate(mentions) if i not in dropped and _holds(reading, m, i in better)]
    return _without_short(reading.low, mentions, kept)


def _holds(reading: Reading, mention: _Mention, better: bool) -> bool:
    """Is a mention asserted? The 没有 of A没有B亮 denies B nothing."""
    return not reading.silent[mention.start] if better else reading.asserted(mention.start, mention.end)


def _without_short(low: str, mentions: list[_Mention], kept: list[int]) -> set[str]:
    """The names that are kept: without those that only lack something, if others stay."""
    short = set() if wording.OFFERED_ALL.search(low) else {i for i in kept if _is_short(low, mentions, i)}
    staying = {mentions[i].name for i in kept if i not in short}
    return staying or {mentions[i].name for i in kept}


def _is_short(low: str, mentions: list[_Mention], at: int) -> bool:
    """Does what is said of a mention only speak against it?"""
    said = _said(low, mentions, at)
    if said.whole(wording.OFFERED.search(said.text)) or _is_offered(low, mentions, at):
        return False
    return bool(wording.SHORT.match(said.text) or said.whole(wording.SHORT_LATER.search(said.text)))


def _worse(low: str, mentions: list[_Mention]) -> tuple[set[int], set[int]]:
    """Of comparisons that name the worse one first: those, and the better ones; both where the worse one is offered all the same."""
    pairs = [i for i in range(len(mentions) - 1) if _is_worse(low, mentions[i], mentions[i + 1])]
    offered = {m.name for i, m in enumerate(mentions) if _is_offered(low, mentions, i)} if pairs else set()
    better = {i + 1 for i in pairs if mentions[i].name not in offered}
    return {*pairs, *(i + 1 for i in pairs if i + 1 not in better)}, better


def _is_offered(low: str, mentions: list[_Mention], at: int) -> bool:
    """Is a mention offered right before it: "take the A", 推荐A?"""
    start = mentions[at].start
    last = mentions[at - 1].end if at else 0
    return wording.OFFERED.search(_SENTENCE_END.split(low[max(last, start - _NEAR) : start])[-1]) is not None


def _is_worse(low: str, one: _Mention, other: _Mention) -> bool:
    if other.start - one.end > _BEFORE:
        return False
    if wording.WORSE_EN.fullmatch(low, one.end, other.start):
        return True
    lesser = wording.WORSE_ZH.fullmatch(low, one.end, other.start)
    if lesser:
        return not lesser["lacks"] or wording.BETTER_BEHIND.match(low, other.end) is not None
    than = wording.WORSE_THAN_ZH.fullmatch(low, one.end, other.start)
    return than is not None and wording.WORSE_BEHIND.match(low, other.end) is not None


def _mentions(text: str, names: Iterable[str], locale: str) -> list[_Mention]:
    """The mentions of the names in their order, none in another's."""
    taken, found = bytearray(len(read(text).low) + 1), list[_Mention]()
    for name in sorted(set(names), key=lambda name: (-len(name), name)):
        for start, end in name_hits(text, name, locale):
            if not taken[start]:
                taken[start:end] = b"\1" * (end - start)
                found.append(_Mention(folded(name), start, end))
    return sorted(found, key=lambda m: m.start)


def _between(low: str, mentions: list[_Mention]) -> set[int]:
    """Those that are only named as what there is to choose from."""
    inside = bytearray(len(low) + 1)
    for found in wording.BETWEEN.finditer(low):
        inside[found.start() : found.end()] = b"\1" * (found.end() - found.start())
    return {i for i, m in enumerate(mentions) if inside[m.start]}


def _compared(low: str, mentions: list[_Mention]) -> set[int]:
    """Those that something is compared with, and what is listed with them."""
    out = _compared_with(low, mentions)
    alongside = {i for i in out if wording.ALONGSIDE.match(low, mentions[i].end)}
    for i, m in enumerate(mentions):
        listed = i - 1 in out and i - 1 not in alongside and _listed(low, mentions, i - 1)
        # 与C相比A更轻: what is said of C ends before A
        named = (i - 1 not in alongside and wording.COMPARED.search(_before(low, m))) or wording.MEASURED.match(low, m.end)
        if named or (listed and not wording.LISTED_ON.match(low, m.end)):
            out.add(i)
    return out


def _compared_with(low: str, mentions: list[_Mention]) -> set[int]:
    """Those of 与A和B相比: the list that ends before 相比, if one of these words begins it."""
    out, group = set[int](), set[int]()
    for i in reversed(range(len(mentions))):
        if wording.ALONGSIDE.match(low, mentions[i].end):
            group = {i}
            begins = wording.WITH_LAST
        else:
            group = group | {i} if group and _listed(low, mentions, i) else set()
            begins = wording.WITH
        before = _before(low, mentions[i])
        if group and begins.search(before):
            out |= group
            # of A和B与C相比 the list is C, but of 与A和B相比 it may begin further ahead
            group = group if before.rstrip().endswith("和") else set()
    return out


def _listed(low: str, mentions: list[_Mention], at: int, words: re.Pattern[str] = wording.LISTED) -> bool:
    """Is a list all that stands between a mention and the next?"""
    return words.fullmatch(low, mentions[at].end, mentions[at + 1].start) is not None


def _before(low: str, mention: _Mention) -> str:
    return low[max(0, mention.start - _BEFORE) : mention.start]


def _ruled_out(low: str, mentions: list[_Mention]) -> set[int]:
    """Those that are sold out, unfit or not recommended, by what is said of them, of a list they end or of all before it."""
    out, lists, sentences = set[int](), set[int](), set[int]()
    for i in reversed(range(len(mentions))):
        said = _said(low, mentions, i)
        before = _before(low, mentions[i])
        if i + 1 in lists and _listed(low, mentions, i, wording.LISTED_ALL):
            lists.add(i)
        elif i + 1 in sentences and not said.ended and not wording.OFFERED.search(before[-8:]):
            sentences.add(i)
        elif _is_out(said, before):
            out.add(i)
            lists |= {i} if wording.OF_ALL.match(said.text) else set()
            sentences |= {i} if wording.OF_ALL_BEFORE.search(said.text) else set()
    return out | lists | sentences


class _Said:
    """What a sentence says behind a mention: up to its end or the next mention."""

    def __init__(self, low: str, start: int, following: int) -> None:
        end = _SENTENCE_END.search(low, start, start + _FAR)
        self.ended = end is not None and end.start() < following
        limit = min(following, end.start() if end else start + _FAR)
        # where another name follows, what is said right before it may be said of that
        self._cut = limit == following < len(low)
        self.text = low[start:limit] + ("\0" if self._cut else "")

    def whole(self, found: re.Match[str] | None) -> re.Match[str] | None:
        """What was found, if it is not said of the next name."""
        return found if found and (not self._cut or wording.NEXT.search(self.text, found.end())) else None


def _said(low: str, mentions: list[_Mention], at: int) -> _Said:
    return _Said(low, mentions[at].end, mentions[at + 1].start if at + 1 < len(mentions) else len(low))


def _is_out(said: _Said, before: str) -> bool:
    if wording.REJECTED.search(before):
        return True
    out = wording.RULED_OUT.match(said.text) or said.whole(wording.RULED_OUT_LATER.search(said.text))
    if out:
        return said.whole(wording.AFTER_ALL.search(said.text, out.end())) is None
    lacks = wording.SORRY.search(before) and said.whole(wording.LACKS.search(said.text))
    return bool(lacks) and not wording.OFFERED.search(said.text)
