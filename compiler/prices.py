"""The prices of products that a store or a case lists: their currency, and the days on which they hold."""

from __future__ import annotations

from collections.abc import Iterator

from shopdsl.compiler.constants import money
from shopdsl.compiler.promotions import day
from shopdsl.compiler.unit import Unit, entries, items
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.tree import Mapping, Node


def check_prices(unit: Unit, products: Node | None, currency: str | None) -> None:
    """Report prices in another currency (None: any will do), and prices that never hold."""
    for _, product in entries(products):
        if isinstance(product, Mapping):
            for node in _prices(product) if currency else ():
                _check_currency(unit, node, currency or "")
            for entry in items(product.get("prices")):
                if isinstance(entry, Mapping):
                    _check_days(unit, entry)


def _prices(product: Mapping) -> Iterator[Node]:
    offers = [offer for _, offer in entries(product.get("offers"))]
    for part in (product, *items(product.get("prices")), *offers):
        if isinstance(part, Mapping) and (price := part.get("price")) is not None:
            yield price


def _check_currency(unit: Unit, node: Node, currency: str) -> None:
    amount = money(node)
    if amount is not None and amount.currency != currency and (amount.currency, currency) != ("CNY", "JPY"):
        unit.sink.add(
            codes.CURRENCY,
            f"{amount} is {amount.currency}, and this store sells in {currency}",
            node.span,
            f"write it in {currency}",
        )


def _check_days(unit: Unit, entry: Mapping) -> None:
    places = [entry.get("from"), entry.get("until")]
    first, end = (day(unit, node) if node is not None else None for node in places)
    if first and end and end <= first:
        help = "`until` is the first day without it"
        unit.sink.add(codes.FIXTURE, "this price never holds: it ends before it begins", entry.span, help)
