"""What a model said, out of the message in which its server sent it."""

from __future__ import annotations

from typing import Any

OPENS, CLOSES = "<think>", "</think>"
"""Between them some servers send a model's reasoning, before its answer."""
REASONING = ("reasoning_content", "reasoning", "reasoning_details")
"""Where servers put it otherwise; they want it back in the next request."""


def is_text(content: Any) -> bool:
    """Is a message's content text, in one piece or in parts, or nothing at all?"""
    return isinstance(content, str | None) or (
        isinstance(content, list) and all(isinstance(p, dict) and isinstance(p.get("text", ""), str) for p in content)
    )


def spoken(message: dict[str, Any]) -> str:
    """The text of a message, from one string or from parts, or the words in which the model refuses."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(p.get("text", "") for p in content)
    text = content or message.get("refusal") or ""
    return _answer(str(text)).strip().encode("utf-8", "replace").decode()


def _answer(text: str) -> str:
    """A text without the thought before it: one that was cut short has no end, one that the server began for the model has no beginning."""
    thought, closes, rest = text.partition(CLOSES)
    opened = thought.lstrip().startswith(OPENS)
    if closes and (opened or OPENS not in thought):
        return rest
    return "" if opened else text


def to_send_back(message: dict[str, Any], calls: list[dict[str, Any]]) -> dict[str, Any]:
    """A model's message for the next request: its text, the calls that were made of it, and its reasoning where the server sent it."""
    kept = {k: message[k] for k in REASONING if message.get(k)}
    content = message.get("content")
    if content is None and not calls:  # which servers take from no model, also where they sent it themselves
        content = spoken(message)
    sent: dict[str, Any] = {"role": "assistant", "content": content, **kept}
    return sent | ({"tool_calls": calls} if calls else {})
