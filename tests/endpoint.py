"""A model's endpoint on loopback, OpenAI-compatible, that answers as a test says and misbehaves on command."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What is sent back: a text, in a completion; or `body` as it is. `drop` closes the connection without a word.

    `delay` waits before the answer; `cut` promises so many bytes more than are sent; `drip` waits between the bytes.
    """

    text: str | None = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    drop: bool = False
    message: dict[str, Any] = field(default_factory=dict)
    finish: Any = "stop"
    usage: Any = None
    delay: float = 0.0
    cut: int = 0
    drip: float = 0.0

    def as_bytes(self) -> bytes:
        if self.body is not None:
            return self.body
        message = {"role": "assistant", "content": self.text, **self.message}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        counted = {} if self.usage is None else {"usage": self.usage}
        return json.dumps(
            {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], **counted}
        ).encode()


@dataclass(frozen=True)
class Request:
    """What was asked, and with which headers (their names in lower case); `at` is the time in seconds."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float = 0.0

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])

    @property
    def prompt(self) -> str:
        """The last message of the conversation."""
        return str(self.messages[-1]["content"])

    @property
    def key(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")


Answer = Callable[[Request], "Reply | str"]


def refuse(status: int, message: str, **headers: str) -> Reply:
    """An error as endpoints send it."""
    return Reply(status=status, headers=headers, body=json.dumps({"error": {"message": message}}).encode())


def too_long() -> Reply:
    """The error of a conversation that no longer fits."""
    return refuse(400, "This model's maximum context length is 4096 tokens; your request has 5000.")


def wants(name: Any, arguments: Any, id: Any = None) -> dict[str, Any]:
    """A tool call as models send it; arguments that are no text yet become one, as the protocol has it."""
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"type": "function", "function": {"name": name, "arguments": given}} | ({} if id is None else {"id": id})


def calling(*calls: Any, text: str | None = None, usage: Any = None, **message: Any) -> Reply:
    """A completion that calls tools, several at once if so many are given; `message` adds to it, such as reasoning."""
    return Reply(text, message={"tool_calls": list(calls), **message}, finish="tool_calls", usage=usage)


def used(read: int, made: int, cached: int = 0, reasoning: int = 0) -> dict[str, Any]:
    """`usage` as servers count it."""
    details = {"prompt_tokens_details": {"cached_tokens": cached}, "completion_tokens_details": {"reasoning_tokens": reasoning}}
    return {"prompt_tokens": read, "completion_tokens": made, "total_tokens": read + made, **details}


def shopper(request: Request) -> Reply:
    """Plays an agent from nothing but the conversation: searches for what was said, takes the first product, orders when it is asked to."""
    last, made = request.messages[-1], len(request.messages)
    if last["role"] == "user":
        text = str(last["content"]).lower()
        ends = "order" in text or "check out" in text
        call = wants("checkout", {"confirm": True}) if ends else wants("search_products", {"query": last["content"], "top_k": 3})
        return calling(call | {"id": f"c{made}"})
    found = json.loads(last["content"])
    if isinstance(found, list) and found:
        return calling(wants("add_to_cart", {"product_id": found[0]["product_id"], "quantity": 1}, f"c{made}"))
    return Reply("Done.")


def json_shopper(request: Request) -> Reply:
    """The same with `tool_calls: json`: each action is the JSON of a text."""
    kind, _, rest = request.prompt.partition(": ")
    if kind == "The customer writes":
        ends = "order" in rest.lower() or "check out" in rest.lower()
        name, arguments = ("checkout", {"confirm": True}) if ends else ("search_products", {"query": rest})
        return Reply(json.dumps({"action": {"tool": name, "arguments": arguments}}))
    found = json.loads(rest)
    if isinstance(found, list) and found:
        arguments = {"product_id": found[0]["product_id"]}
        return Reply(json.dumps({"action": {"tool": "add_to_cart", "arguments": arguments}}))
    return Reply(json.dumps({"action": {"say": "Done."}}))


def once_each(trouble: Callable[[], Reply], answer: Answer) -> Answer:
    """Answers each conversation with trouble before it is asked for the second time."""
    seen: set[str] = set()
    lock = threading.Lock()

    def first_trouble(request: Request) -> Reply | str:
        asked = json.dumps(request.body, sort_keys=True)
        with lock:
            known = asked in seen
            seen.add(asked)
        return answer(request) if known else trouble()

    return first_trouble


def picky(answer: Answer) -> Answer:
    """Answers only conversations that a server of chat completions takes, and refuses the others with 400."""

    def answer_if_sound(request: Request) -> Reply | str:
        wrong = wrong_in(request)
        return refuse(400, wrong) if wrong else answer(request)

    return answer_if_sound


def wrong_in(request: Request) -> str | None:
    """What servers refuse in a conversation: calls without results, ids that stand twice, arguments that are no object, names that no tool can have."""
    open_calls: list[str] = []
    for message in request.messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                return "a result without its call"
            open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            return "a call without its result"
        if not isinstance(message["content"], str | list) and not message.get("tool_calls"):
            return f"content of {message['role']} is {message['content']!r}"
        for call in message.get("tool_calls", []):
            open_calls.append(call["id"])
            if re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", call["function"]["name"]) is None:
                return "the name of a function must match ^[a-zA-Z0-9_-]{1,64}$"
            if not isinstance(_strict(call["function"]["arguments"]), dict):
                return "the arguments of a call must be the JSON of an object"
        if len(set(open_calls)) != len(open_calls):
            return "an id stands twice"
    return "a call without its result" if open_calls else None


def _strict(text: Any) -> Any:
    """JSON as the standard has it, without NaN and Infinity; None where it is none."""
    found = re.search(r'(?<!["\\w])(NaN|-?Infinity)(?!["\\w])', str(text))
    try:
        return None if found else json.loads(text)
    except (TypeError, ValueError):
        return None


class Endpoint:
    """Where it is, what it was asked, and `answer`, which may be replaced between requests."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.most_at_once = 0
        self.mistakes: list[Exception] = []
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
            reply = Reply(made) if isinstance(made, str) else made
            if reply.delay:
                time.sleep(reply.delay)
            return reply
        except Exception as error:
            self.mistakes.append(error)
            raise
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
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever hangs up early was tired of waiting; a test's output is the tool's."""


@contextmanager
def serving(answer: Answer) -> Iterator[Endpoint]:
    """An endpoint, while the block lasts; what went wrong in the test's own answers is raised at its end."""
    endpoint = Endpoint(answer)
    thread = threading.Thread(target=endpoint._serve, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.close()
        thread.join()
    if endpoint.mistakes:
        raise endpoint.mistakes[0]


def _handler(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            headers = {k.lower(): v for k, v in self.headers.items()}
            request = Request(self.path, headers, json.loads(self.rfile.read(length)), time.monotonic())
            reply = endpoint.reply(request) if self.path == "/v1/chat/completions" else refuse(404, f"no {self.path} here")
            if reply.drop:
                self.close_connection = True
                return
            self._send(reply)

        def _send(self, reply: Reply) -> None:
            body = reply.as_bytes()
            self.send_response(reply.status)
            length = str(len(body) + reply.cut)
            for name, value in {"Content-Type": "application/json", "Content-Length": length, **reply.headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            if reply.drip:
                for byte in body:
                    self.wfile.write(bytes([byte]))
                    time.sleep(reply.drip)
                return
            self.wfile.write(body)
            self.close_connection = self.close_connection or reply.cut > 0

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing: a test's output is the tool's."""

    return Handler
