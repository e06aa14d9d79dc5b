"""Promotions, shipping fees and policies of a store: spelled out as rules, checked, made data of a plan."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from shopdsl.compiler.constants import money
from shopdsl.compiler.unit import Unit, entries, items, text, value
from shopdsl.dsl import syntax as s
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.parse import ParseError, parse_expression
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Mapping, Node, Scalar
from shopdsl.dsl.values import SYMBOLS

_HELP = "for example `subtotal >= ¥500`, or `quantity >= 2 and subtotal > ¥99`"
_TAKE = re.compile(r"[$€£¥]\d[\d,]{0,15}(?:\.\d{1,2})?|\d{1,3}(?:\.\d{1,6})?%")
_OF = "add `applies_to: seller` or `applies_to: category`; for products there is `only`"
_FLIPPED = {"<=": ">=", "<": ">"}


@dataclass(frozen=True)
class Market:
    """What prices depend on, as plan data: `promotions` and `shipping` in their order, `policies` by name."""

    promotions: list[dict[str, Any]]
    shipping: list[dict[str, Any]]
    policies: dict[str, Any]


@dataclass(frozen=True)
class _Ground:
    unit: Unit
    currency: str
    products: dict[str, str]
    places: dict[str, set[str]]

    def bad(self, message: str, span: Span, help: str = "") -> None:
        self.unit.sink.add(codes.PROMOTION, message, span, help)

    def amount(self, node: Node | None) -> str | None:
        """An amount of the store's money, as decimal text."""
        if node is None:
            return None
        found = money(node)
        if found is None:
            self.bad("this is not an amount of money", node.span, "write it with its sign, such as `¥50`")
            return None
        if found.currency != self.currency and (found.currency, self.currency) != ("CNY", "JPY"):
            self.bad(f"`{text(node)}` is {found.currency}, and this store sells in {self.currency}", node.span)
        return str(found.amount)

    def positive(self, node: Node | None) -> str | None:
        """An amount above zero."""
        found = self.amount(node)
        if found is not None and node is not None and Decimal(found) <= 0:
            self.bad(f"`{text(node)}` takes nothing", node.span, "write an amount above 0, or leave it out")
            return None
        return found


def compile_market(unit: Unit, body: Mapping, currency: str, products: dict[str, str], places: dict[str, set[str]]) -> Market:
    """The rules of a store; `products` are the numbers of its listed products by name, `places` their categories and sellers."""
    ground = _Ground(unit, currency, products, places)
    promotions = [_promotion(ground, k, v) for k, v in _in_order(body.get("promotions")) if isinstance(v, Mapping)]
    _check_groups(ground, body.get("promotions"))
    shipping = [_shipping(ground, n) for n in items(body.get("shipping")) if isinstance(n, Mapping)]
    policies = {k.text: _policy(v) for k, v in entries(body.get("policies")) if isinstance(v, Mapping)}
    return Market(promotions, shipping, policies)


def _in_order(node: Node | None) -> list[tuple[Scalar, Node]]:
    return node.entries if isinstance(node, Mapping) else []


def _promotion(ground: _Ground, key: Scalar, node: Mapping) -> dict[str, Any]:
    scope, of = text(node.get("applies_to"), "order"), node.get("of")
    if of is not None and ground.products and scope in ground.places and text(of) not in ground.places[scope]:
        known = ground.places[scope]
        help = nearest(text(of), known) or f"there are: {', '.join(sorted(known)) or 'none'}"
        ground.bad(f"the store has no {scope} `{text(of)}`", of.span, help)
    if of is not None and scope not in ("seller", "category"):
        ground.bad(
            f"a promotion of the {scope} is not `of` a seller or a category",
            of.span,
            _OF,
        )
    tiers = [n for n in items(node.get("tiers")) if isinstance(n, Mapping)]
    for other in ("take", "when", "each") if tiers else ():
        if (outer := node.key(other)) is not None:
            ground.bad(f"`{other}` does not go with `tiers`", outer.span, "put it into the tiers")
    steps = [_step(ground, n) for n in tiers or [node]]
    valid = node.get("valid")
    first, end = _day(ground, valid, "from"), _day(ground, valid, "until")
    if first and end and first >= end and valid is not None:
        ground.bad("this promotion is never valid: it ends before it begins", valid.span, "`until` is the first day without it")
    once = value(
        node.get("once_per"),
        "order" if not value(node.get("automatic"), False) and text(node.get("applies_to")) == "product" else "none",
    )
    return {
        "name": key.text, "title": text(node.get("title"), key.text.replace("_", " ")), "scope": text(node.get("applies_to"), "order"),
        "of": text(node.get("of")), "steps": steps, "only": _only(ground, node.get("only")), "cap": ground.positive(node.get("cap")),
        "base": text(node.get("base"), "list"), "group": text(node.get("group")),
        "stacks_with": [text(n) for n in items(node.get("stacks_with"))] if node.get("stacks_with") is not None else None,
        "coupon": not value(node.get("automatic"), False), "once_per": once,
        "from": first, "until": end,
        "rounding": text(node.get("rounding"), "half_up"), "say": text(node.get("say")),
    }  # fmt: skip


def _step(ground: _Ground, node: Mapping) -> dict[str, Any]:
    take = node.get("take")
    raw = text(take)
    if take is not None and not _TAKE.fullmatch(raw):
        ground.bad(f"`{raw}` cannot be taken off", take.span, "write an amount such as `¥50`, or a percentage such as `10%`")
        return {"when": [], "take": "0", "percent": None, "each": None}
    if take is None:
        ground.bad("this promotion takes nothing", node.span, "add `take: ¥50` or `take: 10%`")
    percent = raw[:-1] if raw.endswith("%") else None
    if percent is not None and not 0 < Decimal(percent) <= 100:
        ground.bad(
            "a promotion takes more than 0%, and at most 100%",
            take.span if take else node.span,
            "write what is taken off, not what is left to pay",
        )
        percent = "100"
    each = node.get("each")
    if each is not None and percent is not None:
        ground.bad("`each` goes with an amount, not with a percentage", each.span, "for example {take: ¥40, each: ¥300}")
        each = None
    return {
        "when": _conditions(ground, node.get("when")),
        "take": (ground.positive(take) or "0") if percent is None else None,
        "percent": percent,
        "each": ground.positive(each),
    }


def _conditions(ground: _Ground, node: Node | None) -> list[dict[str, Any]]:
    if not isinstance(node, Scalar):
        return []
    try:
        parsed = parse_expression(node.text)
    except ParseError as error:
        ground.bad(f"this condition cannot be read: {error.message}", node.within(error.offset, error.offset + 1), _HELP)
        return []
    parts = list(parsed.parts) if isinstance(parsed, s.Logic) and parsed.op == "and" else [parsed]
    return [made for part in parts if (made := _condition(ground, node, part)) is not None]


def _condition(ground: _Ground, node: Scalar, part: s.Expr) -> dict[str, Any] | None:
    match part:
        case s.Compare(_, (op,), (s.Name(at, name), right)) if op in (">=", ">"):
            return _measured(ground, node, name, at, op, right)
        case s.Compare(_, (op,), (left, s.Name(at, name))) if op in _FLIPPED:
            return _measured(ground, node, name, at, _FLIPPED[op], left)
    ground.bad("a promotion applies from a subtotal or a quantity on", node.within(*part.at), _HELP)
    return None


def _measured(ground: _Ground, node: Scalar, name: str, place: s.At, op: str, bound: s.Expr) -> dict[str, Any] | None:
    match name, bound:
        case "subtotal", s.MoneyLiteral(_, amount, symbol):
            found = SYMBOLS[symbol]
            if found != ground.currency and (found, ground.currency) != ("CNY", "JPY"):
                ground.bad(f"`{symbol}` is {found}, and this store sells in {ground.currency}", node.within(*bound.at))
            return {"measure": "subtotal", "op": op, "amount": str(amount)}
        case "quantity", s.Literal(_, int() as count):
            return {"measure": "quantity", "op": op, "amount": str(count)}
    if name not in ("subtotal", "quantity"):
        help = nearest(name, ("subtotal", "quantity")) or _HELP
        ground.bad(f"`{name}` is nothing that promotions look at; there are `subtotal` and `quantity`", node.within(*place), help)
        return None
    ground.bad("a subtotal is compared with an amount of money, a quantity with a whole number", node.within(*bound.at), _HELP)
    return None


def _only(ground: _Ground, node: Node | None) -> list[str] | None:
    if node is None:
        return None
    if not items(node):
        ground.bad("this promotion is for no product", node.span, "name products, or leave `only` out")
    for name in items(node):
        if text(name) not in ground.products:
            help = nearest(text(name), ground.products) or f"products: {', '.join(sorted(ground.products)[:20])}"
            ground.bad(f"the store lists no product `{text(name)}`", name.span, help)
    return sorted(ground.products.get(text(n), "") for n in items(node))


def _day(ground: _Ground, valid: Node | None, key: str) -> str | None:
    node = valid.get(key) if isinstance(valid, Mapping) else None
    return None if node is None else day(ground.unit, node)


def day(unit: Unit, node: Node) -> str | None:
    """A date as text; one that is none is reported."""
    try:
        found = date.fromisoformat(text(node)).isoformat()
    except ValueError:
        found = None
    if found != text(node):  # 20261111 is a date too, and days are compared as they are written
        unit.sink.add(codes.PROMOTION, f"`{text(node)}` is not a date", node.span, "write it as 2026-11-11")
        return None
    return found


def _check_groups(ground: _Ground, node: Node | None) -> None:
    """A group that promotions stack with is the group of some promotion."""
    groups = {text(v.get("group")) for _, v in entries(node) if isinstance(v, Mapping)} - {""} | {"shipping"}
    for _, body in entries(node):
        for name in items(body.get("stacks_with")) if isinstance(body, Mapping) else []:
            if text(name) not in groups:
                help = nearest(text(name), groups) or f"groups: {', '.join(sorted(groups)) or 'none'}"
                ground.bad(f"no promotion is of the group `{text(name)}`", name.span, help)


def _shipping(ground: _Ground, node: Mapping) -> dict[str, Any]:
    place, sellers = node.get("seller"), {"any", *ground.places["seller"]}
    seller = text(place)
    if place is not None and ground.products and seller not in sellers:
        help = nearest(seller, sellers) or f"there are: {', '.join(sorted(sellers))}"
        ground.bad(f"the store has no seller `{seller}`", place.span, help)
    return {
        "scope": "seller" if node.get("seller") is not None else "order", "of": "" if seller == "any" else seller,
        "fee": ground.amount(node.get("fee")) or "0", "free_from": ground.amount(node.get("free_from")), "base": text(node.get("base"), "list"),
    }  # fmt: skip


def _policy(node: Mapping) -> dict[str, Any]:
    return {
        "value": text(node.get("value")),
        "say": text(node.get("say")),
        "except": [text(n) for n in items(node.get("except"))],
        "counts_from": text(node.get("counts_from")),
    }
