"""Conversations whose calls arrive from elsewhere: each waits for its turn in the trial, and gets its result back."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from shopdsl.runtime.agents.protocol import Action, Event

NO_TURN = "no turn is running: tools can be called from the customer's message until the answer to it"
OVER = "there is no conversation at this address: it is over, or the address is wrong"


class NotNow(Exception):
    """A call that does not reach the trial."""


@dataclass
class ToolCall:
    """A call that waits for its result."""

    tool: str
    arguments: Any
    answer: asyncio.Future[Event]


@dataclass
class Conversation:
    """The tools of one trial, and the calls that have arrived and were not taken yet."""

    token: str
    url: str
    tools: list[dict[str, Any]]
    _turn: asyncio.Task[Action] | None = None
    _waiting: deque[ToolCall] = field(default_factory=deque)
    _taken: ToolCall | None = None
    _stirred: asyncio.Event = field(default_factory=asyncio.Event)

    async def call(self, tool: str, arguments: Any) -> Event:
        """The result of a call; raises NotNow where no turn is running, or the trial ends first."""
        if self._turn is None:
            raise NotNow(NO_TURN)
        call = ToolCall(tool, arguments, asyncio.get_running_loop().create_future())
        self._waiting.append(call)
        self._stirred.set()
        return await call.answer

    def begin(self, turn: asyncio.Task[Action]) -> None:
        """Calls are taken while this task runs."""
        self._turn = turn
        turn.add_done_callback(lambda _: self._stirred.set())

    async def next(self) -> ToolCall | None:
        """The next call; none when the turn has ended and all that came before its end was taken."""
        while self._turn is not None:
            while self._waiting:
                self._taken = self._waiting.popleft()
                if not self._taken.answer.done():  # its client has not gone
                    return self._taken
            if self._turn.done():
                self._turn = None
                break
            self._stirred.clear()
            await self._stirred.wait()
        return None

    def answer(self, result: Event) -> None:
        """Give back the result of the call that was taken last."""
        if self._taken is not None and not self._taken.answer.done():
            self._taken.answer.set_result(result)

    def close(self) -> None:
        """Refuse what waits and what still comes."""
        self._turn = None
        for call in (*self._waiting, *([self._taken] if self._taken else [])):
            if not call.answer.done():
                call.answer.set_exception(NotNow(OVER))
        self._waiting.clear()
