"""How a model is told of tools and calls them: with the tool calls of its server, or, where that has none, with JSON of a schema."""

from __future__ import annotations

import json
import re
from typing import Any, Protocol

from shopdsl.runtime.agents.protocol import Action, Event
from shopdsl.runtime.models.client import Account, Completion, ModelClient
from shopdsl.runtime.models.texts import spoken, to_send_back

Message = dict[str, Any]
MOST_BRACES = 20
"""At so many places of an answer its action is looked for."""


class Dialect(Protocol):
    """A way of calling tools."""

    def briefing(self, system: str) -> str:
        """The system prompt."""

    def heard(self, text: str) -> Message:
        """What the customer wrote, as a message."""

    def result(self, event: Event) -> Message:
        """The result of a call, as a message."""

    async def ask(self, client: ModelClient, messages: list[Message], account: Account) -> Completion:
        """The model's next answer."""

    def read(self, answer: Completion) -> tuple[Message, list[Action]]:
        """The answer as a message to be kept, and the actions in it: calls, or what is said."""


def say(text: str) -> Action:
    """The action of saying something."""
    return {"type": "say", "text": text}


class NativeCalls:
    """Tool calls as the protocol of chat completions has them, several at once if the model likes."""

    def __init__(self, tools: list[dict[str, Any]]) -> None:
        self._tools = [{"type": "function", "function": tool} for tool in tools]
        self._made = 0

    def briefing(self, system: str) -> str:
        return system

    def heard(self, text: str) -> Message:
        return {"role": "user", "content": text}

    def result(self, event: Event) -> Message:
        return {"role": "tool", "tool_call_id": event["id"], "content": _told(event)}

    async def ask(self, client: ModelClient, messages: list[Message], account: Account) -> Completion:
        return await client.complete(messages, account, **({"tools": self._tools} if self._tools else {}))

    def read(self, answer: Completion) -> tuple[Message, list[Action]]:
        calls = answer.message.get("tool_calls")
        known: set[str] = set()
        actions = [self._action(call, known) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
        message = to_send_back(answer.message, [_sent_back(a) for a in actions])
        return message, actions or [say(answer.text)]

    def _action(self, call: dict[str, Any], known: set[str]) -> Action:
        function = call.get("function") if isinstance(call.get("function"), dict) else {}
        assert isinstance(function, dict)
        id = call.get("id")
        while not isinstance(id, str) or not id or id in known:
            self._made += 1
            id = f"call_{self._made}"
        known.add(id)
        return {
            "type": "call",
            "id": id,
            "tool": str(function.get("name") or ""),
            "arguments": _arguments(function.get("arguments")),
        }


_NO_NAME = re.compile(r"[^a-zA-Z0-9_-]")
LONGEST_NAME = 64
"""What names of functions may be, as the protocol has it."""


def _arguments(given: Any) -> Any:
    """Arguments as an object, from its text; what is no JSON (NaN is none) stays text, which the shop refuses."""
    if isinstance(given, str) and not given.strip():
        return {}
    try:
        read = json.loads(given) if isinstance(given, str) else given
        plain = json.dumps(read, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        return json.loads(plain)
    except (ValueError, RecursionError):
        return given if isinstance(given, str) else str(given)


def _sent_back(action: Action) -> dict[str, Any]:
    """A call for the next request. Servers read it again: arguments that were none go back as an empty object, a name that no tool can have is mended."""
    arguments = action["arguments"] if isinstance(action["arguments"], dict) else {}
    name = _NO_NAME.sub("_", action["tool"])[:LONGEST_NAME] or "unknown"
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"id": action["id"], "type": "function", "function": function}


def _told(event: Event) -> str:
    told = {"error": event["error"]} if event["error"] is not None else event["result"]
    return json.dumps(told, ensure_ascii=False)


class JsonCalls:
    """One action an answer, as JSON of a schema, for servers whose models call no tools."""

    def __init__(self, tools: list[dict[str, Any]]) -> None:
        self._tools = tools
        self._made = 0

    def briefing(self, system: str) -> str:
        listed = "\n".join(json.dumps(t, ensure_ascii=False, sort_keys=True) for t in self._tools)
        return (
            f"{system}\n\nAnswer with one JSON object and nothing else: "
            '{"action": {"say": "what you tell the customer"}}, or, to use a tool, {"action": {"tool": "NAME", "arguments": {…}}}. '
            f"You are told each result. Your tools, with the JSON Schema of their arguments:\n{listed}"
        )

    def heard(self, text: str) -> Message:
        return {"role": "user", "content": f"The customer writes: {text}"}

    def result(self, event: Event) -> Message:
        return {"role": "user", "content": f"Result of the tool: {_told(event)}"}

    async def ask(self, client: ModelClient, messages: list[Message], account: Account) -> Completion:
        return await client.structured(messages, "action", self._schema(), account)

    def _schema(self) -> dict[str, Any]:
        calls = [_object(tool={"type": "string", "enum": [t["name"]]}, arguments=t["parameters"]) for t in self._tools]
        return _object(action={"anyOf": [*calls, _object(say={"type": "string"})]})

    def read(self, answer: Completion) -> tuple[Message, list[Action]]:
        text = spoken(answer.message)
        return {"role": "assistant", "content": text}, [self._action(text)]

    def _action(self, text: str) -> Action:
        """What is no such object is said to the customer as it is."""
        try:
            action = _found(text)
            if isinstance(action.get("tool"), str):
                self._made += 1
                arguments = _arguments(action.get("arguments"))
                return {"type": "call", "id": f"call_{self._made}", "tool": action["tool"], "arguments": arguments}
            return say(action["say"] if isinstance(action["say"], str) else text)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return say(text)


def _found(text: str) -> dict[str, Any]:
    """The action in a text that may have braces before it; raises ValueError."""
    for place in list(re.finditer(r"\{", text))[:MOST_BRACES]:
        try:
            value, _ = json.JSONDecoder().raw_decode(text, place.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(value.get("action"), dict):
            action: dict[str, Any] = value["action"]
            return action
    raise ValueError("no action")


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
