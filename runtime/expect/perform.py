"""Plays given replies in a case without an agent, a customer or a clock, and says what the case finds of them. For proofs."""

from __future__ import annotations

from typing import Any

from shopdsl.dsl.library.commerce import total
from shopdsl.dsl.values import Bag
from shopdsl.runtime.evidence import Final, case_row
from shopdsl.runtime.expect.listed import Listed
from shopdsl.runtime.expect.oracle import RETRIES, Reply
from shopdsl.runtime.expect.scene import Scene
from shopdsl.runtime.expect.solve import case_values
from shopdsl.runtime.expect.verdict import Verdict, verdict
from shopdsl.runtime.forbidden import Prohibition, forbidden
from shopdsl.runtime.ledger import Ledger
from shopdsl.runtime.shop.direct import call_directly
from shopdsl.runtime.shop.encoder import Encoder
from shopdsl.runtime.shop.faults import Faults
from shopdsl.runtime.shop.state import State
from shopdsl.runtime.shop.tools import Outcome
from shopdsl.runtime.trial import call_event, make_ledger
from shopdsl.runtime.world import Trial


class Performer:
    """Plays replies in trials; the encoder is for stores that search by meaning."""

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder

    def perform(self, trial: Trial, replies: list[Reply]) -> Verdict | None:
        """What the case of a trial finds."""
        ledger = self._played(trial, replies)
        assert trial.case is not None
        names = {**trial.names, **case_values(trial.case, trial)}
        final = Final(ledger.cart, ledger.order, total(ledger.cart))
        rules = [Prohibition(r) for r in trial.case["forbid"]]
        broken = [e.name for e in forbidden(rules, ledger, final, trial.names)]
        return verdict(Scene(trial, ledger, names, lambda: _everything(trial, ledger)), broken)

    def _played(self, trial: Trial, replies: list[Reply]) -> Ledger:
        ledger, state, faults = make_ledger(trial), trial.opening(), trial.faults()
        for message, reply in zip(trial.data["script"]["messages"], replies, strict=True):
            if message["twin"]:
                break
            ledger.feed(_customer(message["text"]))
            left = trial.data["script"].get("limits", {}).get("calls", len(reply.calls) * (1 + RETRIES))
            for call in reply.calls:
                left = self._attempt(trial, state, ledger, faults, call, left)
            if left < 0:  # as in a run, it ends here
                break
            ledger.feed({"type": "agent", "text": reply.say})
        return ledger

    def _attempt(self, trial: Trial, state: State, ledger: Ledger, faults: Faults, call: Listed, left: int) -> int:
        """Make a call, again where its tool has a fault; the result is how many calls are left, below 0 where one too many was tried."""
        for place in range(1 if call.refused else 1 + RETRIES):
            left -= 1
            if left < 0:
                break
            action = {"id": place, "tool": call.tool, "arguments": call.args}
            fault = faults.next(call.tool)
            if fault is None or not fault.error:
                self._call(trial, state, ledger, action)
                break
            outcome = Outcome(error=fault.error)
            ledger.feed(call_event(action, outcome, state, state.now(), None, ledger) | {"fault": True})
        return left

    def _call(self, trial: Trial, state: State, ledger: Ledger, action: dict[str, Any]) -> None:
        before = state.now()
        outcome = call_directly(trial.store, action["tool"], action["arguments"], state, self._encoder)
        ledger.feed(call_event(action, outcome, state, before, None, ledger))


def _customer(text: str) -> dict[str, Any]:
    return {
        "type": "customer", "text": text, "rationale": "", "frustration": 0, "next_action": "", "stop": None, "beats": [],
        "directives": [], "gives": [], "asked": [], "due": [], "said": [],
    }  # fmt: skip


def _everything(trial: Trial, ledger: Ledger) -> dict[str, Any]:
    """What a condition of a case can ask of a trial that was not played by a run."""
    agent = [m for m in ledger.messages if m.role == "agent"]
    return {
        "messages": ledger.messages, "agent_messages": agent, "customer_messages": [m for m in ledger.messages if m.role == "customer"],
        "answer": agent[-1].text if agent else None, "turns": ledger.turns, "calls": ledger.calls,
        "searches": [c for c in ledger.calls if c.kind == "retrieval" and c.error is None], "items": ledger.items, "beats": ledger.beats,
        "final": Final(ledger.cart, ledger.order, total(ledger.cart)), "target": Bag(), "target_set": frozenset(), "case": case_row(trial.case),
        "cohort": trial.data["cohort"], "persona": trial.persona, "tier": "", "difficulty": None, "reveal": "", "turn_budget": len(ledger.turns),
        "frustration": ledger.frustration, "rationales": ledger.rationales, "forbidden": [], "prohibitions": 0, "expected": [], "penalties": {},
        "end": None, "success": None, "groups": [], "checks": [], "assertions": [],
    }  # fmt: skip
