"""What a text states of cart and order: added, removed, set, holds, total, ordered, empty. Offers and intentions state nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from shopdsl.dsl.catalog import Product
from shopdsl.dsl.library.claims.naming import Mention, candidates, mentions, number, quantity, resolve
from shopdsl.dsl.library.claims.offers import MONEY, amount
from shopdsl.dsl.library.claims.phrases import words
from shopdsl.dsl.library.claims.segments import Segment, counted, segments
from shopdsl.dsl.library.claims.views import GAP, NAME, blank, clauses, plain, tail, without_question
from shopdsl.dsl.library.claims.wording import (
    DENIED,
    EMPTY,
    HEADING,
    INTENT,
    ITEMS,
    NO_ADDITION,
    NO_TOTAL,
    ORDER_FOR,
    ORDERED,
    PRONOUN,
    TELLING,
    TO,
    TOTAL_AFTER,
    TOTAL_BEFORE,
    VERBS,
)
from shopdsl.dsl.library.collections import walk
from shopdsl.dsl.values import Money


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """What a text states of cart or order; product, quantity and amount where it gives them."""

    kind: str
    product: Product | None
    quantity: int | None
    amount: Money | None
    quote: str


def statements(text: str, products: Any) -> list[Statement]:
    """The statements of a text about cart and order, in its order; products it may name are given."""
    return list(_statements(text, candidates(text, walk(products))))


@lru_cache(maxsize=512)
def _statements(text: str, products: tuple[Product, ...]) -> tuple[Statement, ...]:
    made: list[Statement] = []
    last: Product | None = None
    heading: str | None = None
    for segment in segments(text):
        reader = _Reader(segment, products, last)
        listed = segment.kind in ("item", "row")
        made += reader.read(heading if listed else None)
        if not listed and segment.kind != "columns":
            heading = reader.heading()
        last = reader.last
    return tuple(made)


class _Reader:
    """Reads one segment."""

    def __init__(self, segment: Segment, products: tuple[Product, ...], last: Product | None) -> None:
        self._segment = segment
        self._body = plain(segment.text)
        self._before = last
        self._named = mentions(self._body, products, last)
        self._means = self._meant(last)

    @cached_property
    def _view(self) -> str:
        """What is said, with names and questions blanked."""
        names = [span for m in self._named for span in m.names]
        return without_question(blank(self._body, names, NAME))

    @property
    def last(self) -> Product | None:
        """The product that was named last."""
        return self._means[-1] if self._means else self._before

    def _meant(self, last: Product | None) -> list[Product | None]:
        means: list[Product | None] = []
        ends = [*(m.start for m in self._named[1:]), len(self._body)]
        for mention, end in zip(self._named, ends, strict=False):
            last = resolve(mention, words(self._body[mention.start : end]), last)
            means.append(last)
        return means

    def heading(self) -> str | None:
        """What a list after this segment states."""
        if not (self._segment.kind == "head" or self._segment.text.rstrip("* _").endswith((":", "："))) or INTENT.search(
            self._view
        ):
            return None
        return next((kind for kind, pattern in HEADING if pattern.search(self._view)), None)

    def read(self, heading: str | None) -> Iterator[Statement]:
        """The statements of the segment; in a list below a heading each product is one."""
        if not heading and TELLING.isdisjoint(w.text for w in words(self._body)):
            return
        yield from self._totals()
        if heading and self._named:
            for mention, product in zip(self._named, self._means, strict=True):
                units = quantity(self._body, mention) or counted(self._segment)
                yield from self._about(heading, (mention.start, mention.end), mention, product, units)
            return
        if self._segment.kind == "row" or (self.heading() and not self._named):
            return
        for low, high in clauses(self._view):
            yield from self._clause(low, high)

    def _clause(self, low: int, high: int) -> Iterator[Statement]:
        if INTENT.search(self._view, low, high):
            return
        if (empty := EMPTY.search(self._view, low, high)) is not None:
            yield self._made("empty", empty.span())
        elif not DENIED.search(self._view, low, high):
            if (ordered := ORDERED.search(self._view, low, high)) is not None:
                yield self._made("ordered", ordered.span())
            yield from self._verbs(low, high)

    def _verbs(self, low: int, high: int) -> Iterator[Statement]:
        """A name belongs to the verb before it, else to the first."""
        if NO_ADDITION.search(self._view, low, high):
            return
        hits = sorted((m.start(), m.end(), kind) for kind, p in VERBS for m in p.finditer(self._view, low, high))
        inside = [(m, p) for m, p in zip(self._named, self._means, strict=True) if low <= m.start < high]
        for i, (start, end, kind) in enumerate(hits):
            until = hits[i + 1][0] if i + 1 < len(hits) else high
            mine = [(m, p) for m, p in inside if m.start < until and (m.start >= start or i == 0)]
            yield from self._of_verb(kind, (start, end), until, mine)

    def _of_verb(
        self, kind: str, span: tuple[int, int], until: int, mine: Sequence[tuple[Mention, Product | None]]
    ) -> Iterator[Statement]:
        for mention, product in mine:
            units = self._to(span[0], until) if kind == "set" else quantity(self._body, mention)
            where = (min(span[0], mention.start), max(span[1], mention.end))
            yield from self._about(kind, where, mention, product, units)
        if not mine:
            items = ITEMS.search(self._view, span[0], until)
            units = self._to(span[0], until) if kind == "set" else number(items["n"]) if items else None
            pronoun = kind != "holds" and not items and self._pronoun(span, until)
            yield self._made(kind, (span[0], max(span[1], items.end() if items else 0)), self._before if pronoun else None, units)

    def _about(
        self, kind: str, span: tuple[int, int], mention: Mention, product: Product | None, units: int | None
    ) -> Iterator[Statement]:
        """One statement; of a name that could be one of several products only that something came in or went out."""
        twice = len(mention.products) > 1 and sum(m.products == mention.products for m in self._named) > 1
        if product is not None and not twice:
            yield self._made(kind, span, product, units)
        elif kind in ("added", "removed"):
            yield self._made(kind, span)

    def _pronoun(self, span: tuple[int, int], until: int) -> bool:
        return PRONOUN.search(self._view, max(0, span[0] - 20), until) is not None

    def _to(self, low: int, high: int) -> int | None:
        found = TO.search(self._view, low, high)
        return number(found["n"]) if found else None

    def _totals(self) -> Iterator[Statement]:
        meant = [(low, high) for low, high in clauses(self._view) if INTENT.search(self._view, low, high)]
        view = blank(self._view, meant, GAP)
        for match in MONEY.finditer(view):
            before = tail(view, match.start())
            said = TOTAL_BEFORE.search(before)
            ordered = ORDER_FOR.search(before) is not None and ORDERED.search(view) is not None
            if (said and not NO_TOTAL.search(before[: said.end("word")])) or ordered or TOTAL_AFTER.match(view, match.end()):
                start = match.start() - (len(before) - said.start()) if said else match.start()
                yield self._made("total", (start, match.end()), None, None, amount(match))

    def _made(
        self,
        kind: str,
        span: tuple[int, int],
        product: Product | None = None,
        units: int | None = None,
        money: Money | None = None,
    ) -> Statement:
        return Statement(kind, product, units, money, self._segment.text[span[0] : span[1]].strip())
