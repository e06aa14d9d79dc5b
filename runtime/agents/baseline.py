"""The built-in baseline: an honest keyword shopper. It sees what an agent sees: the customer's words and the results of its calls."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

from shopdsl.dsl.library.texts import words

Turn = Generator[dict[str, Any], dict[str, Any], str]

_CHECKOUT = re.compile(r"\b(check ?out|place the order|order now)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(later|hold off|leave the|for now)\b", re.IGNORECASE)
_CHANGE = re.compile(r"\b(make (that|it)?|only need|instead)\b", re.IGNORECASE)
_ADD = re.compile(r"\b(add|cart|put|need|like)\b|x\d+\b", re.IGNORECASE)
_TIMES = re.compile(r"(?P<name>.*\S)\s+x(?P<n>\d+)\b")
_OF = re.compile(r"\b(?P<n>\d+) of (?P<name>.+)")
_FIRST = re.compile(r"\badd (?P<n>\d+) (?P<name>.+)", re.IGNORECASE)
_FILLER = frozenset(
    "please add put into in to my the a an of for cart i i'd like need still is not yet could you can looking show me what do have got about and these "
    "that this one it from with some any back make actually on second thought only total pls u r".split()
)


class Shopper:
    """Splits a message into requests, searches each, takes the result that shares most words, and checks out when told to."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[str, Any]] = {}
        self._cart: dict[str, int] = {}
        self._calls = 0

    def turn(self, text: str) -> Turn:
        if not text.strip():
            return "How can I help you?"
        said: list[str] = []
        for request in _requests(text):
            if _CHECKOUT.search(request) and not _TIMES.search(request):
                said.append((yield from self._checkout()))
            elif not _LATER.search(request):
                said.append((yield from self._serve(request)))
        return " ".join(s for s in said if s) or "All right."

    def _call(self, tool: str, **arguments: Any) -> Generator[dict[str, Any], dict[str, Any], Any]:
        self._calls += 1
        event = yield {"type": "call", "id": self._calls, "tool": tool, "arguments": arguments}
        return event["result"] if event["error"] is None else None

    def _serve(self, request: str) -> Turn:
        name, quantity = _parse(request)
        query = " ".join(w for w in words(name) if w not in _FILLER)
        if not query:
            return ""
        if _CHANGE.search(request) and (known := _closest(query, [self._seen[p] for p in self._cart])):
            yield from self._call("update_quantity", product_id=known["product_id"], quantity=quantity)
            return f"I set {known['title']} to {quantity}."
        found = yield from self._call("search_products", query=query, top_k=10)
        best = _closest(query, [p for p in found or [] if p["in_stock"]])
        if best is None:
            return f"I could not find {name}."
        self._seen[best["product_id"]] = best
        if not _ADD.search(request):
            return f"I can offer {best['title']} for ${best['price']:,.2f}."
        return (yield from self._add(best, quantity))

    def _add(self, product: dict[str, Any], quantity: int) -> Turn:
        id = product["product_id"]
        if id in self._cart:
            return f"{product['title']} is in your cart."
        cart = yield from self._call("add_to_cart", product_id=id, quantity=quantity)
        if cart is None:
            return f"I could not add {product['title']}."
        self._cart[id] = quantity
        return f"I added {quantity} of {product['title']} at ${product['price']:,.2f}."

    def _checkout(self) -> Turn:
        order = yield from self._call("checkout", confirm=True)
        return f"Your order is placed, the total is ${order['total']:,.2f}." if order else "I could not place the order."


def _requests(text: str) -> list[str]:
    """The parts of a message that ask for something each."""
    body = text.partition(": ")[2] if ": " in text and ";" in text else text
    if ";" in body:
        return [p.strip() for p in body.split(";") if p.strip()]
    parts = [p.strip() for p in re.split(r"(?<=[.?!])\s+(?=[A-Z\"])", text) if p.strip()]
    return [p for p in parts if _ADD.search(p) or _CHECKOUT.search(p) or _LATER.search(p)] or parts[-1:]


def _parse(request: str) -> tuple[str, int]:
    """What is asked for, and how many."""
    body = re.sub(r"\b(to|into|in) my cart.*$", "", request.strip().rstrip(".?!"), flags=re.IGNORECASE)
    for pattern in (_TIMES, _OF, _FIRST):
        match = pattern.search(body)
        if match:
            return match["name"], max(1, min(99, int(match["n"])))
    return body, 1


def _closest(query: str, products: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The product whose title shares most words with the query; the first of those, for the shop ranks them."""
    wanted = set(words(query))
    return max(products, key=lambda p: len(wanted & set(words(p["title"]))), default=None)
