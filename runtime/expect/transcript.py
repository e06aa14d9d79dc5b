"""A conversation that was played, as fixed messages and replies: a case whose wishes come out by plan is then proved like any other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from shopdsl.runtime.expect.listed import Listed
from shopdsl.runtime.expect.oracle import Part, Reply
from shopdsl.runtime.world import Trial


def transcript(trial: Trial, record: dict[str, Any]) -> tuple[Trial, list[Reply]]:
    """The trial with the messages that its customer wrote, and what the agent did about each."""
    messages: list[dict[str, Any]] = []
    replies: list[Reply] = []
    for event in record["events"]:
        if event["type"] == "customer" and event["stop"] is None:
            messages.append({"text": event["text"], "fresh": False, "twin": False})
            replies.append(Reply())
        elif event["type"] == "call" and not event.get("fault"):
            replies[-1].calls.append(Listed("", event["tool"], event["args"]))
        elif event["type"] == "agent" and event["text"]:
            replies[-1].parts.append(Part(event["text"], {"op": "played"}))
    script = trial.data["script"] | {"messages": messages}
    return replace(trial, data=trial.data | {"script": script}), replies
