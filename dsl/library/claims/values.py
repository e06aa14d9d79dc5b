"""What is said of the attributes of a product, and of features that its record may not know."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from shopdsl.dsl.catalog import Product
from shopdsl.dsl.library.claims.features import FEATURE, may_tell_features
from shopdsl.dsl.library.claims.found import Found
from shopdsl.dsl.library.claims.phrases import Word, phrase
from shopdsl.dsl.library.claims.records import (
    SUPPORTED,
    UNITS,
    UNKNOWN,
    Value,
    Vocabulary,
    is_told,
    judged,
    measured,
    own_phrases,
    templates,
    vocabulary,
)
from shopdsl.dsl.library.claims.views import tail

_LEAD = re.compile(
    r"(?:^|[,;:|()/•·¦]|\s[-–—]\s|[–—])\s*(?:(?:and|or|in|with|a|an|the|is|it's|it is|comes in|available in)\s+)*$", re.IGNORECASE
)
_TRAIL = re.compile(r"\s*(?:$|[.,;:|()!/•·¦]|[-–—]\s|[–—]|(?:and|or|but|with|in|at|for)\b)")
_PREDICATE = re.compile(
    r"(?:\b(?:is|are|isn't|aren't|not|it's|comes? in|come in|available in|offered in|made (?:of|from|out of|with)"
    r"|holds?|in|with|has|features?|also)|'s)\s+(?:a|an|the|both|only|all|solid)?\s*$",
    re.IGNORECASE,
)
_COORDINATE = re.compile(r"\s*(?:,\s*(?:and|or)?|and|or|/|&|-)?\s*")
_HEADWORD = re.compile(
    r"\s*(?:·|(?:one|ones|model|version|option|variant|edition|colou?r|finish|material|size|version)\b)", re.IGNORECASE
)
_PREPOSITION = re.compile(
    r"\s+(?:your|the|my|our|stock|cart|total|all|a|this|that|it|one|two|case|order|addition|fact)\b", re.IGNORECASE
)
_MEASURE = re.compile(r"(?<![\w.,$€£¥])\d+(?:[.,]\d+)*(?:\s|-)?(?:fl\.?\s?)?[A-Za-z]+")
_MADE = re.compile(
    r"\b(?:made (?:of|from|out of|with)|comes? in|available in|offered in)\s+(?:an?\s+"
    r"|the\s+)?(?P<value>[\w'-]+(?:\s(?!and\b|or\b|with\b|but\b|at\b|for\b|in\b|is\b)[\w'-]+){0,3})",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:^|[;,|(]\s*)(?:the\s+)?(?P<label>[A-Za-z][A-Za-z ]{1,24}?)\s*(?:\bof\b[\s·\w]*)?(?::"
    r"|\bis\b)\s*(?P<value>[^\s·¦;|()\n][^;|()\n¦·]{0,60})",
    re.IGNORECASE,
)
_LABELS = {
    "color": "colour",
    "colours": "colour",
    "colors": "colour",
    "flavor": "flavour",
    "pack size": "pack",
    "dimensions": "size",
}
_KNOWN_LABELS = frozenset(
    [
        "colour",
        "size",
        "material",
        "capacity",
        "weight",
        "pack",
        "volume",
        "length",
        "width",
        "flavour",
        "scent",
        "origin",
        "warranty",
        "style",
        "finish",
        "fit",
        "pattern",
        "power",
    ]
)
_EXTENT = ("long", "wide", "tall", "high", "deep", "thick")
_UNIT_BEFORE = re.compile(r"\d[\s-]*[A-Za-z\"']{1,6}\s*$")
_NUMBER_WORD = re.compile(r"\b(?:added|put|bought|ordered|removed|quantity|qty|x|×)\W*$", re.IGNORECASE)


Hit = tuple[int, int, tuple[str, ...], list[Value]]
"""Where a known value starts and ends, its folded words, and the attributes that have it."""


class _Reader:
    """Reads one stretch of text about one product."""

    def __init__(self, view: str, found: Sequence[Word], product: Product) -> None:
        self._view, self._found, self._product = view, found, product
        self._known: Vocabulary = vocabulary(product.category)
        self._fields = {f for _, _, _, names in self._known.fields.find(found) for f in names}
        self._taken = bytearray(len(view))

    def read(self) -> Iterator[Found]:
        """Known values, measures, features, and values that nobody uses."""
        yield from self._known_values()
        yield from self._measures()
        yield from self._features()
        yield from self._labelled()
        yield from self._made()

    def _take(self, start: int, end: int) -> bool:
        """Is this place still free? Then it is taken."""
        free = 1 not in self._taken[start:end]
        self._taken[start:end] = b"\1" * (end - start)
        return free

    def _known_values(self) -> Iterator[Found]:
        hits = self._hits()
        anchored = [self._is_anchored(*hit) for hit in hits]
        _spread(self._view, hits, anchored)
        for (start, end, key, kinds), strong in zip(hits, anchored, strict=True):
            if strong and self._take(start, end):
                fields = {k.field for k in kinds}
                field, truth = judged(self._product, fields & self._fields or fields, key)
                yield Found(start, end, field, kinds[0].text, truth)

    def _hits(self) -> list[Hit]:
        """Where known values stand; where two overlap, the product's own counts: `3-6 months` is no size 3."""
        own = list(own_phrases(self._product).find(self._found))
        within = {i for a, b, _, _ in own for i in range(a, b)}
        others = [h for h in self._known.values.find(self._found) if within.isdisjoint(range(h[0], h[1]))]
        hits = [
            (self._found[a].start, self._found[b - 1].end, key, kinds)
            for a, b, key, kinds in sorted([*own, *others], key=lambda h: h[0])
        ]
        return [h for h in hits if not self._is_extent(h[0], h[1])]

    def _is_extent(self, start: int, end: int) -> bool:
        """`36 in long` gives a length and no size called long."""
        return self._view[start:end].lower() in _EXTENT and _UNIT_BEFORE.search(tail(self._view, start)) is not None

    def _is_anchored(self, start: int, end: int, key: tuple[str, ...], kinds: list[Value]) -> bool:
        """Is a value said of the product, rather than a word of everyday speech?"""
        view, raw = self._view, self._view[start:end]
        if (raw.lower().endswith(" in") and _PREPOSITION.match(view, end)) or _NUMBER_WORD.search(tail(view, start)):
            return False
        if any(k.field in self._fields for k in kinds) or self._has_template(start, end, kinds):
            return True
        fragment = bool(_LEAD.search(tail(view, start)) and _TRAIL.match(view, end))
        if len(raw) <= 3 and len(key) == 1:
            return fragment and raw == kinds[0].text and not raw.isdigit()
        predicate = bool(_PREDICATE.search(tail(view, start)) and _TRAIL.match(view, end))
        return fragment or predicate or _is_measure(key) or _HEADWORD.match(view, end) is not None

    def _has_template(self, start: int, end: int, kinds: list[Value]) -> bool:
        """Does it stand in the words of the catalog's own hints, such as `size M` or `slim fit`?"""
        before, after = tail(self._view, start).rstrip().lower(), self._view[end : end + 80].lstrip().lower()
        fields = {k.field for k in kinds}
        for name, lead, trail in templates(self._product):
            if (
                name in fields
                and _ends_with(before, lead)
                and _begins_with(after, trail)
                and (trail or _TRAIL.match(self._view, end))
            ):
                return True
        return False

    def _measures(self) -> Iterator[Found]:
        for match in _MEASURE.finditer(self._view):
            said = phrase(match[0])
            if _is_measure(said) and not _is_preposition(self._view, match) and self._take(*match.span()):
                field = next(iter(sorted(self._fields & set(self._product.attributes))), None)
                field, truth = measured(self._product, field, said)
                yield Found(*match.span(), field, match[0], truth)

    def _features(self) -> Iterator[Found]:
        for match in FEATURE.finditer(self._view) if may_tell_features(w.text for w in self._found) else ():
            if self._take(*match.span()):
                said = phrase(match[0])
                fields = {k.field for k in self._known.values.get(said)}
                field, truth = judged(self._product, fields, said)
                joined = phrase(match[0].replace("-", "").replace(" ", ""))
                truth = SUPPORTED if truth == UNKNOWN and is_told(self._product, joined) else truth
                yield Found(*match.span(), field, match[0].lower(), truth)

    def _labelled(self) -> Iterator[Found]:
        """`Material: moonstone`: an attribute with a value that nobody uses."""
        for match in _LABEL.finditer(self._view):
            label = match["label"].strip().lower()
            label = _LABELS.get(label, label)
            known = bool(self._known.fields.get(phrase(label))) or label in _KNOWN_LABELS
            if known and self._take(*match.span("value")):
                yield self._unused(label.replace(" ", "_"), match.span("value"), match["value"].strip(" .,!"))

    def _made(self) -> Iterator[Found]:
        for match in _MADE.finditer(self._view):
            if self._take(*match.span("value")):
                field = "material" if match[0].lower().startswith("made") else "feature"
                yield self._unused(field, match.span("value"), match["value"])

    def _unused(self, field: str, span: tuple[int, int], said: str) -> Found:
        own = phrase(self._product.attributes.get(field, ""))
        truth = SUPPORTED if own == phrase(said) or is_told(self._product, phrase(said)) else UNKNOWN
        return Found(*span, field, said, truth)


def found(view: str, words: Sequence[Word], product: Product) -> Iterator[Found]:
    """What a stretch of text says of attributes and features of a product."""
    return _Reader(view, words, product).read()


def _spread(view: str, hits: list[Hit], anchored: list[bool]) -> None:
    """`black and white`: what is joined to an anchored value, or stands right before one, is said as well."""
    order = list(range(1, len(hits)))
    for i in order:
        anchored[i] = anchored[i] or (anchored[i - 1] and _touch(view, hits[i - 1][1], hits[i][0]))
    for i in reversed(order):
        anchored[i - 1] = anchored[i - 1] or (anchored[i] and view[hits[i - 1][1] : hits[i][0]].strip(" ,") == "")


def _touch(view: str, low: int, high: int) -> bool:
    return _COORDINATE.fullmatch(view, low, high) is not None


def _is_measure(key: tuple[str, ...]) -> bool:
    return len(key) >= 2 and key[0][0].isdigit() and key[-1] in UNITS


def _is_preposition(view: str, match: re.Match[str]) -> bool:
    return match[0].lower().endswith(" in") and _PREPOSITION.match(view, match.end()) is not None


def _ends_with(text: str, part: str) -> bool:
    return not part or (text.endswith(part) and not text[: -len(part)][-1:].isalnum())


def _begins_with(text: str, part: str) -> bool:
    return not part or (text.startswith(part) and not text[len(part) :][:1].isalnum())
