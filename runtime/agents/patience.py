"""How long an agent may take for a turn and for a trial. What infrastructure makes it wait for is not its time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from shopdsl.runtime.agents.protocol import AgentFault


class Patience:
    """The agent's clock: it runs while the agent is asked for its next action."""

    def __init__(self, turn: float, trial: float) -> None:
        self._turn, self._trial = turn, trial
        self._turn_left, self._trial_left = turn, trial
        self._timeout: asyncio.Timeout | None = None
        self._since = 0.0

    def new_turn(self) -> None:
        """The customer has written something."""
        self._turn_left = self._turn

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The agent's time; raises AgentFault (agent_timeout) when it is over."""
        try:
            async with asyncio.timeout(self._left()) as self._timeout:
                self._since = asyncio.get_running_loop().time()
                yield
                self._settle()
        except TimeoutError:
            raise self._over() from None

    @contextmanager
    def away(self) -> Iterator[None]:
        """Somebody else's time: an endpoint that must be waited for. What of it was the agent's is charged afterwards."""
        assert self._timeout is not None
        self._settle()
        self._timeout.reschedule(None)
        try:
            yield
        finally:
            now = self._since = asyncio.get_running_loop().time()
            self._timeout.reschedule(now + self._left())

    def charge(self, seconds: float) -> None:
        """So much was the agent's own; raises AgentFault (agent_timeout)."""
        self._spend(seconds)
        if self._left() <= 0:
            raise self._over()

    def _left(self) -> float:
        return min(self._turn_left, self._trial_left)

    def _settle(self) -> None:
        now = asyncio.get_running_loop().time()
        self._spend(now - self._since)
        self._since = now

    def _spend(self, seconds: float) -> None:
        self._turn_left -= seconds
        self._trial_left -= seconds

    def _over(self) -> AgentFault:
        turn = self._turn_left <= self._trial_left
        what, most = ("one turn", self._turn) if turn else ("one trial", self._trial)
        return AgentFault("agent_timeout", f"more than {most:g} s for {what}")
