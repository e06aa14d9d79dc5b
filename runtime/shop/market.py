"""Prices of a store: its promotions, fees and offers, on a day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any

from shopdsl.dsl.catalog import Product
from shopdsl.dsl.library import pricing
from shopdsl.dsl.library.pricing import Condition, Line, Offer, Priced, Rule, Shipping, Step, TooLarge
from shopdsl.dsl.values import SYMBOLS, Bag, Failed, Money, Row

_SIGN = {code: sign for sign, code in SYMBOLS.items()} | {"JPY": "¥"}


class Market:
    """The rules of one store; `today` is the day of the trial, or None where no date matters."""

    def __init__(self, data: dict[str, Any], currency: str, today: str | None, offers: dict[str, dict[str, list[Any]]]) -> None:
        self._data, self._currency, self._offers = data, currency, offers
        self.today = today

    @cached_property
    def rules(self) -> list[Rule]:
        """The promotions, in their order."""
        return [_rule(r) for r in self._data.get("promotions", ())]

    @cached_property
    def fees(self) -> list[Shipping]:
        """The shipping fees."""
        return [
            Shipping(s["scope"], s["of"], Decimal(s["fee"]), _decimal(s["free_from"]), base=s["base"])
            for s in self._data.get("shipping", ())
        ]

    @property
    def _day(self) -> date | None:
        return date.fromisoformat(self.today) if self.today else None

    @cached_property
    def promotions(self) -> list[Row]:
        """The promotions as expressions see them."""
        titles = {r["name"]: r["title"] for r in self._data.get("promotions", ())}
        language = self._data.get("language", "en")
        return [_shown(rule, titles[rule.name], _SIGN.get(self._currency, ""), language) for rule in self.rules]

    @cached_property
    def policies(self) -> list[Row]:
        """The policies as expressions see them."""
        return [
            Row(name, {"name": name, **p, "exceptions": p["except"]})
            for name, p in sorted(self._data.get("policies", {}).items())
        ]

    def best(self, basket: Any, coupons: list[str]) -> Row:
        """The cheapest choice of coupons; raises Failed where it cannot be computed exactly."""
        return self._row(_safe(lambda: pricing.best_price(_lines(basket), self.rules, coupons, self.fees, self._day)))

    def price(self, basket: Any, coupons: list[str]) -> Row:
        """The price with just these coupons."""
        return self._row(_safe(lambda: pricing.price(_lines(basket), self.rules, coupons, self.fees, self._day)))

    def basket(self, basket: Any, coupons: list[str], within: Mapping[Any, int]) -> Row:
        """The cheapest seller of each product of a list or a bag."""
        products = [p for p, n in _counts(basket) for _ in range(n)]
        offers = [offer for p in set(products) for offer in self._offered(p)]
        limits = {getattr(k, "id", k): v for k, v in within.items()}
        made = _safe(
            lambda: pricing.best_basket(
                [p.id for p in products],
                sorted(offers, key=lambda o: (o.product, o.seller)),
                self.rules,
                coupons,
                self.fees,
                self._day,
                limits,
            )
        )
        return self._row(made.priced, {"assignment": dict(made.assignment), "others": len(made.ties)})

    def _offered(self, product: Product) -> list[Offer]:
        """Where a product can be bought; one without offers from its own seller, at its price."""
        named, category = self._offers.get(product.id), product.category.name
        if named is None:
            return [Offer(product.id, product.attributes.get("seller", ""), product.price.amount, category=category)]
        return [Offer(product.id, seller, Decimal(cents) / 100, days, category) for seller, (cents, days) in named.items()]

    def _row(self, priced: Priced, more: dict[str, Any] | None = None) -> Row:
        money = {k: Money(getattr(priced, k), self._currency) for k in ("total", "goods", "discount", "shipping")}
        working = [
            Row("", {"what": w.what, "target": w.target, "amount": Money(w.amount, self._currency), "note": w.note})
            for w in priced.working
        ]
        return Row(
            "",
            {
                **money,
                "used": list(priced.used),
                "refused": priced.refused,
                "working": working,
                "ties": len(priced.ties),
                **(more or {}),
            },
        )


def _safe(run: Any) -> Any:
    try:
        return run()
    except (TooLarge, ValueError) as error:
        raise Failed(str(error)) from None


def _lines(basket: Any) -> list[Line]:
    return [Line(p.id, p.price.amount, n, p.attributes.get("seller", ""), p.category.name) for p, n in _counts(basket)]


def _counts(basket: Any) -> Iterable[tuple[Product, int]]:
    return basket.counts.items() if isinstance(basket, Bag) else ((p, 1) for p in basket)


def _rule(r: dict[str, Any]) -> Rule:
    return Rule(
        r["name"], r["scope"], tuple(_step(x) for x in r["steps"]), None if r["only"] is None else frozenset(r["only"]), _decimal(r["cap"]),
        r["base"], r["group"], None if r["stacks_with"] is None else frozenset(r["stacks_with"]), r["coupon"], r["once_per"],
        _date(r["from"]), _date(r["until"]), r["rounding"], r["say"], r["of"],
    )  # fmt: skip


def _step(x: dict[str, Any]) -> Step:
    when = tuple(Condition(c["measure"], c["op"], Decimal(c["amount"])) for c in x["when"])
    return Step(when, _decimal(x["take"]), _decimal(x["percent"]), _decimal(x["each"]))


def _decimal(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


def _date(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def _shown(rule: Rule, title: str, sign: str, language: str) -> Row:
    said = rule.say or pricing.sentence(rule, sign, "zh" if language == "zh" else "en")
    return Row(rule.name, {"name": rule.name, "title": title, "group": rule.group, "coupon": rule.coupon, "say": said})
