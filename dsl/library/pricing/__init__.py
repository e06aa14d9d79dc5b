"""Promotions, shipping and dated prices as plain data, and the exact best price of a basket with its working."""

from shopdsl.dsl.library.pricing.baskets import best_basket
from shopdsl.dsl.library.pricing.prices import best_price, price
from shopdsl.dsl.library.pricing.results import Basket, Priced, TooLarge, Working
from shopdsl.dsl.library.pricing.rules import Condition, Line, Offer, Rule, Shipping, Step
from shopdsl.dsl.library.pricing.wording import sentence

__all__ = [
    "Basket",
    "Condition",
    "Line",
    "Offer",
    "Priced",
    "Rule",
    "Shipping",
    "Step",
    "TooLarge",
    "Working",
    "best_basket",
    "best_price",
    "price",
    "sentence",
]
