"""Conversations of a shop as Inspect has them: tools, calls and results, from actions and from records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser
from inspect_ai.tool import ToolCall, ToolCallError, ToolInfo, ToolParams

from shopdsl.runtime.agents.protocol import Action, Event


def tool_info(tool: dict[str, Any]) -> ToolInfo:
    """A tool of the shop, as models are told of it."""
    return ToolInfo(name=tool["name"], description=tool["description"], parameters=ToolParams(**tool["parameters"]))


def actions(message: ChatMessageAssistant, place: int) -> list[Action]:
    """The calls of a message that stands at this place, each with an id of its own; what could not be read stays text, which the shop refuses."""
    known: set[str] = set()
    found: list[Action] = []
    for at, call in enumerate(message.tool_calls or []):
        if not call.id or call.id in known:  # its result is told under this id
            call.id = f"call_{place}_{at}"
        known.add(call.id)
        arguments = call.parse_error if call.parse_error is not None else call.arguments
        found.append({"type": "call", "id": call.id, "tool": call.function, "arguments": arguments})
    return found


def told(event: Event, call: str, tool: str) -> ChatMessageTool:
    """The result of a call, as a model is told of it."""
    error = event["error"]
    content = json.dumps({"error": error} if error is not None else event.get("result"), ensure_ascii=False)
    failure = ToolCallError("unknown", error) if error is not None else None
    return ChatMessageTool(content=content, tool_call_id=call, function=tool, error=failure)


def conversation(record: dict[str, Any], system: str) -> list[ChatMessage]:
    """The messages of a record; each call stands in a message of its own, for a record does not say which were made at once."""
    found: list[ChatMessage] = _begun(system)
    for at, event in enumerate(record["events"]):
        found.extend(_begun(system) if event.get("fresh") and at else [])
        found.extend(_of(event, at))
    return found


def _begun(system: str) -> list[ChatMessage]:
    return [ChatMessageSystem(content=system)] if system else []


def _of(event: dict[str, Any], at: int) -> Iterator[ChatMessage]:
    match event["type"]:
        case "customer":
            yield ChatMessageUser(content=event["text"])
        case "agent":
            yield ChatMessageAssistant(content=event["text"])
        case "call":
            yield ChatMessageAssistant(content="", tool_calls=[_call(event, f"call_{at}")])
            yield told(event, f"call_{at}", event["tool"])


def _call(event: dict[str, Any], id: str) -> ToolCall:
    args = event.get("args")
    if isinstance(args, dict):
        return ToolCall(id=id, function=event["tool"], arguments=args)
    return ToolCall(id=id, function=event["tool"], arguments={}, parse_error=f"no object: {json.dumps(args)}")
