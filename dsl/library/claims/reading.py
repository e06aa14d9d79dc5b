"""Atomic claims about products, as a text makes them, and what the products' records say to them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from shopdsl.dsl.catalog import Product
from shopdsl.dsl.library.claims import offers, values
from shopdsl.dsl.library.claims.found import Found
from shopdsl.dsl.library.claims.naming import Mention, candidates, mentions, quantity, resolve
from shopdsl.dsl.library.claims.phrases import words
from shopdsl.dsl.library.claims.records import FLIPPED, vocabulary
from shopdsl.dsl.library.claims.segments import Segment, cells, counted, segments
from shopdsl.dsl.library.claims.views import NAME, blank, declared, negated, plain
from shopdsl.dsl.library.collections import walk

_SEPARATOR = re.compile(r"[,;(|–—:]|\s-\s|\b(?:and|or|while|but|plus)\b", re.IGNORECASE)
_SEVERAL = re.compile(r"\W*(?:both|they|they're|all|each|these|those|either|neither)\b", re.IGNORECASE)
_STRANGER = re.compile(r"\W*(?:(?:the|a|an|our)\s+)?[A-Z][\w'-]*(?:\s+(?:&\s+)?[A-Z][\w'-]*)+")


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """What a text says of one product in one respect."""

    product: Product
    field: str
    said: str
    quote: str
    truth: str


@dataclass(frozen=True, slots=True)
class _Zone:
    """A stretch of a segment that speaks of one product, and how many units are named with it."""

    start: int
    end: int
    product: Product | None
    units: int | None


@dataclass(frozen=True, slots=True)
class _Part:
    """A sentence, or a cell of a table behind the head of its column; what is quoted begins after the head."""

    text: str
    head: int = 0
    units: int | None = None


def claims(text: str, products: Any) -> list[Claim]:
    """The claims of a text about some products, each once, in its order."""
    return list(_claims(text, candidates(text, walk(products))))


@lru_cache(maxsize=512)
def _claims(text: str, products: tuple[Product, ...]) -> tuple[Claim, ...]:
    made: dict[tuple[Product, str, str], Claim] = {}
    last: Product | None = None
    several = False
    for segment in segments(text):
        for part in _parts(segment):
            body = plain(part.text)
            named = mentions(body, products, last)
            zones = _zones(body, named, None if several and _SEVERAL.match(body) else last, part.units)
            for claim in _of_part(part, body, named, zones):
                made.setdefault((claim.product, claim.field, claim.said), claim)
            if zones:
                last = zones[-1].product
            if named:
                several = len({z.product for z in zones}) > 1
    return tuple(made.values())


def _parts(segment: Segment) -> Iterator[_Part]:
    """A segment, or for a row of a table its cells, each as `Column: cell`."""
    if segment.kind == "columns":
        return
    if segment.kind != "row":
        yield _Part(segment.text)
        return
    units = counted(segment)
    for i, cell in enumerate(cells(segment.text)):
        head = f"{segment.columns[i]}: " if 0 < i < len(segment.columns) else ""
        yield _Part(head + cell, len(head), units)


def _zones(body: str, named: Sequence[Mention], last: Product | None, units: int | None) -> list[_Zone]:
    """Each name rules from the separator before it to the separator before the next; before the first name rules the first."""
    if not named:
        return [_Zone(0, len(body), None if _is_stranger(body, last) else last, units)]
    cuts = [0, *(_cut(body, a.end, b.start) for a, b in itertools.pairwise(named)), len(body)]
    zones = []
    for mention, low, high in zip(named, cuts, cuts[1:], strict=False):
        last = resolve(mention, words(body[low:high]), last)
        zones.append(_Zone(low, high, last, quantity(body, mention) or units))
    return zones


def _cut(body: str, low: int, high: int) -> int:
    ends = [m.start() for m in _SEPARATOR.finditer(body, low, high)]
    return ends[-1] if ends else high


def _is_stranger(body: str, last: Product | None) -> bool:
    """Does a sentence begin with a name that is none of ours? Then it says nothing of the product before."""
    begin = _STRANGER.match(body)
    if begin is None or last is None:
        return False
    found = words(begin[0])
    known = vocabulary(last.category)
    return not any(index.has(found) for index in (known.values, known.fields, known.brands))


def _of_part(part: _Part, body: str, named: Sequence[Mention], zones: Sequence[_Zone]) -> Iterator[Claim]:
    names = [span for m in named for span in m.names]
    view = declared(blank(body, names, NAME))
    for zone in zones:
        if zone.product is not None:
            for found in _found(view[zone.start : zone.end], zone.product, zone.units):
                yield _claim(part, view, zone.product, zone.start, found)


def _found(inside: str, product: Product, units: int | None) -> Iterator[Found]:
    """What a stretch says, plain offers first; what one reader has taken is blank for the next."""
    for reader in (offers.price, offers.rating, offers.reviews, offers.stock, offers.brand):
        taken = list(reader(inside, product, units))
        yield from taken
        inside = blank(inside, [(f.start, f.end) for f in taken], " ")
    yield from values.found(inside, words(inside), product)


def _claim(part: _Part, view: str, product: Product, begin: int, found: Found) -> Claim:
    """The claim of a finding, turned round where a negation reaches it from within its stretch."""
    no = found.deniable and negated(view[begin : begin + found.start], found.start)
    said = f"not {found.said}" if no else found.said
    quote = part.text[max(part.head, begin + found.start) : begin + found.end].strip()
    return Claim(product, found.field, said, quote, FLIPPED[found.truth] if no else found.truth)
