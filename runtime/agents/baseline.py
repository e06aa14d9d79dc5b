"""The built-in baseline: an honest keyword shopper. It sees what an agent sees: the customer's words and the results of its calls."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

from shopdsl.dsl.library.texts import words

Turn = Generator[dict[str, Any], dict[str, Any], str]

_CHECKOUT = re.compile(r"\b(check ?out|place the order|order now)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(later|hold off|for now|come back to)\b", re.IGNORECASE)
_CHANGE = re.compile(r"\b(make|only need)\b", re.IGNORECASE)
_LOOK = re.compile(r"\b(looking for|show me|got|what about|which|on my mind)\b|\?", re.IGNORECASE)
_ABOUT = re.compile(r"(?P<about>[a-z_]+) of the (?P<name>[^?,]+)", re.IGNORECASE)
_COUNTS = (
    re.compile(r"(?P<name>.*\S)\s+x(?P<n>\d+)\b", re.IGNORECASE),
    re.compile(r"\b(?P<n>\d+) of (?P<name>.+)", re.IGNORECASE),
    re.compile(r"\b(add|need|put) (?P<n>\d+) (?P<name>.+)", re.IGNORECASE),
)
_TAIL = re.compile(r",? (to|into|in) my cart.*$|,? it is not in my cart.*$", re.IGNORECASE)
_FILLER = frozenset(
    words(
        "please add put into in to my the a an of for cart i i'd i'm like need still is not yet could you can looking show me what do have got about "
        "and these that this one it from with some any back make actually on second thought only total pls u r so next mind which two or three matters"
    )
)


class Shopper:
    """Splits a message into requests, searches each, takes the result that shares most words, and checks out when told to."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[str, Any]] = {}
        self._cart: dict[str, int] = {}
        self._calls = 0
        self._tools: dict[str, set[str]] = {}

    def begin(self, tools: list[dict[str, Any]]) -> None:
        """Learn which tools there are, and what they take."""
        self._tools = {t["name"]: set(t["parameters"]["properties"]) for t in tools}

    def turn(self, text: str) -> Turn:
        said: list[str] = []
        for request in _requests(text):
            said.append((yield from self._serve(request)))
        return " ".join(s for s in said if s) or "How can I help you?"

    def _call(self, tool: str, **arguments: Any) -> Generator[dict[str, Any], dict[str, Any], Any]:
        if tool not in self._tools:
            return None
        self._calls += 1
        known = {k: v for k, v in arguments.items() if k in self._tools[tool]}
        event = yield {"type": "call", "id": self._calls, "tool": tool, "arguments": known}
        return event["result"] if event["error"] is None else None

    def _serve(self, request: str) -> Turn:
        name, count = _parse(request)
        if count is not None:
            change = bool(_CHANGE.search(request))
            return (yield from (self._change(name, count) if change else self._buy(name, count)))
        if _CHECKOUT.search(request):
            return (yield from self._checkout())
        if _LATER.search(request):
            return "All right."
        if (about := _ABOUT.search(request)) is not None:
            return (yield from self._tell(about["name"], about["about"].strip()))
        return (yield from self._offer(name)) if _LOOK.search(request) else ""

    def _find(self, name: str) -> Generator[dict[str, Any], dict[str, Any], dict[str, Any] | None]:
        query = _query(name)
        if not query:
            return None
        found = yield from self._call("search_products", query=query, top_k=10)
        best = _closest(query, [p for p in found or [] if p.get("in_stock", True)])
        if best is not None:
            self._seen[_id(best)] = best
        return best

    def _offer(self, name: str) -> Turn:
        if not _query(name):
            return ""
        best = yield from self._find(name)
        return f"I can offer {best['title']} for ${best['price']:,.2f}." if best else f"I could not find {name}."

    def _tell(self, name: str, about: str) -> Turn:
        known = _closest(_query(name), list(self._seen.values()))
        if known is None:
            return (yield from self._offer(name))
        facts = yield from self._call("get_product", product_id=_id(known))
        value = (
            {**facts["attributes"], "price": f"${facts['price']:,.2f}", "rating": facts["rating"]}.get(about) if facts else None
        )
        return f"{known['title']}: {about} {value}." if value is not None else f"I do not know the {about} of {known['title']}."

    def _change(self, name: str, count: int) -> Turn:
        known = _closest(_query(name), [self._seen[p] for p in self._cart])
        if known is None:
            return (yield from self._buy(name, count))
        yield from self._call("update_quantity", product_id=_id(known), quantity=count)
        return f"I set {known['title']} to {count}."

    def _buy(self, name: str, count: int) -> Turn:
        best = yield from self._find(name)
        if best is None:
            return f"I could not find {name}."
        id = _id(best)
        if id in self._cart:
            return f"{best['title']} is in your cart."
        cart = yield from self._call("add_to_cart", product_id=id, quantity=count)
        if cart is None:
            return f"I could not add {best['title']}."
        self._cart[id] = count
        return f"I added {count} of {best['title']} at ${best['price']:,.2f}."

    def _checkout(self) -> Turn:
        order = yield from self._call("checkout", confirm=True)
        return f"Your order is placed, the total is ${order['total']:,.2f}." if order else "I could not place the order."


def _requests(text: str) -> list[str]:
    """The parts of a message that ask for something each: the entries of a list, else the sentences."""
    body = text.rpartition(": ")[2] if ": " in text else text
    if ";" in body:
        return [p.strip() for p in body.split(";") if p.strip()]
    return [p.strip() for p in re.split(r"(?<=[.?!])\s+(?=[A-Z\"])", text) if p.strip()]


def _parse(request: str) -> tuple[str, int | None]:
    """What is asked for, and how many units are to be bought, if it says so."""
    body = _TAIL.sub("", request.strip().rstrip(".?!"))
    for pattern in _COUNTS:
        if match := pattern.search(body):
            return match["name"], max(1, min(99, int(match["n"])))
    return body, None


def _id(product: dict[str, Any]) -> str:
    """The number of a product, as the shop's results call it."""
    return str(product.get("product_id") or product.get("id"))


def _query(name: str) -> str:
    return " ".join(w for w in words(name) if w not in _FILLER)


def _closest(query: str, products: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The product whose title shares most words with the query; the first of those, for the shop ranks them."""
    wanted = set(words(query))
    return max(products, key=lambda p: len(wanted & set(words(p["title"]))), default=None)
