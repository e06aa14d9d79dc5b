"""The built-in agents: an honest keyword shopper, one that does nothing, and one that knows the trial."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from shopdsl.runtime.agents.baseline import Shopper
from shopdsl.runtime.agents.oracle import Oracle
from shopdsl.runtime.agents.protocol import Action, AgentFault, Event
from shopdsl.runtime.ledger import Ledger
from shopdsl.runtime.world import Trial

Turn = Generator[Action, Event, str]


class Silent:
    """Says nothing and does nothing."""

    def begin(self, tools: list[dict[str, Any]]) -> None:
        """It needs no tools."""

    def turn(self, text: str) -> Turn:
        return ""
        yield {}


class Generated:
    """An agent whose turn is a generator: it yields calls, is sent results, and returns what it says."""

    def __init__(self, mind: Any) -> None:
        self._mind = mind
        self._turn: Turn | None = None

    async def start(self, event: Event) -> None:
        self._mind.begin(event["tools"])

    async def step(self, event: Event) -> Action:
        try:
            if event["type"] == "customer":
                self._turn = self._mind.turn(event["text"])
                return next(self._turn)
            assert self._turn is not None
            return self._turn.send(event)
        except StopIteration as done:
            return {"type": "say", "text": done.value}
        except (KeyError, TypeError, AttributeError) as error:  # a shop whose results it does not know
            raise AgentFault(
                "agent_exited", f"the built-in agent cannot use this shop: {type(error).__name__}: {error}"
            ) from None

    async def close(self) -> None:
        """Nothing to release."""


def builtin(name: str, trial: Trial, ledger: Ledger) -> Generated:
    """A built-in agent; only the oracle is given the trial."""
    if name == "oracle":
        return Generated(Oracle(trial, ledger))
    return Generated(Shopper() if name == "baseline" else Silent())
