"""Which products a text names, and where: by whole title, by its part before the first comma, by brand and noun, by a noun that one product has."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from shopdsl.dsl.catalog import Product
from shopdsl.dsl.library.claims.phrases import Phrases, Word, phrase, start, words
from shopdsl.dsl.library.claims.records import is_told

COUNTS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
    "both": 2,
}
_HEAD = re.compile(r"[,(|–—]|\s-\s")
_BREAK = re.compile(r"[,;:.()|–—\n]")
_BY = re.compile(r"\s+(?:by|from)\s+", re.IGNORECASE)
_GAP = 3
_DETERMINER = re.compile(
    rf"\b(?:the|this|that|your|our|these|those|both|each|of|added|removed|add|remove|\d{{1,3}}"
    rf"|{'|'.join(COUNTS)})\b[^.;:—–()|]*$|[x×]\s*$",
    re.IGNORECASE,
)
_AFTER_NOUN = re.compile(
    r"\s*$|\s*[^\w\s]|\s+(?:is|are|was|were|has|have|comes?|costs?|at|for|in|into|to|with|and|or|by|from|on|which"
    r"|that|x|×|\d|it|isn't|aren't|doesn't|does|holds?|now|quantity|"
    r"under|you|as|but|if|we|i|so|out|sells?|looks?|weighs?|measures?)\b",
    re.IGNORECASE,
)
_PLAIN = frozenset(["the", "a", "an", "your", "our", "this", "that", "added", "removed", "and", "i", "for", "of", "no", "one"])
_PACKS = "units?|packs?|packages?|boxes|box|bottles?|bags?|cans?|jars?|pairs?|pieces?|sets?|copies|orders?|counts?"
_BEFORE = re.compile(
    rf"(?P<n>\b\d{{1,3}}|\b(?:{'|'.join(COUNTS)}))\s*(?:[x×]|\s(?:{_PACKS}))?\s*(?:\bof\b)?\s*(?:\b(?:the|your"
    rf"|these|those)\b)?[\s*\"“]*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"[\s*\"”]*(?:\([^()]{{0,60}}\))?[\s,:*(–—-]*(?:(?:[x×]\s?(?P<x>\d{{1,3}})\b)|(?:qty"
    rf"|quantity)\W{{0,4}}(?P<q>\d{{1,3}})\b|(?P<u>\d{{1,3}})\s*(?:[x×](?!\w)|(?:{_PACKS})\b))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that names one of some products; `names` are the characters that are name and claim nothing."""

    start: int
    end: int
    products: tuple[Product, ...]
    names: tuple[tuple[int, int], ...]
    weak: bool


@dataclass(frozen=True, slots=True)
class _Form:
    product: Product
    weak: bool
    brand: bool = False


@lru_cache(maxsize=65_536)
def _forms(product: Product) -> tuple[tuple[tuple[str, ...], _Form], ...]:
    """The phrases that may name a product."""
    title, brand = phrase(product.title), phrase(product.brand)
    head = phrase(_HEAD.split(product.title)[0])
    nouns = [phrase(n) for n in (product.noun, product.everyday) if n]
    strong = {title, head} | ({brand + n for n in nouns} if brand else set())
    if brand and head[: len(brand)] == brand and len(head) > len(brand) + 1:
        strong.add(head[len(brand) :])
    weak = set(nouns) | {n[-1:] for n in nouns if n and len(n[-1]) > 3}
    forms = [(f, _Form(product, False)) for f in sorted(strong)] + [(f, _Form(product, True)) for f in sorted(weak - strong)]
    return tuple(forms + ([(brand, _Form(product, False, True))] if brand and brand not in strong | weak else []))


@lru_cache(maxsize=65_536)
def _beginnings(product: Product) -> frozenset[str]:
    """The words with which a name of the product can begin, and perhaps a few more: cheaper than all its names."""
    brand = phrase(product.brand)
    nouns = [phrase(n) for n in (product.noun, product.everyday) if n]
    ends = [n[i : i + 1 or None] for n in nouns for i in (0, -1)]
    return frozenset(itertools.chain(start(product.title, len(brand) + 1), brand[:1], *ends))


def candidates(text: str, products: Iterable[Product]) -> tuple[Product, ...]:
    """Of some products those that the text can name at all, each once: the others need not be looked for."""
    spoken = {w.text for w in words(text)}
    return tuple(p for p in dict.fromkeys(products) if not _beginnings(p).isdisjoint(spoken))


@lru_cache(maxsize=2048)
def _index(products: tuple[Product, ...]) -> Phrases[_Form]:
    return Phrases(form for p in products for form in _forms(p))


def mentions(text: str, products: tuple[Product, ...], last: Product | None) -> list[Mention]:
    """The places of a text that name products; `last` was named before it."""
    raw: list[tuple[Mention, bool]] = []
    found = words(text)
    for first, past, key, forms in _index(products).find(found):
        known = tuple(dict.fromkeys(f.product for f in forms))
        span = (found[first].start, found[past - 1].end)
        one = Mention(*span, known, (span,), all(f.weak for f in forms))
        brand = all(f.brand for f in forms)
        joined = _joined(text, found, raw[-1], one, first, brand) if raw else None
        if joined is None and one.weak:
            if _of_a_stranger(text, found, first, known):
                one = Mention(*span, (), (span,), False)
            elif not (_is_meant(text, found, first, span[1]) and _is_free(key, known, raw[-1][0].products if raw else (last,))):
                continue
        if joined is not None:
            raw.pop()
        raw.append((joined or one, joined is None and brand))
    return [m for m, brand in raw if not brand]


def _is_meant(text: str, found: Sequence[Word], first: int, end: int) -> bool:
    """Does a bare noun stand for a product, as in `the kettle is`, and not in `fits any kettle base`?"""
    before = text[found[max(0, first - 3)].start : found[first].start]
    return (first == 0 or _DETERMINER.search(before) is not None) and _AFTER_NOUN.match(text, end) is not None


def _is_free(key: tuple[str, ...], known: tuple[Product, ...], before: Sequence[Product | None]) -> bool:
    """`The frame` after a chair that has one is a part of the chair, and no bed frame."""
    return not any(b is not None and b not in known and (is_told(b, key) or "_".join(key) in b.attributes) for b in before)


def _of_a_stranger(text: str, found: Sequence[Word], first: int, known: tuple[Product, ...]) -> bool:
    """Is a bare noun the end of another name, such as `the Nova lamp` where no Nova is known?"""
    if first == 0 or (first == 1 and not text[found[first].start].isupper()):
        return False
    before = found[first - 1]
    near = text[before.end : found[first].start].strip() == "" and text[before.start].isupper() and before.text not in _PLAIN
    return near and not any(before.text in phrase(p.title) for p in known)


def _between(found: Sequence[Word], first: int, end: int) -> list[Word]:
    """The words before a place that begin after another, and one more than may stand between the parts of a name."""
    return [w for w in found[max(0, first - _GAP - 1) : first] if w.start >= end]


def _joined(
    text: str, found: Sequence[Word], before: tuple[Mention, bool], noun: Mention, first: int, brand_only: bool
) -> Mention | None:
    """A brand, up to three words, and a noun, of one product: one mention; the words between are name where the title has them."""
    brand, alone = before
    both = tuple(p for p in brand.products if p in noun.products)
    if not both or _BREAK.search(text, brand.end, noun.start):
        return None
    if not alone:
        by = brand.weak and brand_only and _BY.fullmatch(text, brand.end, noun.start)
        return Mention(brand.start, noun.end, both, (*brand.names, *noun.names), False) if by else None
    between = _between(found, first, brand.end)
    if len(between) > _GAP:
        return None
    gap = tuple((w.start, w.end) for w in between if any(w.text in phrase(p.title) for p in both))
    return Mention(brand.start, noun.end, both, (*brand.names, *gap, *noun.names), False)


def resolve(mention: Mention, near: Sequence[Word], last: Product | None) -> Product | None:
    """The product that a mention means: of several the one whose attributes and title stand near it, else the one named before."""
    if len(mention.products) == 1:
        return mention.products[0]
    here = {w.text for w in near}
    scores = [
        sum(set(phrase(v)) <= here for v in p.attributes.values()) + len(here & set(phrase(p.title))) for p in mention.products
    ]
    best = max(scores, default=0)
    if best and scores.count(best) == 1 and not mention.weak:
        return mention.products[scores.index(best)]
    return last if last in mention.products else None


def quantity(text: str, mention: Mention) -> int | None:
    """How many units a text gives right before or after a name."""
    before = _BEFORE.search(text[max(0, mention.start - 40) : mention.start])
    if before is not None:
        return number(before["n"])
    after = _AFTER.match(text[mention.end : mention.end + 100])
    return number(after["x"] or after["q"] or after["u"]) if after else None


def number(word: str) -> int:
    """A count in figures or words."""
    return COUNTS.get(word.lower()) or int(word)
