"""An assistant that knows its shop as an MCP server: it searches for what the customer writes, adds the first product found, and checks out."""

import asyncio
import json
import sys
from typing import Any

from mcp import Client, StdioServerParameters

CLOSING = ("check out", "checkout", "order")


def server(address: str) -> str | StdioServerParameters:
    """Where the tools are: at the address itself, or behind a program that brings them to standard input and output."""
    return StdioServerParameters(command="shopdsl", args=["mcp", address]) if "--stdio" in sys.argv else address


async def call(shop: Client, tool: str, **arguments: Any) -> tuple[Any, str | None]:
    """What a tool gave, or why the shop refused."""
    result = await shop.call_tool(tool, arguments)
    text = result.content[0].text
    return (None, text) if result.is_error else (json.loads(text), None)


async def answer(shop: Client, text: str) -> str:
    """One turn: any number of calls, and what the customer reads in the end."""
    if any(word in text.lower() for word in CLOSING):
        _, error = await call(shop, "checkout", confirm=True)
        return f"That did not work: {error}" if error else "Thank you, your order is placed."
    found, error = await call(shop, "search_products", query=text, top_k=1)
    if not found:
        return error or "I found nothing like that."
    _, error = await call(shop, "add_to_cart", product_id=found[0]["product_id"])
    return f"That did not work: {error}" if error else f"{found[0]['title']} is in your cart."


async def main() -> None:
    start = json.loads(sys.stdin.readline())
    async with Client(server(start["mcp"])) as shop:
        while line := await asyncio.to_thread(sys.stdin.readline):
            said = await answer(shop, json.loads(line)["text"])
            print(json.dumps({"type": "say", "text": said}), flush=True)


asyncio.run(main())
