"""A model's endpoint on loopback, OpenAI-compatible, that answers as a test says and misbehaves on command."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What is sent back: a text, in a completion; or `body` as it is. `drop` closes the connection without a word."""

    text: str | None = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    drop: bool = False
    message: dict[str, Any] = field(default_factory=dict)

    def as_bytes(self) -> bytes:
        if self.body is not None:
            return self.body
        message = {"role": "assistant", "content": self.text, **self.message}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}).encode()


@dataclass(frozen=True)
class Request:
    """What was asked, and with which headers (their names in lower case)."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """The last message of the conversation."""
        return str(self.body["messages"][-1]["content"])


Answer = Callable[[Request], "Reply | str"]


def refuse(status: int, message: str, **headers: str) -> Reply:
    """An error as endpoints send it."""
    return Reply(status=status, headers=headers, body=json.dumps({"error": {"message": message}}).encode())


class Endpoint:
    """Where it is, what it was asked, and `answer`, which may be replaced between requests."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def prompts(self) -> list[str]:
        return [r.prompt for r in self.requests]

    def reply(self, request: Request) -> Reply:
        """Note a request and answer it; called from several threads."""
        with self._lock:
            self.requests.append(request)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            made = self.answer(request)
            return Reply(made) if isinstance(made, str) else made
        finally:
            with self._lock:
                self._at_once -= 1

    def _serve(self) -> None:
        self._server.serve_forever(poll_interval=0.02)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


@contextmanager
def serving(answer: Answer) -> Iterator[Endpoint]:
    """An endpoint, while the block lasts."""
    endpoint = Endpoint(answer)
    thread = threading.Thread(target=endpoint._serve, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.close()
        thread.join()


def _handler(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            headers = {k.lower(): v for k, v in self.headers.items()}
            request = Request(self.path, headers, json.loads(self.rfile.read(length)))
            reply = endpoint.reply(request) if self.path == "/v1/chat/completions" else refuse(404, f"no {self.path} here")
            if reply.drop:
                self.close_connection = True
                return
            self._send(reply)

        def _send(self, reply: Reply) -> None:
            body = reply.as_bytes()
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **reply.headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing: a test's output is the tool's."""

    return Handler
