"""One trial from its opening to its end: a customer message and an agent turn a round (arXiv 2609.16093, section 3.4)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from shopdsl.dsl.pacing import MAX_TURNS
from shopdsl.runtime.agents.patience import Patience
from shopdsl.runtime.agents.protocol import Action, Agent, AgentFault, checked
from shopdsl.runtime.ledger import Ledger
from shopdsl.runtime.shop.encoder import Encoder
from shopdsl.runtime.shop.faults import Faults
from shopdsl.runtime.shop.search import Engine, Pending
from shopdsl.runtime.shop.state import Before, State
from shopdsl.runtime.shop.tools import Outcome
from shopdsl.runtime.watch import Note, unwatched
from shopdsl.runtime.world import Trial

Event = dict[str, Any]
T = TypeVar("T")
CEILING = 10
"""A search for an item's own title must show it among so many results, or no agent could be blamed for missing it."""
SILENT_TURNS = 2
"""So many turns without a word or a call end a trial."""


@dataclass
class Ended(Exception):
    """The trial is over."""

    reason: str
    detail: str = ""


class Customer(Protocol):
    """Who talks with the agent."""

    async def speak(self) -> Event:
        """The next message, as an event."""


@dataclass
class Play:
    """A trial being played."""

    trial: Trial
    ledger: Ledger
    make_agent: Callable[[], Agent]
    customer: Customer
    encoder: Encoder | None
    max_calls: int
    patience: Patience
    note: Note = unwatched
    events: list[Event] = field(default_factory=list)
    silent: int = 0
    agent: Agent = field(init=False)
    state: State = field(init=False)
    faults: Faults = field(init=False)

    async def run(self) -> dict[str, Any]:
        """Play to the end; the result is the trial's record, without what the run adds."""
        started = time.perf_counter()
        self.agent, self.state = self.make_agent(), self.trial.opening()
        self.faults = self.trial.faults()
        self.max_calls = min(self.max_calls, self.trial.data.get("script", {}).get("limits", {}).get("calls", self.max_calls))
        try:
            await self._begin()
            await self._rounds()
        except Ended as end:
            reason, detail = end.reason, end.detail
        except AgentFault as fault:
            reason, detail = fault.reason, fault.detail
        finally:
            await self.agent.close()
        seconds = time.perf_counter() - started
        return self._record(reason, detail, seconds) | {"ceiling": await self._ceiling()}

    async def _ceiling(self) -> list[int]:
        """For each wanted item its rank in a search for its own title, 0 where it is not shown: what no agent can better is not its fault."""
        ranks = []
        for item in self.ledger.items:
            found = await self._encoded(lambda title=item.product.title: self.trial.store.search(title, CEILING))  # type: ignore[misc]
            ranks.append(found.index(item.product) + 1 if item.product in found else 0)
        return ranks

    async def _encoded(self, call: Callable[[], T]) -> T:
        """What a call of the store gives, once the queries that it needs have their vectors."""
        while True:
            try:
                return call()
            except Pending as pending:
                assert self.encoder is not None
                await self.encoder.prepare(pending.text)

    async def _begin(self) -> None:
        await self.agent.start({"type": "start", "system": self.trial.system, "tools": self.trial.store.schemas()})

    async def _afresh(self) -> None:
        """A new conversation with a new customer: the agent remembers nothing, and the cart is empty."""
        await self.agent.close()
        self.agent, self.state = self.make_agent(), self.trial.opening()
        await self._begin()

    async def _rounds(self) -> None:
        budget = min(self.trial.data["turn_budget"], MAX_TURNS)
        while True:
            event = await self.customer.speak()
            over = len(self.ledger.turns) >= budget
            if event["stop"] is None and over:
                raise Ended("budget_exhausted", f"{budget} messages")
            if event.get("fresh"):
                await self._afresh()
            self._note(event)
            if event["stop"] is not None:
                raise Ended(event["stop"])
            await self._agent_turn(event["text"])

    async def _agent_turn(self, text: str) -> None:
        self.patience.new_turn()
        action = await self._step({"type": "customer", "text": text})
        calls = 0
        while action["type"] == "call":
            calls += 1
            if calls > self.max_calls:
                raise Ended("tool_loop", f"more than {self.max_calls} calls in one turn")
            outcome = await self._call(action)
            action = await self._step({"type": "result", "id": action["id"], "result": outcome.result, "error": outcome.error})
        self._note({"type": "agent", "text": action["text"]})
        self.silent = 0 if calls or action["text"].strip() else self.silent + 1
        if self.silent >= SILENT_TURNS:
            raise Ended("agent_silent", f"{SILENT_TURNS} turns without a word or a call")

    async def _step(self, event: Event) -> Action:
        async with self.patience.running():
            return checked(await self.agent.step(event))

    async def _call(self, action: dict[str, Any]) -> Outcome:
        before = self.state.now()
        store = self.trial.store

        def call() -> tuple[Outcome, Event]:
            outcome = store.call(action["tool"], action["arguments"], self.state)
            return outcome, call_event(action, outcome, self.state, before, store.engine, self.ledger)

        fault = self.faults.next(action["tool"])
        if fault is not None and fault.wait:
            await asyncio.sleep(fault.wait)
        if fault is not None and fault.error:
            return self._failed(action, fault.error)
        started = time.perf_counter()
        outcome, event = await self._encoded(call)
        seconds = round(time.perf_counter() - started, 6)
        self.note({"event": "call", "tool": action["tool"], "error": outcome.error, "seconds": seconds})
        self._note(event)
        return outcome

    def _failed(self, action: dict[str, Any], error: str) -> Outcome:
        """A call that meets an injected fault: the shop has not seen it."""
        outcome = Outcome(error=error)
        event = call_event(action, outcome, self.state, self.state.now(), None, self.ledger)
        self.note({"event": "call", "tool": action["tool"], "error": error, "seconds": 0.0})
        self._note(event | {"fault": True})
        return outcome

    def _note(self, event: Event) -> None:
        self.events.append(event)
        self.ledger.feed(event)

    def _record(self, reason: str, detail: str, seconds: float) -> dict[str, Any]:
        order = self.state.order
        return {
            "trial": self.trial.id,
            "cohort": self.trial.data["cohort"],
            "task": self.trial.data["task"],
            "says": [i.say for i in self.ledger.items],
            "events": self.events,
            "end": {"reason": reason, "detail": detail},
            "final": {"cart": {p.id: self.state.cart[p] for p in self.state.cart}, "order": order.id if order else None},
            "seconds": seconds,
        }


def call_event(
    action: dict[str, Any], outcome: Outcome, state: State, before: Before, engine: Engine | None, ledger: Ledger
) -> Event:
    """The event of a call. Raises Pending where the query has no vector yet."""
    event: Event = {
        "type": "call",
        "id": action["id"],
        "tool": action["tool"],
        "args": action["arguments"],
        "result": outcome.result,
        "error": outcome.error,
        "finds": [p.id for p in outcome.finds],
        "query": outcome.query,
        "product": outcome.product.id if outcome.product else None,
        "quantity": outcome.quantity,
    }
    if near := _near(outcome, engine, ledger):
        event["near"] = near
    if state.cart is not before.cart:
        event["cart"] = {p.id: state.cart[p] for p in state.cart}
    if state.order is not before.order and state.order is not None:
        total = state.order.total
        event["order"] = {"id": state.order.id, "total": str(total.amount) if total else None}
    if changed := state.records.since(before.records):
        event["records"] = changed
    return event


def _near(outcome: Outcome, engine: Engine | None, ledger: Ledger) -> list[list[int]]:
    """The similarity of a query to every earlier one, in thousandths: scoring needs it, and only the engine can compute it."""
    if outcome.query is None or outcome.error is not None or engine is None:
        return []
    earlier = [c for c in ledger.calls if c.query is not None and c.error is None]
    return [[c.at, round(1000 * engine.nearness(outcome.query, c.query or ""))] for c in earlier]


def make_ledger(trial: Trial) -> Ledger:
    """An empty ledger for a trial."""
    store = trial.store
    tools = {name: (tool.kind, tool.role) for name, tool in store.tools.items()}
    fields = trial.persona.fields().get("message_length")
    cap = fields.fields().get("reply_cap") if fields is not None else None
    ledger = Ledger(trial.items(), trial.itinerary, trial.beats, tools, store.catalog, store.titles, cap)
    opening = trial.opening()
    ledger.opening = (opening.cart, opening.records.changed)
    ledger.cart, ledger.records = opening.cart, dict(opening.records.changed)
    return ledger
