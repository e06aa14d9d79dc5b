"""An agent as a program: it searches for what the customer writes and buys the first product found."""

import json
import sys
from typing import Any


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "call", "id": tool, "tool": tool, "arguments": arguments}


def answer(event: dict[str, Any]) -> dict[str, Any]:
    """The next action after a message of the customer or the result of a call."""
    if event["type"] == "customer":
        closing = any(word in event["text"].lower() for word in ("check out", "checkout", "order"))
        return call("checkout", confirm=True) if closing else call("search_products", query=event["text"], top_k=1)
    if event["error"]:
        return {"type": "say", "text": f"That did not work: {event['error']}"}
    if event["id"] == "search_products" and event["result"]:
        return call("add_to_cart", product_id=event["result"][0]["product_id"])
    return {"type": "say", "text": "It is done."}


for line in sys.stdin:  # the first line is `start`: a system prompt and the tools, which need no answer
    if (event := json.loads(line))["type"] != "start":
        print(json.dumps(answer(event)), flush=True)
