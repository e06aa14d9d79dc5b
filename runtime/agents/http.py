"""An agent behind an address of its own: what it is told is posted to it as JSON, and its answer holds its actions.

One request holds `{"conversation", "number", "events"}`: the events since the last answer; `number` counts the requests of a conversation, so that
a server can tell one that was repeated because its answer was lost. The answer is `{"actions": […]}`: calls, whose results come with the next
request, or one `say`. Events and actions are those of `protocol.py`; the last request of a conversation holds the event `end`, and its answer is
not read.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import uuid
from typing import Any

from shopdsl.runtime.agents.protocol import Action, AgentFault, Event
from shopdsl.runtime.models.faults import EndpointFault
from shopdsl.runtime.models.retry import wait_before

RETRIES = 5
MAX_ANSWER = 1_000_000
FAREWELL = 5
"""Seconds that a server may take to hear of the end."""


class HttpAgent:
    """One conversation of an agent at an address."""

    def __init__(self, address: str, timeout: float) -> None:
        self._address, self._timeout = address, timeout
        self._conversation = uuid.uuid4().hex
        self._number = 0
        self._http: Any = None
        self._untold: list[Event] = []
        self._waiting: list[Action] = []

    async def start(self, event: Event) -> None:
        """Opens the connection; the server hears of the start with the first message."""
        import httpx2

        proxied = self._address.startswith("https:")
        self._http = httpx2.AsyncClient(timeout=self._timeout, follow_redirects=False, trust_env=proxied)
        self._untold.append(event)

    async def step(self, event: Event) -> Action:
        """The next action that the server gave, or its answer to all that it has not been told; raises AgentFault or EndpointFault."""
        self._untold.append(event)
        if not self._waiting:
            self._waiting = _actions(await self._post())
            self._untold = []
        return self._waiting.pop(0)

    async def _post(self) -> bytes:
        """The answer to what has not been told; an address that cannot be reached is nobody's fault."""
        self._number += 1
        attempt = 0
        while True:
            attempt += 1
            status, headers, content, why = await self._send()
            if status == 200:
                return content
            wait = wait_before(attempt, status, headers)
            if wait is None:
                raise AgentFault("agent_protocol", f"its server answers with {why}")
            if attempt > RETRIES:
                raise EndpointFault(f"{self._address}: {why}")
            await asyncio.sleep(wait)

    async def _send(self) -> tuple[int, dict[str, str], bytes, str]:
        """Status (0: no answer), headers and content of one try, and in words what was wrong with it."""
        import httpx2

        body = {"conversation": self._conversation, "number": self._number, "events": self._untold}
        try:
            async with asyncio.timeout(self._timeout), self._http.stream("POST", self._address, json=body) as answer:
                content = await _content(answer)
        except (TimeoutError, httpx2.ReadTimeout):
            raise AgentFault("agent_timeout", f"no answer within {self._timeout:g} s") from None
        except httpx2.HTTPError as error:
            return 0, {}, b"", str(error) or type(error).__name__
        return answer.status_code, dict(answer.headers), content, f"status {answer.status_code}"

    async def close(self) -> None:
        """Tell the server that the conversation is over."""
        if self._http is None:
            return
        if self._number:
            self._untold, self._number = [{"type": "end"}], self._number + 1
            with contextlib.suppress(AgentFault, TimeoutError):
                async with asyncio.timeout(FAREWELL):  # nobody's clock runs any more
                    await self._send()
        await self._http.aclose()


async def _content(answer: Any) -> bytes:
    """The whole answer; raises AgentFault as soon as it is too long, for it may be packed."""
    content = bytearray()
    async for part in answer.aiter_bytes():
        content += part
        if len(content) > MAX_ANSWER:
            raise AgentFault("agent_protocol", f"an answer of more than {MAX_ANSWER:,} bytes")
    return bytes(content)


def _actions(content: bytes) -> list[Action]:
    """The actions of an answer; what they must look like is checked where every agent's are."""
    if len(content) > MAX_ANSWER:
        raise AgentFault("agent_protocol", f"an answer of more than {MAX_ANSWER:,} bytes")
    try:
        data = json.loads(content)
        actions = data["actions"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise AgentFault("agent_protocol", f"no object with `actions`: {content[:80]!r}") from None
    if not isinstance(actions, list) or not actions:
        raise AgentFault("agent_protocol", "`actions` is a list of at least one action")
    says = [a for a in actions if isinstance(a, dict) and a.get("type") == "say"]
    if says and len(actions) > 1:
        raise AgentFault("agent_protocol", "`say` ends a turn, and stands alone")
    return actions
