"""A model's endpoint in a process of its own, OpenAI-compatible: it answers by a script, after a delay, at next to no cost.

It prints its address, and stops when its standard input is closed. Each turn it calls the tools named by `--calls`, one an answer, and then says something.
With `--keep FILE` it writes the bodies of its requests there, one a line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

CONNECTIONS = 20_000
END = b"\r\n\r\n"
MODEL = "scripted"
CALLS: dict[str, dict[str, Any]] = {
    "search_products": {"query": "coffee beans", "top_k": 10},
    "get_product": {"product_id": "none"},
    "add_to_cart": {"product_id": "none", "quantity": 1},
}


def completion(message: dict[str, Any], finish: str) -> bytes:
    """A whole response, headers and all."""
    choice = {"index": 0, "message": {"role": "assistant", "content": None, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 900, "completion_tokens": 30, "total_tokens": 930}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice], "usage": usage}
    return _response("200 OK", json.dumps(body).encode())


def _response(status: str, body: bytes) -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


SAY = completion({"content": "Here is what I found."}, "stop")
NOT_HERE = _response("404 Not Found", b'{"error": {"message": "not here"}}')


def call(tool: str, product: str, number: int) -> bytes:
    """A call of a tool; where it needs a product, of the one that the search before it has found."""
    given = CALLS[tool]
    arguments = {**given, "product_id": product} if "product_id" in given else given
    function = {"name": tool, "arguments": json.dumps(arguments)}
    made = {"id": f"call_{number}", "type": "function", "function": function}
    return completion({"tool_calls": [made]}, "tool_calls")


class Script:
    """What is answered to a conversation: so many calls a turn, then a text."""

    def __init__(self, calls: list[str], keep: BinaryIO | None) -> None:
        self._calls, self._keep = calls, keep

    def answer(self, body: bytes) -> bytes:
        """The response to a request."""
        if self._keep is not None:
            self._keep.write(body + b"\n")
        if not self._calls:
            return SAY
        messages = json.loads(body)["messages"]
        made = next(i for i, m in enumerate(reversed(messages)) if m["role"] == "user") // 2
        if made >= len(self._calls):
            return SAY
        return call(self._calls[made], _found(messages[-1]), len(messages))


def _found(message: dict[str, Any]) -> str:
    """The first product in the result of a search."""
    try:
        return str(json.loads(message["content"])[0]["product_id"])
    except (ValueError, LookupError, TypeError):
        return "none"


class Connection(asyncio.Protocol):
    """One connection that is kept alive; requests on it come one after the other."""

    def __init__(self, script: Script, delay: float) -> None:
        self._script, self._delay = script, delay
        self._held = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._held += data
        while (request := self._whole()) is not None:
            here, body = request
            answer = self._script.answer(body) if here else NOT_HERE
            asyncio.get_running_loop().call_later(self._delay, self._send, answer)

    def _whole(self) -> tuple[bool, bytes] | None:
        """The next request that has come in whole: is it for chat completions, and its body."""
        head, end, rest = self._held.partition(END)
        if not end:
            return None
        length = next((int(line[15:]) for line in head.split(b"\r\n") if line[:15].lower() == b"content-length:"), 0)
        if len(rest) < length:
            return None
        self._held = rest[length:]
        return head.startswith(b"POST /v1/chat/completions "), rest[:length]

    def _send(self, answer: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(answer)


def open_files(wanted: int = CONNECTIONS) -> None:
    """Let this process hold so many connections, as far as the machine lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


async def serve(script: Script, delay: float) -> None:
    """Serve until standard input is closed."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(script, delay), "127.0.0.1", 0, backlog=4096)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


@contextmanager
def endpoint(delay: float = 0.0, calls: tuple[str, ...] = (), keep: Path | None = None) -> Iterator[str]:
    """The address of a server that runs while the block lasts."""
    command = [sys.executable, str(Path(__file__).resolve()), "--delay", str(delay), "--calls", ",".join(calls)]
    if keep is not None:
        command += ["--keep", str(keep)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def main() -> None:
    """Serve as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--calls", default="", help="tools that are called each turn, with commas between them")
    parser.add_argument("--keep", type=Path, help="a file for the bodies of requests")
    given = parser.parse_args()
    open_files()
    keep = given.keep.open("ab", buffering=0) if given.keep else None
    asyncio.run(serve(Script([c for c in given.calls.split(",") if c], keep), given.delay))


if __name__ == "__main__":
    main()
