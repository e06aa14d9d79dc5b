"""What an agent is to the runtime: it is told events and answers with actions, one at a time.

Events: `{"type": "start", "system", "tools"}`, `{"type": "customer", "text"}`, `{"type": "result", "id", "result", "error"}`. Actions, in answer to
`customer` and `result`: `{"type": "call", "id", "tool", "arguments"}` or `{"type": "say", "text"}`.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, Protocol

LONGEST = 2_000
"""Of what an agent says of its own failure so many characters are kept."""

Event = dict[str, Any]
Action = dict[str, Any]


class Agent(Protocol):
    """One agent in one trial."""

    async def start(self, event: Event) -> None:
        """Begin a trial."""

    async def step(self, event: Event) -> Action:
        """The next action."""

    async def close(self) -> None:
        """End the trial, whatever happened."""


class AgentFault(Exception):
    """The agent failed; `reason` is the end reason of the trial."""

    def __init__(self, reason: str, detail: str) -> None:
        detail = detail[:LONGEST].encode("utf-8", "replace").decode()
        super().__init__(detail)
        self.reason, self.detail = reason, detail


def checked(action: Any) -> Action:
    """An action of the right form; raises AgentFault (agent_protocol)."""
    try:
        action = json.loads(json.dumps(action))  # keys become text, tuples lists: a callable may give anything
    except (TypeError, ValueError, RecursionError) as error:
        raise AgentFault("agent_protocol", f"an action is JSON: {_short(error)}") from None
    if not isinstance(action, dict):
        raise AgentFault("agent_protocol", f"an action is an object, not {type(action).__name__}: {_short(action)}")
    if action.get("type") == "say":
        if not isinstance(action.get("text"), str):
            raise AgentFault("agent_protocol", f"`say` needs a text: {_short(action)}")
        return {"type": "say", "text": clean(action["text"][:20_000])}
    if action.get("type") == "call":
        if not isinstance(action.get("tool"), str):
            raise AgentFault("agent_protocol", f"`call` needs the name of a tool: {_short(action)}")
        arguments = action.get("arguments")
        return {
            "type": "call",
            "id": clean(action.get("id")),
            "tool": clean(action["tool"]),
            "arguments": {} if arguments is None else clean(arguments),
        }
    raise AgentFault("agent_protocol", f"an action is `call` or `say`: {_short(action)}")


MAX_DEPTH = 40


def clean(value: Any, depth: int = 0) -> Any:
    """A value that a record can hold: without halves of surrogate pairs, infinite numbers as text; raises AgentFault where it nests too deeply."""
    if depth > MAX_DEPTH:
        raise AgentFault("agent_protocol", f"a call nests deeper than {MAX_DEPTH} levels")
    match value:
        case str():
            return value if value.isascii() else value.encode("utf-8", "replace").decode()
        case float():
            return value if isfinite(value) else str(value)
        case list():
            return [clean(v, depth + 1) for v in value]
        case dict():
            return {clean(k): clean(v, depth + 1) for k, v in value.items()}
    return value


def _short(value: Any) -> str:
    text = str(value).encode("utf-8", "replace").decode()
    return text if len(text) <= 120 else text[:117] + "…"
