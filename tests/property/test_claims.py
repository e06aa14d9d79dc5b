"""What is read out of free text: examples of what assistants write, and laws that hold for any text."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopdsl.dsl.catalog import Category, Hint, Product
from shopdsl.dsl.functions import FUNCTIONS
from shopdsl.dsl.records import STATEMENTS, TRUTHS
from shopdsl.dsl.values import Money

SAYS = {"colour": "in {}", "material": "made of {}", "capacity": "{} capacity", "size": "size {}", "fit": "{} fit", "style": "{}"}
KITCHEN = Category("kitchen", "Kitchen", 1.0, Money(10, "USD"), 1.0, [])


def product(id: str, title: str, brand: str, noun: str, price: str, attributes: dict[str, str], **more: Any) -> Product:
    """A product of the kitchen, with hints as the standard catalog words them."""
    made = Product(
        id, title, more.get("description", ""), brand, noun, noun, "", [], "", "", Money(price, "USD"), Money(price, "USD"),
        more.get("stock", 20), more.get("rating", 4.3), 128, attributes, [], [], KITCHEN,
    )  # fmt: skip
    made.hints = [Hint(made, k, k, v, SAYS[k].format(v)) for k, v in attributes.items()]
    KITCHEN.products.append(made)
    return made


MUG = product(
    "mug", "Acme Travel Mug, Blue, 12 oz", "Acme", "travel mug", "9.99",
    {"colour": "blue", "capacity": "12 oz", "material": "steel"}, description="Keeps tea hot. Dishwasher safe.",
)  # fmt: skip
RED_MUG = product("red_mug", "Acme Travel Mug, Red, 12 oz", "Acme", "travel mug", "10.99", {"colour": "red", "material": "glass"})
KETTLE = product(
    "kettle", "Hob & Hollow Gooseneck Electric Kettle, Black, 1.2 l", "Hob & Hollow", "electric kettle", "44.99",
    {"style": "gooseneck", "colour": "black", "capacity": "1.2 l", "material": "stainless steel"},
)  # fmt: skip
GLASS = product(
    "glass", "Whiskwell Cordless Electric Kettle, White, 1.7 l", "Whiskwell", "electric kettle", "39.50",
    {"style": "cordless", "colour": "white", "capacity": "1.7 l", "material": "glass"}, stock=0,
)  # fmt: skip
SHIRT = product(
    "shirt",
    "Northmere Slim Fit T-Shirt, Navy, M",
    "Northmere",
    "T-shirt",
    "19.00",
    {"fit": "slim", "colour": "navy", "size": "M"},
)
ALL = [MUG, RED_MUG, KETTLE, GLASS, SHIRT]


def claimed(text: str, products: list[Product] | None = None) -> list[str]:
    """The claims of a text, one line each, sorted."""
    found = FUNCTIONS["claims"].call(text, ALL if products is None else products)
    return sorted(f"{c.product.id} {c.field} {c.said}: {c.truth}" for c in found)


def stated(text: str) -> list[str]:
    """The statements of a text, one line each, in order."""
    parts = [(s.kind, s.product.id if s.product else "-", s.quantity, s.amount) for s in FUNCTIONS["statements"].call(text, ALL)]
    return [" ".join(str(p) for p in part if p is not None) for part in parts]


CLAIMS = {
    "I can offer Acme Travel Mug, Blue, 12 oz for $9.99.": ["mug price $9.99: supported"],
    "The Acme Travel Mug, Blue, 12 oz costs $8.99.": ["mug price $8.99: contradicted"],
    "The colour of Acme Travel Mug, Blue, 12 oz: blue.": ["mug colour blue: supported"],
    "Acme Travel Mug, Blue, 12 oz: rating 4.3.": ["mug rating 4.3: supported"],
    "I do not know the colour of Acme Travel Mug, Blue, 12 oz.": [],
    "The Whiskwell kettle is made of glass, holds 1.5 l and is currently out of stock.": [
        "glass capacity 1.5 l: contradicted", "glass material glass: supported", "glass stock out of stock: supported",
    ],
    "The kettle by Whiskwell has 128 reviews and a 4.5-star rating.": ["glass rating 4.5: contradicted", "glass reviews 128: supported"],
    "The Hob & Hollow kettle is made by Whiskwell.": ["kettle brand Whiskwell: contradicted"],
    "Your shirt, the Northmere T-shirt, is size M with a slim fit.": ["shirt fit slim: supported", "shirt size M: supported"],
    "The Hob & Hollow kettle is waterproof and dishwasher-safe.": ["kettle feature dishwasher-safe: unknown", "kettle feature waterproof: unknown"],
    "Acme Travel Mug, Blue, 12 oz is dishwasher safe.": ["mug feature dishwasher safe: supported"],
    "The Hob & Hollow kettle is made of moonstone.": ["kettle material moonstone: unknown"],
    "The Hob & Hollow kettle doesn't come in black.": ["kettle colour not black: contradicted"],
    "The Hob & Hollow kettle isn't available in white.": ["kettle colour not white: supported"],
    "The Hob & Hollow kettle is not in stock.": ["kettle stock not in stock: contradicted"],
    "Would you like the Hob & Hollow kettle in white?": [],
    "I found the Hob & Hollow kettle for $44.99 - shall I add it?": ["kettle price $44.99: supported"],
    "If you prefer white, the Hob & Hollow kettle would be $10.": [],
    "The Hob & Hollow kettle is dearer than the Whiskwell kettle at $12.00.": [],
    "You asked for a white kettle under $40.": [],
    "The Nova Lamp is $12.00 and in stock.": [],
    "The Whiskwell kettle is $39.50. The Nova Lamp is $12.00.": ["glass price $39.50: supported"],
    "2 × Acme Travel Mug, Blue, 12 oz — $19.98": [],
    "3 of Acme Travel Mug, Blue, 12 oz at $8.00": ["mug price $8.00: contradicted"],
    "Acme Travel Mug, Blue, 12 oz: $9.99 each, $19.98 in total.": ["mug price $9.99: supported"],
    "Acme Travel Mug, Blue, 12 oz was $12.99, now $9.99; you save $3.00.": ["mug price $9.99: supported"],
    "The total for Acme Travel Mug, Blue, 12 oz is $12.00.": [],
    "I found the $44.99 Hob & Hollow kettle and the $39.50 Whiskwell kettle.": [
        "glass price $39.50: supported", "kettle price $44.99: supported",
    ],
    "It costs $9.99.": [],
    "Acme Travel Mug in red, 12 oz.": ["red_mug capacity 12 oz: supported", "red_mug colour red: supported"],
    "There are 3 in your cart and the kettle's blueprint is blackish.": [],
    "| Product | Price | Colour |\n|---|---|---|\n| Acme Travel Mug, Blue, 12 oz | $9.99 | red |": [
        "mug colour red: contradicted", "mug price $9.99: supported",
    ],
    "1. **Acme Travel Mug, Blue, 12 oz** — $9.99\n   - Material: Steel\n   - Rating: 4.1/5\n2. **Whiskwell kettle**\n   - In stock": [
        "glass stock in stock: contradicted", "mug material steel: supported", "mug price $9.99: supported", "mug rating 4.1: contradicted",
    ],
}  # fmt: skip

STATED = {
    "I've added 2 × Acme Travel Mug (blue, 12 oz) to your cart — $19.98.": ["added mug 2"],
    "I added 3 of Acme Travel Mug, Blue, 12 oz at $9.99.": ["added mug 3"],
    "I set Acme Travel Mug, Blue, 12 oz to 3.": ["set mug 3"],
    "Acme Travel Mug, Blue, 12 oz is in your cart.": ["holds mug"],
    "Your order is placed, the total is $29.97.": ["total - $29.97", "ordered -"],
    "I've placed your order for $84.49.": ["total - $84.49", "ordered -"],
    "I removed the Whiskwell kettle from your cart and added 1 Hob & Hollow kettle.": ["removed glass", "added kettle 1"],
    "I found the Whiskwell kettle. I've added it to your cart.": ["added glass"],
    "I've added the Nova Lamp.": ["added -"],
    "I added the Whiskwell kettle and the Hob & Hollow kettle, so your cart now totals $84.49.": ["added glass", "added kettle"],
    "Your cart contains 2 Whiskwell kettles and one Northmere T-shirt.": ["holds glass 2", "holds shirt 1"],
    "Your cart:\n- 2 × Acme Travel Mug, Blue, 12 oz — $19.98\n- Whiskwell kettle (x1): $39.50\n\n**Total: $59.48**": [
        "holds mug 2", "holds glass 1", "total - $59.48",
    ],
    "| Item in your cart | Qty |\n|---|---|\n| Whiskwell kettle | 2 |": [],
    "Your cart now holds:\n\n| Item | Qty |\n|---|---|\n| Whiskwell kettle | 2 |": ["holds glass 2"],
    "You have 2 items in your cart.": ["holds - 2"],
    "Your cart is empty.": ["empty -"],
    "I could not add the Whiskwell kettle.": [],
    "I can add the Whiskwell kettle. Would you like me to add it to your cart?": [],
    "I'll add the Whiskwell kettle to your cart. Once added, your total will be $39.50.": [],
    "Shall I place the order? Your order has not been placed yet.": [],
    "It has no added sugar.": [],
    "You save $3.00, and the shipping total is $4.00.": [],
}  # fmt: skip


@pytest.mark.parametrize("text", CLAIMS)
def test_claims(text: str) -> None:
    assert claimed(text) == sorted(CLAIMS[text])


@pytest.mark.parametrize("text", STATED)
def test_statements(text: str) -> None:
    assert stated(text) == STATED[text]


def test_only_given_products_are_read_about() -> None:
    text = "The Hob & Hollow kettle is $44.99 and the Whiskwell kettle is $1.00."
    assert claimed(text, [KETTLE]) == ["kettle price $44.99: supported"]
    assert claimed(text, []) == []


WORDS = "the |Whiskwell |kettle |Acme Travel Mug, Blue, 12 oz |is |$9.99 |not |blue |1.7 l |added |cart |total |your |to 3 |2 x |if |made of "
SIGNS = "rated 4.5 |in stock |order |placed |，|？|e.g. |Colour: |**|? |. |: |- |\n"
PIECES = st.sampled_from([*WORDS.split("|"), *SIGNS.split("|"), "|"])
TEXTS = st.text(max_size=200) | st.lists(PIECES, max_size=40).map("".join)


def letters(text: str) -> str:
    """The letters and digits of a text, without the numbers that mark list items."""
    return "".join(c for c in text if c.isalpha())


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_sentences_are_the_text_in_its_order(text: str) -> None:
    place = 0
    for sentence in FUNCTIONS["sentences"].call(text):
        place = text.index(sentence, place) + len(sentence)
    found = FUNCTIONS["sentences"].call(text)
    missing = len(letters(text)) - len(letters("".join(found)))
    assert 0 <= missing <= text.lower().count("[x]")
    assert set(FUNCTIONS["questions"].call(text)) <= set(found)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_what_is_read_is_quoted_and_typed(text: str) -> None:
    for claim in FUNCTIONS["claims"].call(text, ALL):
        assert claim.quote
        assert claim.quote in text
        assert claim.truth in TRUTHS
        assert claim.product in ALL
    for statement in FUNCTIONS["statements"].call(text, ALL):
        assert statement.quote in text
        assert statement.kind in STATEMENTS
        assert statement.quantity is None or statement.quantity >= 0


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.permutations(ALL))
def test_the_order_of_products_changes_nothing(text: str, products: list[Product]) -> None:
    assert claimed(text, products) == claimed(text)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_a_text_without_products_claims_nothing(text: str) -> None:
    assert claimed(text, []) == []


HOSTILE = [
    "rating" + " of" * 30_000,
    "a." * 50_000,
    "?" * 100_000,
    "| a " * 25_000,
    "|a|b|\n" * 14_000,
    "the kettle " * 9_000,
    "$9.99 " * 14_000,
    "and the " * 12_000,
    "made of " * 12_000,
    "added the kettle " * 5_000,
    "Brand is A" + " A" * 45_000,
    "Colour: of " * 9_000,
    "(" * 100_000,
    " " * 100_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=[h[:12] for h in HOSTILE])
def test_hostile_texts_are_read_soon(text: str) -> None:
    started = time.process_time()
    claimed(text)
    stated(text)
    assert time.process_time() - started < 20, "a bound against running for ever, not a measure of speed"
