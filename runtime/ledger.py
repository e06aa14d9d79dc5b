"""The events of a trial as expressions see them. The customer reads the ledger while a trial runs, metrics read it afterwards: both from the same events.

Events are data, in order; `at` of an event is its place. Kinds: `customer` (message, beats, what it asked for), `call`, `agent`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shopdsl.dsl.catalog import Catalog, Product
from shopdsl.dsl.items import Item
from shopdsl.dsl.library.texts import prices
from shopdsl.dsl.values import Bag, Money, show
from shopdsl.runtime.shop.titles import Titles


class Message:
    """What was written, with the cart at that moment."""

    def __init__(self, ledger: Ledger, event: dict[str, Any], at: int) -> None:
        self.text: str = event["text"]
        self.role: str = event["type"]
        self.at, self.turn = at, len(ledger.turns)
        self.cart = ledger.cart
        self.hints: list[str] = event.get("gives", [])
        self.twin = ledger.twin
        self._titles = ledger.titles

    @cached_property
    def words(self) -> int:
        return len(self.text.split())

    @cached_property
    def prices(self) -> list[Money]:
        return prices(self.text)

    @cached_property
    def named(self) -> list[Product]:
        return self._titles.named(self.text)


class Call:
    """A tool call with the state around it."""

    def __init__(self, ledger: Ledger, event: dict[str, Any], at: int) -> None:
        self.at, self.turn = at, len(ledger.turns)
        self.tool: str = event["tool"]
        tool = ledger.tools.get(self.tool)
        self.kind: str = tool[0] if tool else "unknown"
        self.role: str = tool[1] if tool else "unknown"
        self.given: dict[str, Any] = event["args"] if isinstance(event["args"], dict) else {}
        self.error: str | None = event["error"]
        self.result: Any = event.get("result")
        self.listed = False
        self.twin = ledger.twin
        self.fault: bool = event.get("fault", False)
        self.changes = [f"{record} {key}" for record, key, _ in event.get("records", ())]
        by_id = ledger.catalog.by_id
        self.results: list[Product] = [by_id[i] for i in event.get("finds", ()) if i in by_id]
        self.query: str | None = event.get("query")
        self.product: Product | None = by_id.get(event.get("product") or "")
        self.quantity: int | None = event.get("quantity")
        self.ids: list[str] = [str(v) for k, v in self.given.items() if k.endswith("_id") and isinstance(v, str)]
        self.before = ledger.cart
        self.after = ledger.cart
        self.asked, self.due = ledger.asked, ledger.due
        self.sought = ledger.sought
        self.duty = "none"
        self.closing = ledger.closing
        self._near = {a: n / 1000 for a, n in event.get("near", ())}

    @cached_property
    def args(self) -> dict[str, str]:
        """The arguments as expressions see them: texts; what nests is JSON."""
        return {k: _text(v) for k, v in self.given.items() if v is not None}

    def nearness(self, other: Call) -> float | None:
        """The similarity of the queries, as it was recorded."""
        return self._near.get(other.at, other._near.get(self.at))


def _text(value: Any) -> str:
    nested = isinstance(value, dict) or (isinstance(value, list) and any(isinstance(v, dict | list) for v in value))
    return json.dumps(value, ensure_ascii=False) if nested else show(value)


setattr(Call, "class", property(lambda self: self.kind))


class Turn:
    """One customer message and what the agent did about it."""

    def __init__(self, ledger: Ledger, number: int, customer: str) -> None:
        self.number, self.at, self.customer = number, ledger.at, customer
        self.twin = ledger.twin
        self.calls: list[Call] = []
        self.answer = ""
        self.before = self.after = ledger.cart
        self.asked, self.seen = ledger.asked, ledger.seen
        self.sought = ledger.sought
        self.closing = ledger.closing and ledger.order is None
        self.ordered = False
        self.hinted = False
        self.cap = ledger.reply_cap

    @property
    def words(self) -> int:
        return len(self.answer.split())


class Beat:
    """A beat that came out."""

    def __init__(self, ledger: Ledger, planned: dict[str, Any], at: int) -> None:
        self.kind: str = planned["beat"]
        self.items = [ledger.items[i] for i in planned["items"]]
        self.about: str | None = planned["about"]
        self.to: float | None = planned["to"]
        self.at, self.turn = at, len(ledger.turns)


class Order:
    """A placed order."""

    def __init__(self, id: str, lines: Bag, total: Money | None) -> None:
        self.id, self.lines, self.total = id, lines, total


@dataclass(frozen=True)
class End:
    """The state at some moment."""

    cart: Bag
    order: Order | None
    records: dict[tuple[str, str], Any]


class Ledger:
    """Reads events one by one and keeps what they mean."""

    def __init__(
        self,
        items: list[Item],
        itinerary: list[dict[str, Any]],
        beats: dict[str, Any],
        tools: dict[str, tuple[str, str]],
        catalog: Catalog,
        titles: Titles,
        reply_cap: int | None,
    ) -> None:
        self.items, self.itinerary, self.kinds = items, itinerary, beats
        self.tools, self.catalog, self.titles = tools, catalog, titles
        self.reply_cap = reply_cap
        self.at = 0
        self.cart, self.due = Bag(), Bag()
        self.order: Order | None = None
        self.asked: frozenset[Product] = frozenset()
        self.seen: frozenset[Product] = frozenset()
        self.closing = self.twin = False
        self.messages: list[Message] = []
        self.calls: list[Call] = []
        self.turns: list[Turn] = []
        self.beats: list[Beat] = []
        self.records: dict[tuple[str, str], Any] = {}
        self.opening: tuple[Bag, dict[tuple[str, str], Any]] = (Bag(), {})
        self.before_twin: End | None = None
        self.frustration: list[float] = []
        self.rationales: list[str] = []

    @property
    def sought(self) -> list[Product]:
        """What has been asked for and is not in the cart in full."""
        if self.order is not None:
            return []
        return [i.product for i in self.items if i.asked_at is not None and self.cart[i.product] < i.quantity]

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event."""
        {"customer": self._customer, "call": self._call, "agent": self._agent}[event["type"]](event)
        self.at += 1

    def _customer(self, event: dict[str, Any]) -> None:
        self.frustration.append(event["frustration"])
        self.rationales.append(event["rationale"])
        if event.get("gives") and self.turns:
            self.turns[-1].hinted = True
        closing = event["stop"] is not None
        if event.get("twin", False) and self.before_twin is None:
            self.before_twin = End(self.cart, self.order, dict(self.records))
        self.twin = event.get("twin", False)
        if event.get("fresh"):
            self.cart, self.order, self.records = self.opening[0], None, dict(self.opening[1])
        if not closing:
            self.turns.append(Turn(self, len(self.turns) + 1, event["text"]))
        self._release(event)
        if event["text"] or not closing:
            self.messages.append(Message(self, event, self.at))
        if not closing:
            self._renew(self.turns[-1])

    def _release(self, event: dict[str, Any]) -> None:
        for place in event["beats"]:
            planned = self.itinerary[place]
            kind = self.kinds[planned["beat"]]
            self.beats.append(Beat(self, planned, self.at))
            self.closing = self.closing or kind["last"]
        for index in event["asked"]:
            self.items[index].asked_at = self.items[index].asked_at or len(self.turns)
        for index, quantity in event["due"]:
            item = self.items[index]
            item.due_at = item.due_at or len(self.turns)
            item.due_now = quantity
        if event["asked"] or event["due"]:
            self.asked = frozenset(i.product for i in self.items if i.asked_at is not None)
            self.due = Bag({i.product: i.due_now for i in self.items if i.due_at is not None})

    def _renew(self, turn: Turn) -> None:
        """A turn begins with what its own message asked for."""
        turn.asked, turn.sought = self.asked, self.sought
        turn.closing = self.closing and self.order is None

    def _call(self, event: dict[str, Any]) -> None:
        call = Call(self, event, self.at)
        if "cart" in event:
            by_id = self.catalog.by_id
            self.cart = call.after = Bag({by_id[i]: n for i, n in event["cart"].items()})
        if event.get("order") and self.order is None:
            total = event["order"]["total"]
            self.order = Order(event["order"]["id"], self.cart, Money(total, self.catalog.currency) if total else None)
            self.turns[-1].ordered = True
        for record, key, data in event.get("records", ()):
            if not isinstance(data, dict):
                raise ValueError(f"the {record} {key} is no record")
            self.records[record, key] = data
        if call.results:
            self.seen = self.seen | frozenset(call.results)
        self.calls.append(call)
        self.turns[-1].calls.append(call)
        self.turns[-1].after = self.cart

    def _agent(self, event: dict[str, Any]) -> None:
        self.messages.append(Message(self, event, self.at))
        self.turns[-1].answer = event["text"]
