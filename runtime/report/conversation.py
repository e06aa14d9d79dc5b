"""One trial as a conversation, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shopdsl.dsl.terminal import clean


def conversation(record: dict[str, Any]) -> Iterator[str]:
    """The lines of a record: messages, calls with what they showed or why they were refused, and the end."""
    yield f"trial {record['trial']}: {record['end']['reason']}" + (
        f" ({clean(record['end']['detail'])})" if record["end"]["detail"] else ""
    )
    for event in record["events"]:
        if event["type"] != "customer" or event["text"]:
            yield clean(_line(event))


def _line(event: dict[str, Any]) -> str:
    if event["type"] == "customer":
        by = f", by the {event['by']}" if "by" in event else ""
        return f"customer  {event['text']}   [frustration {event['frustration']}{by}]"
    if event["type"] == "agent":
        return f"agent     {event['text']}"
    outcome = f"refused: {event['error']}" if event["error"] else ", ".join(event["finds"][:5]) or "done"
    return f"    > {event['tool']} {event['args']} -> {outcome}"
