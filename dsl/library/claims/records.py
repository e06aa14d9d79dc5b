"""What the record of a product says to a claim."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from shopdsl.dsl.catalog import Category, Product
from shopdsl.dsl.library.claims.phrases import Phrases, phrase

SUPPORTED, CONTRADICTED, UNKNOWN = "supported", "contradicted", "unknown"
FLIPPED = {SUPPORTED: CONTRADICTED, CONTRADICTED: SUPPORTED, UNKNOWN: UNKNOWN}
UNITS = frozenset(
    [
        "oz",
        "ml",
        "l",
        "qt",
        "gal",
        "pt",
        "lb",
        "g",
        "kg",
        "in",
        "ft",
        "mm",
        "cm",
        "w",
        "v",
        "gb",
        "tb",
        "mah",
        "mg",
        "iu",
        "spf",
        "lm",
        "cfu",
    ]
)
_LIKE = {
    ("unscented",): ("fragrance", "free"),
    ("fragrance", "free"): ("unscented",),
    ("nonfat",): ("fat", "free"),
    ("fat", "free"): ("nonfat",),
}
"""Values that say the same."""
_FREE = frozenset(["a", "an", "the", "and", "of", "with", "in", "for", "to"])


@dataclass(frozen=True, slots=True)
class Value:
    """A value that products of a category use for an attribute."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The attributes, their values and the brands of a category."""

    values: Phrases[Value]
    fields: Phrases[str]
    brands: Phrases[str]


@lru_cache(maxsize=1024)
def vocabulary(category: Category) -> Vocabulary:
    """The vocabulary of a category, read off its products once."""
    used = {(k, v) for p in category.products for k, v in p.attributes.items()}
    names = {k for k, _ in used}
    brands = {p.brand for p in category.products if p.brand}
    return Vocabulary(
        Phrases((phrase(v), Value(k, v)) for k, v in sorted(used)),
        Phrases((phrase(k.replace("_", " ")), k) for k in sorted(names)),
        Phrases((phrase(b), b) for b in sorted(brands)),
    )


@lru_cache(maxsize=65_536)
def own_values(product: Product) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The attributes of a product, their values folded."""
    return tuple((k, phrase(v)) for k, v in product.attributes.items())


@lru_cache(maxsize=65_536)
def own_phrases(product: Product) -> Phrases[Value]:
    """The values of a product's own attributes, to be found in a text."""
    return Phrases((phrase(v), Value(k, v)) for k, v in product.attributes.items())


@lru_cache(maxsize=65_536)
def _told(product: Product) -> frozenset[str]:
    """The words of title and description."""
    return frozenset(phrase(product.title)) | frozenset(phrase(product.description))


@lru_cache(maxsize=65_536)
def templates(product: Product) -> tuple[tuple[str, str, str], ...]:
    """Attribute, words before and words after, as hints of the product word it: (`colour`, `in`, ``)."""
    parts = [
        (h.name, *h.say.partition(h.value))
        for h in product.hints
        if h.value and h.value in h.say and h.name in product.attributes
    ]
    return tuple(
        (name, before.strip().lower(), after.strip().lower())
        for name, before, _, after in parts
        if before.strip() or after.strip()
    )


def is_told(product: Product, said: Sequence[str]) -> bool:
    """Do title or description use all the words that matter?"""
    matter = [w for w in said if w not in _FREE]
    return bool(matter) and _told(product).issuperset(matter)


def judged(product: Product, fields: Collection[str], said: tuple[str, ...]) -> tuple[str, str]:
    """The attribute that a value speaks of, and the truth; `fields` are the attributes that have such a value."""
    own = own_values(product)
    here = [k for k, _ in own if k in fields]
    for k, v in own:
        if (k in fields or not fields) and (_within(said, v) or _within(_LIKE.get(said, said), v)):
            return k, SUPPORTED
    if here:
        return here[0], CONTRADICTED
    return (min(fields) if fields else "feature"), SUPPORTED if is_told(product, said) else UNKNOWN


def measured(product: Product, field: str | None, said: tuple[str, ...]) -> tuple[str, str]:
    """The same for a measure such as `16 oz` that no product of the category has."""
    same = [k for k, v in own_values(product) if v[-1:] == said[-1:] and v[0][0].isdigit() and field in (None, k)]
    if is_told(product, said):
        return (field or (same[0] if same else "measure")), SUPPORTED
    return (same[0], CONTRADICTED) if len(same) == 1 else (field or "measure", UNKNOWN)


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """`brown` says no more than `dark brown`; a number must be the whole."""
    if part == whole or part[0][0].isdigit():
        return part == whole
    return any(whole[i : i + len(part)] == part for i in range(len(whole) - len(part) + 1))
