"""At which seller to buy each wanted product, so that the basket is cheapest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType

from shopdsl.dsl.library.pricing.amounts import minor
from shopdsl.dsl.library.pricing.later import Path
from shopdsl.dsl.library.pricing.prices import eligible, refusals, told
from shopdsl.dsl.library.pricing.problem import Item, Problem, problem
from shopdsl.dsl.library.pricing.results import Basket
from shopdsl.dsl.library.pricing.rules import Offer, Rule, Shipping
from shopdsl.dsl.library.pricing.search import search

_TIES = 10


def best_basket(
    wanted: Sequence[str],
    offers: Sequence[Offer],
    rules: Sequence[Rule],
    coupons: Sequence[str],
    shipping: Sequence[Shipping] = (),
    at: date | None = None,
    within_days: Mapping[str, int] = MappingProxyType({}),
) -> Basket:
    """The cheapest seller of each product, and coupons, exactly; all units of a product come from one seller.

    `within_days` says in how many days a product must be delivered; an offer that does not say its days is then none. Of equal
    baskets that with the fewest coupons is taken, then the first by names; `ties` are up to ten others.
    Raises ValueError where a product is not offered, and TooLarge.
    """
    made = problem(_items(wanted, offers, within_days), eligible(rules, coupons, at), shipping)
    ways = search(made, {}, _TIES + 1)
    assignments: dict[tuple[tuple[str, str], ...], None] = {}
    for way in ways:
        for path in way.paths:
            assignments.setdefault(tuple(_assignment(made, path).items()))
    way = ways[0]
    priced = told(made, way, way.paths[0], refusals(rules, coupons, at), "would not make it cheaper", ())
    first, *others = (dict(pairs) for pairs in assignments)
    return Basket(first, priced, tuple(others[:_TIES]))


def _assignment(made: Problem, path: Path) -> dict[str, str]:
    """The seller of each product, in the order in which they are wanted."""
    rows = sorted((made.items[i] for i, _ in path), key=lambda item: item.slot)
    return {item.product: item.seller for item in rows}


def _items(wanted: Sequence[str], offers: Sequence[Offer], within_days: Mapping[str, int]) -> list[Item]:
    items: list[Item] = []
    for slot, (product, quantity) in enumerate(Counter(wanted).items()):
        most = within_days.get(product)
        prices: dict[tuple[str, str], int] = {}
        for offer in offers:
            if offer.product == product and (most is None or (offer.days is not None and offer.days <= most)):
                unit, place = minor(offer.price), (offer.seller, offer.category)
                prices[place] = min(unit, prices.get(place, unit))
        if not prices:
            raise ValueError(f"nobody offers {product}" + ("" if most is None else f" within {most} days"))
        items += [Item(product, *place, unit * quantity, quantity, slot) for place, unit in prices.items()]
    return items
