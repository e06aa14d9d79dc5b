"""The five fields in which a model plays the customer (arXiv 2609.16093, section 3.4), and how they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.runtime.models.answers import Unreadable, json_in, short

REASONS = ("frustrated", "gave_up")
ACTIONS = ("introduce", "explore", "defer", "recall", "add", "change", "drop", "answer", "complain", "checkout", "leave")
MOST_FRUSTRATED = 10
MOST_CHARACTERS = 2_000


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


SCHEMA = _object(
    rationale={"type": "string"},
    frustration={"type": "integer", "minimum": 0, "maximum": MOST_FRUSTRATED},
    message={"type": "string"},
    terminate=_object(stop={"type": "boolean"}, reason={"anyOf": [{"type": "string", "enum": list(REASONS)}, {"type": "null"}]}),
    next_action={"type": "string", "enum": list(ACTIONS)},
)


@dataclass(frozen=True)
class Said:
    """What the model wants to write; `stop` is the reason for which it wants to leave."""

    rationale: str
    frustration: int
    message: str
    stop: str | None
    action: str


def read_said(text: str) -> Said:
    """The five fields; raises Unreadable."""
    data = json_in(text)
    if not isinstance(data, dict):
        raise Unreadable("the answer is not one object")
    frustration, action = data.get("frustration"), data.get("next_action")
    if not isinstance(frustration, int) or isinstance(frustration, bool) or not 0 <= frustration <= MOST_FRUSTRATED:
        raise Unreadable(f"`frustration` is {short(frustration)}, and a whole number from 0 to {MOST_FRUSTRATED} is needed")
    if action not in ACTIONS:
        raise Unreadable(f"`next_action` is {short(action)}, which is none of {', '.join(ACTIONS)}")
    message = _text(data, "message").strip()
    if len(message) > MOST_CHARACTERS:
        raise Unreadable(f"`message` has more than {MOST_CHARACTERS:,} characters")
    return Said(_text(data, "rationale"), frustration, message, _stop(data.get("terminate")), action)


def _text(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str):
        raise Unreadable(f"`{name}` is {short(value)}, and a text is needed")
    return value.encode("utf-8", "replace").decode()


def _stop(data: Any) -> str | None:
    if not isinstance(data, dict) or not isinstance(data.get("stop"), bool):
        raise Unreadable(f"`terminate` is {short(data)}, and an object with `stop`, true or false, is needed")
    if not data["stop"]:
        return None
    if data.get("reason") not in REASONS:
        raise Unreadable(f"`reason` is {short(data.get('reason'))}, which is none of {', '.join(REASONS)}")
    return str(data["reason"])
