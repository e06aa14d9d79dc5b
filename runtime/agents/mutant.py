"""An agent with a habit: what another agent does, rewritten by the rules of a `mutant` spec. It is told the trial, for proofs and studies."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from typing import Any

from shopdsl.dsl.catalog import Product
from shopdsl.dsl.env import Env, Lazy
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.loops import Compiled
from shopdsl.dsl.random import Stream
from shopdsl.dsl.values import Bag
from shopdsl.runtime.agents.protocol import Action, Agent, Event
from shopdsl.runtime.evidence import case_row
from shopdsl.runtime.ledger import Ledger
from shopdsl.runtime.world import Trial


class Habit:
    """One compiled rule."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.at: str = data["at"]
        self.drop, self.instead, self.tool = data["drop"], data["instead"], data["tool"]
        self.when, self.repeat, self.say = _tree(data["when"]), _tree(data["repeat"]), _tree(data["say"])
        self.set: dict[str, Compiled] = {k: guarded(compile_tree(t)) for k, t in data["set"].items()}
        self.calls, self.then = _calls(data["calls"]), _calls(data["then"])


Calls = list[tuple[str, dict[str, Compiled]]]


def _tree(tree: Any) -> Compiled | None:
    return None if tree is None else guarded(compile_tree(tree))


def _calls(data: list[dict[str, Any]]) -> Calls:
    return [(c["tool"], {k: guarded(compile_tree(t)) for k, t in c["with"].items()}) for c in data]


@dataclass
class Intent:
    """A call that the agent is about to make, as expressions see it."""

    tool: str
    kind: str
    role: str
    query: str | None
    product: Product | None
    quantity: int | None


setattr(Intent, "class", property(lambda self: self.kind))


class Mutant:
    """Plays another agent and rewrites what it does."""

    def __init__(self, inner: Agent, habits: list[dict[str, Any]], trial: Trial, ledger: Ledger) -> None:
        self._inner, self._trial, self._ledger = inner, trial, ledger
        self._habits = [Habit(h) for h in habits]
        self._drawn = self._extra = 0
        self._turn: AsyncGenerator[Action, Event] | None = None

    async def start(self, event: Event) -> None:
        await self._inner.start(event)

    async def step(self, event: Event) -> Action:
        if event["type"] == "customer":
            self._turn = self._play(event)
            return await anext(self._turn)
        assert self._turn is not None
        return await self._turn.asend(event)

    async def close(self) -> None:
        await self._inner.close()

    async def _play(self, event: Event) -> AsyncGenerator[Action, Event]:
        for habit in self._fitting("turn", {}):
            for call in self._made(habit.calls, {}):
                yield call
            if habit.instead:
                yield {"type": "say", "text": self._said(habit, "")}
                return
        action = await self._inner.step(event)
        while action["type"] == "call":
            result: Event = {"result": None, "error": None}
            for made in self._rewritten(action):
                answer = yield made
                result = answer if made["id"] == action["id"] else result
            action = await self._inner.step({**result, "type": "result", "id": action["id"]})
        text = action["text"]
        for habit in self._fitting("say", {"text": text}):
            for call in self._made(habit.calls, {"text": text}):
                yield call
            text = self._said(habit, text)
        yield {"type": "say", "text": text}

    def _said(self, habit: Habit, text: str) -> str:
        return str(habit.say(self._env({"text": text}))) if habit.say is not None else text

    def _rewritten(self, action: Action) -> Iterator[Action]:
        """The calls that are made instead of one."""
        times, dropped = 1, False
        after: list[tuple[Calls, dict[str, Any]]] = []
        for habit in self._habits:
            names = {"call": self._intent(action)}
            if not self._fits(habit, "call", names):
                continue
            yield from self._made(habit.calls, names)
            given = {k: _plain(run(self._env(names))) for k, run in habit.set.items()}
            action = {**action, "tool": habit.tool or action["tool"], "arguments": {**action["arguments"], **given}}
            times = int(habit.repeat(self._env(names)) or 0) if habit.repeat is not None else times
            dropped = dropped or habit.drop
            after.append((habit.then, names))
        yield from [action] * (0 if dropped else times)
        for calls, names in after:  # their arguments see what the call has done
            yield from self._made(calls, names)

    def _made(self, calls: Calls, names: dict[str, Any]) -> Iterator[Action]:
        """Calls of the habit's own; one whose argument is none is not made."""
        for tool, given in calls:
            arguments = {k: _plain(run(self._env(names))) for k, run in given.items()}
            if None not in arguments.values():
                self._extra += 1
                yield {"type": "call", "id": f"habit {self._extra}", "tool": tool, "arguments": arguments}

    def _fitting(self, at: str, names: dict[str, Any]) -> Iterator[Habit]:
        return (h for h in self._habits if self._fits(h, at, names))

    def _fits(self, habit: Habit, at: str, names: dict[str, Any]) -> bool:
        return habit.at == at and (habit.when is None or bool(habit.when(self._env(names))))

    def _intent(self, action: Action) -> Intent:
        tool = self._trial.store.tools.get(action["tool"])
        args = action["arguments"] if isinstance(action["arguments"], dict) else {}
        product = next((p for v in args.values() if isinstance(v, str) and (p := self._ledger.catalog.by_id.get(v))), None)
        query, quantity = args.get("query"), args.get("quantity")
        return Intent(
            action["tool"], tool.kind if tool else "unknown", tool.role if tool else "unknown",
            query if isinstance(query, str) else None, product, quantity if isinstance(quantity, int) else None,
        )  # fmt: skip

    def _env(self, names: dict[str, Any]) -> Env:
        self._drawn += 1
        return Env({**self._seen(), **names}, Stream(self._trial.data["seed"], "habit", self._drawn))

    def _seen(self) -> dict[str, Any]:
        ledger, trial = self._ledger, self._trial
        turn, drawn = len(ledger.turns), trial.data["drawn"]
        return {
            "persona": trial.persona, "tier": drawn.get("tier", ""), "difficulty": drawn.get("difficulty"),
            "customer": ledger.turns[-1].customer if ledger.turns else "", "turn": turn, "items": ledger.items,
            "target": Lazy(lambda: Bag({i.product: i.quantity for i in ledger.items})), "asked": ledger.asked, "due": ledger.due,
            "sought": Lazy(lambda: ledger.sought), "seen": ledger.seen, "beats": Lazy(lambda: [b for b in ledger.beats if b.turn == turn]),
            "cart": ledger.cart, "order": ledger.order, "store": trial.store, "fixtures": list(trial.fixtures.values()),
            "case": case_row(trial.case), "twin": ledger.twin,
        }  # fmt: skip


def _plain(value: Any) -> Any:
    return getattr(value, "id", value)
