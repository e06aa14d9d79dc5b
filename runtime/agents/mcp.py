"""Tools over MCP: one server on loopback for a whole run, a secret path for each conversation, and an agent that calls its tools there.

The inner agent gets `start` (with the address under `mcp`) and `customer`, and answers with one `say`. What it calls over MCP meanwhile reaches the
trial as `call` actions, one after the other in order of arrival, and the results go back over MCP.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from shopdsl.runtime.agents.conversations import Conversation
from shopdsl.runtime.agents.mcp_server import Listener, address
from shopdsl.runtime.agents.protocol import Action, Agent, AgentFault, Event

GRACE = 1
"""Seconds that an agent may take to be cancelled."""


class Hub:
    """The conversations of a run, and the server where they are found; it starts with the first of them."""

    def __init__(self) -> None:
        self._conversations: dict[str, Conversation] = {}
        self._listener: Listener | None = None

    async def open(self, tools: list[dict[str, Any]]) -> Conversation:
        """A new conversation; raises EndpointFault where there can be no server."""
        if self._listener is None:
            self._listener = Listener(self._conversations)
        listener = self._listener
        await listener.ready()
        token = secrets.token_urlsafe(24)
        conversation = Conversation(token, address(listener.port, token), tools)
        self._conversations[token] = conversation
        return conversation

    def end(self, conversation: Conversation) -> None:
        """Nothing is found at its address any more."""
        conversation.close()
        self._conversations.pop(conversation.token, None)

    async def close(self) -> None:
        """Stop the server; the next conversation would start another."""
        for conversation in list(self._conversations.values()):
            self.end(conversation)
        if self._listener is not None:
            listener, self._listener = self._listener, None
            await listener.close()


class McpAgent:
    """An agent whose calls come over MCP. `timeout` is for its next call or answer, in seconds; none where only the turn is limited."""

    def __init__(self, inner: Agent, hub: Hub, timeout: float | None) -> None:
        self._inner, self._hub, self._timeout = inner, hub, timeout
        self._conversation: Conversation | None = None
        self._turn: asyncio.Task[Action] | None = None
        self._calls = 0

    async def start(self, event: Event) -> None:
        """Tell the agent where its tools are; raises AgentFault or EndpointFault."""
        self._conversation = await self._hub.open(event["tools"])
        async with self._timed():
            await self._inner.start({**event, "mcp": self._conversation.url})

    async def step(self, event: Event) -> Action:
        """The next call that arrives, or what the agent says in the end; raises AgentFault or EndpointFault."""
        assert self._conversation is not None
        if event["type"] == "customer":
            self._turn = asyncio.create_task(self._inner.step(event))
            self._conversation.begin(self._turn)
        else:
            self._conversation.answer(event)
        async with self._timed():
            call = await self._conversation.next()
        if call is None:
            return self._said()
        self._calls += 1
        return {"type": "call", "id": self._calls, "tool": call.tool, "arguments": call.arguments}

    def _said(self) -> Action:
        assert self._turn is not None
        if self._turn.cancelled():
            raise AgentFault("agent_exited", "it cancelled its own turn")
        action = self._turn.result()
        if isinstance(action, dict) and action.get("type") == "call":
            raise AgentFault("agent_protocol", "an agent with `mcp: true` makes its calls over MCP, and answers with `say`")
        return action

    @asynccontextmanager
    async def _timed(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._timeout):
                yield
        except TimeoutError:
            raise AgentFault("agent_timeout", f"no answer within {self._timeout:g} s") from None

    async def close(self) -> None:
        """End the turn that may be running, and the agent."""
        if self._conversation is not None:
            self._hub.end(self._conversation)
        try:
            if self._turn is not None:
                self._turn.cancel()
                await asyncio.wait({self._turn}, timeout=GRACE)
                if self._turn.done() and not self._turn.cancelled():
                    self._turn.exception()  # asked for, so that nobody complains that it never was
        finally:
            await self._inner.close()
