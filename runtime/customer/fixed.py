"""The customer of a case: says the texts that the case gives, one after the other, whatever the agent does."""

from __future__ import annotations

from typing import Any

from shopdsl.runtime.ledger import Ledger
from shopdsl.runtime.world import Trial

Event = dict[str, Any]


class FixedCustomer:
    """Plays the customer of one hand-written trial."""

    def __init__(self, trial: Trial, ledger: Ledger) -> None:
        self._messages: list[dict[str, Any]] = trial.data["script"]["messages"]
        self._ledger = ledger

    async def speak(self) -> Event:
        """The next message; after the last one the probe is over."""
        said = len(self._ledger.turns)
        if said >= len(self._messages):
            return _event("", "All that the case gives has been said.", "leave", "probe_over")
        message = self._messages[said]
        event = _event(message["text"], "The case gives this text.", "answer", None)
        marks = {k: True for k in ("twin", "fresh") if message[k]}
        return event | marks


def _event(text: str, why: str, action: str, stop: str | None) -> Event:
    return {
        "type": "customer", "text": text, "rationale": why, "frustration": 0, "next_action": action, "stop": stop,
        "beats": [], "directives": [], "gives": [], "asked": [], "due": [], "said": [],
    }  # fmt: skip
