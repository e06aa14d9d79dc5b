"""What is said of price, rating, reviews, stock and brand of a product."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from shopdsl.dsl.catalog import Product
from shopdsl.dsl.library.claims.found import Found
from shopdsl.dsl.library.claims.phrases import words
from shopdsl.dsl.library.claims.records import CONTRADICTED, SUPPORTED, UNKNOWN, vocabulary
from shopdsl.dsl.library.claims.views import negated, tail
from shopdsl.dsl.values import SYMBOLS, Money

_AMOUNT = r"(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?:\.\d{1,2})?(?!\d|,\d|\.\d)"
MONEY = re.compile(
    rf"(?<![\w.,])(?:(?:US|CA|AU)?(?P<sign>[$€£¥])\s?(?P<a>{_AMOUNT})|(?P<code>USD|EUR|GBP|CNY)\s?(?P<b>{_AMOUNT})"
    rf"|(?P<c>{_AMOUNT})\s?(?P<word>USD|EUR|GBP|CNY|dollars|euros|pounds sterling|yuan|元)(?!\w))",
    re.IGNORECASE,
)
_WORDS = {"dollars": "USD", "euros": "EUR", "pounds sterling": "GBP", "yuan": "CNY", "元": "CNY"}
_NO_UNIT_BEFORE = re.compile(
    r"\b(?:total|subtotal|altogether|together|sum|combined|comes to|come to|makes|shipping|delivery|tax|taxes|fee"
    r"|save|saves|saving|savings|off|"
    r"discount|budget|coupon|spend|maximum|max|limit|(?:cart|order) (?:is|comes|now|stands)|line|balance|gift"
    r" card)\b(?:\W+\w+){0,3}\W*$"
    r"|\b(?:under|below|over|above|between|from|at least|at most|up to|around|about|approximately|roughly|almost"
    r"|nearly|was|were|originally|usually|normally|"
    r"less than|more than|instead of|for (?:the )?(?:two|three|four|five|six|both|all|pair|\d+)|(?:\d+|two|three"
    r"|four) for)\W*$|[~<>≈-]\s*$",
    re.IGNORECASE,
)
_NO_UNIT_AFTER = re.compile(
    r"\s*(?:\)|\*)?\s*(?:(?:in )?total\b|altogether\b|together\b|subtotal\b|combined\b|for (?:the )?(?:two|three"
    r"|four|five|six|both|all|pair|\d+)\b|off\b|discount\b|budget\b|or (?:less|more|under|below)\b|"
    r"and up\b|less\b|more\b|cheaper\b|shipping\b|\+|(?:-|–|to)\s?[$€£¥]?\d|(?:/|per|an?)\s*(?:fl\s)?(?:oz|ounce"
    r"|lb|pound|g|kg|ml|l|liter|litre|qt|gal|ft|\d+)\b)",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"\s*\W?\s*(?:each|apiece|per (?:unit|item|piece|pack|box|bottle)|a piece|/\s?(?:ea|each|unit))\b", re.IGNORECASE
)
_AT = re.compile(r"\b(?:at|each|priced at|unit price\W*)\s*$", re.IGNORECASE)
_RANGE = re.compile(r"\d\s?(?:-|–|to|and)\s?$")
_BOUND = re.compile(r"[;—–|(]|\s-\s")

_RATING = re.compile(
    r"(?<![\d.$])(?P<a>[0-5](?:\.\d{1,2})?)\s?(?:-|\s)?(?:out of (?:5|five)\b(?:\s?stars?)?"
    r"|/\s?5(?!\d)(?:\s?stars?)?|(?:star|stars)\b(?!\s*(?:\w+\s)?reviews)|[★⭐]+)"
    r"|\b(?:rated|rating|ratings|stars?|score)\b(?:\W|\b(?:of|for|is|was|at|a|an"
    r"|with)\b)*(?P<b>[0-5](?:\.\d{1,2})?)(?![\d.,]*\d|\s*(?:reviews|ratings|%))"
    r"|[★⭐]\s?(?P<c>[0-5](?:\.\d)?)(?![\d.]*\d)",
    re.IGNORECASE,
)
_REVIEWS = re.compile(
    r"(?P<more>\b(?:over|more than|at least)\s+)?(?<![\d.,$])(?P<n>\d{1,3}(?:,\d{3}){1,3}"
    r"|\d{1,9})(?P<plus>\+)?\s+(?:(?:customer|verified|user|global|total)\s+)?(?:reviews?|ratings)\b",
    re.IGNORECASE,
)
_STOCK = re.compile(
    r"(?:(?P<few>\ba few|\blow|\blimited)|(?<![\d.,$])(?:\bonly\s+)?(?P<n>\d{1,5}))\s+(?:units?\s+|of"
    r" them\s+)?(?:left|remaining|in stock|available)(?:\s+in stock)?\b"
    r"|(?P<out>\b(?:out of stock|out-of-stock|sold out|unavailable|back-?ordered|no longer available))\b"
    r"|(?P<in>\b(?:in stock|in-stock|(?:(?:is|are|'s|isn't|aren't|not|currently|readily|now|still"
    r"|both)\s+){1,4}available(?!\s+(?:in|as|with|for|at|on|from|until)\b)"
    r"|available (?:now|today|right away)|availability\W+(?:yes|available)|ready to ship))\b",
    re.IGNORECASE,
)
_BY = re.compile(r"\b(?:by|from|brand(?:\s+is)?|branded|manufacturer|maker)[\s:]*(?:the brand\s*)?$", re.IGNORECASE)
_OTHER_BRAND = re.compile(
    r"\b(?:brand\s*(?::|is\b)|made by|manufactured by)\s*(?P<brand>[A-Z][\w'&.-]*(?:\s(?:[A-Z&][\w'&.-]*))*)"
)


def amount(match: re.Match[str]) -> Money:
    """The amount of money of a match of MONEY."""
    digits = (match["a"] or match["b"] or match["c"]).replace(",", "")
    word = (match["code"] or match["word"] or "").lower()
    return Money(digits, SYMBOLS[match["sign"]] if match["sign"] else _WORDS.get(word, word.upper()))


def price(view: str, product: Product, units: int | None) -> Iterator[Found]:
    """Amounts that are said to be the price of one unit."""
    for match in MONEY.finditer(view):
        money = amount(match)
        if not is_no_unit_price(view, match) and not _of_several(view, match, money, product, units):
            truth = SUPPORTED if money == product.price else CONTRADICTED
            yield Found(match.start(), match.end(), "price", str(money), truth, False)


def is_no_unit_price(view: str, match: re.Match[str]) -> bool:
    """Is an amount a total, a bound, a saving or the like?"""
    bounded = _NO_UNIT_BEFORE.search(_clause_before(view, match.start())) or _RANGE.search(tail(view, match.start()))
    return bool(bounded or _NO_UNIT_AFTER.match(view, match.end())) or negated(view, match.start())


def _clause_before(view: str, place: int) -> str:
    before = tail(view, place)
    cuts = [m.end() for m in _BOUND.finditer(before)]
    return before[cuts[-1] :] if cuts else before


def _of_several(view: str, match: re.Match[str], money: Money, product: Product, units: int | None) -> bool:
    """With `2 of` it an amount may be that of both; only then, and where nothing says `each`, is it no claim of the price."""
    if units is None or units < 2 or _EACH.match(view, match.end()) or _AT.search(tail(view, match.start())):
        return False
    return money == product.price * units


def rating(view: str, product: Product, units: int | None) -> Iterator[Found]:
    """Mean ratings."""
    for match in _RATING.finditer(view):
        group = next(g for g in "abc" if match[g])
        right = abs(Decimal(match[group]) - Decimal(repr(product.rating))) <= Decimal("0.05")
        yield Found(match.start(), match.end(), "rating", match[group], SUPPORTED if right else CONTRADICTED)


def reviews(view: str, product: Product, units: int | None) -> Iterator[Found]:
    """Numbers of reviews."""
    for match in _REVIEWS.finditer(view):
        said = int(match["n"].replace(",", ""))
        more = bool(match["more"] or match["plus"])
        right = product.reviews >= said if more else product.reviews == said
        yield Found(match.start(), match.end(), "reviews", f"{said}{'+' if more else ''}", SUPPORTED if right else CONTRADICTED)


def stock(view: str, product: Product, units: int | None) -> Iterator[Found]:
    """Whether, and how many units, are there."""
    for match in _STOCK.finditer(view):
        yield _stock(match, product)


def _stock(match: re.Match[str], product: Product) -> Found:
    span = match.span()
    if match["few"]:
        return Found(*span, "stock", "few left", UNKNOWN)
    if match["n"]:
        return Found(*span, "stock", match["n"], SUPPORTED if product.stock == int(match["n"]) else CONTRADICTED)
    if match["out"]:
        return Found(*span, "stock", "out of stock", CONTRADICTED if product.in_stock else SUPPORTED)
    denied = re.search(r"\bnot\b|n't", match[0], re.IGNORECASE) is not None
    said = "out of stock" if denied else "in stock"
    return Found(*span, "stock", said, SUPPORTED if product.in_stock != denied else CONTRADICTED, not denied)


def brand(view: str, product: Product, units: int | None) -> Iterator[Found]:
    """Who is said to make it."""
    found, taken = words(view), []
    for first, past, _, brands in vocabulary(product.category).brands.find(found):
        if _BY.search(tail(view, found[first].start)):
            taken.append((found[first].start, found[past - 1].end))
            yield Found(*taken[-1], "brand", brands[0], SUPPORTED if product.brand in brands else CONTRADICTED)
    for match in _OTHER_BRAND.finditer(view):
        if not any(low < match.end() and match.start() < high for low, high in taken):
            yield Found(*match.span("brand"), "brand", match["brand"].rstrip("."), UNKNOWN)
