"""The oracle knows the trial: for each beat that has come out it does what the beat obliges an agent to, and nothing else. For proofs.

Where the customer says nothing new it serves the last beats again, and in a case it does what the case's reference says.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.library.commerce import total
from shopdsl.dsl.values import show
from shopdsl.runtime.expect.oracle import RETRIES, right_replies
from shopdsl.runtime.ledger import Beat, Ledger
from shopdsl.runtime.world import Trial

Turn = Generator[dict[str, Any], dict[str, Any], str]


class Oracle:
    """Reads the beats of the turn from the ledger, and meets their duties."""

    def __init__(self, trial: Trial, ledger: Ledger) -> None:
        self._trial, self._ledger = trial, ledger
        self._calls = 0

    def begin(self, tools: list[dict[str, Any]]) -> None:
        """It knows the store's tools."""

    def turn(self, text: str) -> Turn:
        if self._trial.case is not None and self._trial.data["script"]["messages"]:
            return (yield from self._refer())
        said: list[str] = []
        before = self._ledger.cart
        latest = max((b.turn for b in self._ledger.beats), default=0)
        for beat in [b for b in self._ledger.beats if b.turn == latest]:
            for item in beat.items or [None]:
                said.append((yield from self._serve(beat, item)))
        if self._ledger.cart != before:
            said.append(self._summary())
        return " ".join(s for s in said if s) or "Of course."

    def _refer(self) -> Turn:
        """What the case gives as right, or what it expects."""
        replies, place = right_replies(self._trial), len(self._ledger.turns) - 1
        if place >= len(replies):
            return "Of course."
        tries = 1 + (RETRIES if self._trial.faults().rules else 0)
        for call in replies[place].calls:
            for _ in range(1 if call.refused else tries):
                result = yield self._action(call.tool, call.args)
                if result.get("error") is None:
                    break
        return replies[place].say

    def _summary(self) -> str:
        """What is in the cart, once all of it is."""
        cart = self._ledger.cart
        if any(cart[i.product] != i.quantity for i in self._ledger.items):
            return ""
        return f"Your cart now holds {', '.join(f'{cart[p]} of {p.noun}' for p in cart)}; the total is {show(total(cart))}."

    def _action(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self._calls += 1
        plain = {k: getattr(v, "id", v) for k, v in arguments.items()}
        return {"type": "call", "id": self._calls, "tool": tool, "arguments": plain}

    def _serve(self, beat: Beat, item: Any) -> Turn:
        turn = self._ledger.turns[-1]
        for duty in self._trial.beats[beat.kind]["expects"]:
            names = {
                "item": item, "items": beat.items, "about": beat.about, "to": beat.to, "call": None,
                "seen": self._ledger.seen if duty["that"] else turn.seen, "cart": turn.before,
            }  # fmt: skip
            if duty["unless"] is None or not guarded(compile_tree(duty["unless"]))(Env(names)):
                yield from self._meet(duty, names, item)
        return self._reply(beat, item)

    def _reply(self, beat: Beat, item: Any) -> str:
        if item is None:
            order = self._ledger.order
            return f"Your order is placed, the total is {show(order.total)}." if order else ""
        if beat.about:
            return f"The {beat.about} of {item.product.title}: {self._fact(item.product, beat.about)}."
        if self._trial.beats[beat.kind]["due"]:
            count, title = self._ledger.cart[item.product], item.product.title
            done = (
                f"I set {title} to {count}"
                if item.product in self._ledger.turns[-1].before
                else f"I put {count} of {title} into your cart"
            )
            return f"{done}, at {show(item.product.price)} each."
        return (
            f"{item.product.title}, {show(item.product.price)}."
            if self._trial.beats[beat.kind]["opens"]
            else f"{item.product.title}: all right."
        )

    def _meet(self, duty: dict[str, Any], names: dict[str, Any], item: Any) -> Generator[dict[str, Any], dict[str, Any], None]:
        tool, arguments = duty["tool"], {}
        if tool is None:
            tool = next((n for n, t in self._trial.store.tools.items() if t.kind == duty["class"]), "")
            arguments = {"query": item.product.title}
        for name, tree in duty["with"].items():
            value = guarded(compile_tree(tree))(Env(names))
            arguments[self._parameter(tool, name)] = value
        if tool not in self._trial.store.tools:
            return
        for param in self._trial.store.tools[tool].data["params"]:
            if (
                not param["optional"]
                and param["name"] not in arguments
                and isinstance(param["type"], dict)
                and "one_of" in param["type"]
            ):
                arguments[param["name"]] = param["type"]["one_of"][0]
        yield self._action(self._search_tool(tool, arguments), arguments)

    def _search_tool(self, tool: str, arguments: dict[str, Any]) -> str:
        """A search goes to the tool that takes a query."""
        if "query" not in arguments:
            return tool
        tools = self._trial.store.tools
        return next((n for n, t in tools.items() if any(p["name"] == "query" for p in t.data["params"])), tool)

    def _parameter(self, tool: str, name: str) -> str:
        """The parameter by which a tool names what a duty calls `product`."""
        for param in self._trial.store.tools[tool].data["params"]:
            if name in (param["name"], param["as"]):
                return str(param["name"])
        return name

    def _fact(self, product: Any, about: str) -> str:
        return (
            show(product.price)
            if about == "price"
            else show(product.rating)
            if about == "rating"
            else product.attributes.get(about, "unknown")
        )
