"""The MCP server of a run: streamable HTTP on a free port of loopback, where each conversation's tools stand under a secret path."""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from shopdsl import __version__
from shopdsl.runtime.agents.conversations import OVER, Conversation, NotNow
from shopdsl.runtime.models.faults import Denied, EndpointFault

if TYPE_CHECKING:
    import uvicorn
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

HOST = "127.0.0.1"
MAX_REQUEST = 1_000_000
KEEP_ALIVE = 86_400
"""Seconds that a connection may rest between two calls: an assistant thinks for as long as its turn lasts."""
GRACE = 1
"""Seconds that requests may take to end when the run is over."""
NO_PACKAGE = "an agent with `mcp: true` needs the package mcp; install it with `pip install 'shopdsl[mcp]'`"
INVALID_REQUEST = -32600
"""JSON-RPC's code for a request that cannot be served as things are."""
_PATH = re.compile(r"/([\w-]+)/mcp/?", re.ASCII)


def address(port: int, token: str) -> str:
    """Where the tools of a conversation are."""
    return f"http://{HOST}:{port}/{token}/mcp"


class Listener:
    """An HTTP server on a free port of loopback, in the event loop of the run."""

    def __init__(self, conversations: dict[str, Conversation]) -> None:
        """Begin to listen; raises EndpointFault."""
        try:
            self._manager = _manager(_server(conversations))
            self._http = _http(_Paths(conversations, self._manager))
        except ImportError:
            raise Denied(NO_PACKAGE) from None
        try:
            self._socket = _socket()
        except OSError as error:
            raise EndpointFault(f"cannot listen on {HOST} for MCP: {error.strerror or error}") from None
        self.port: int = self._socket.getsockname()[1]
        # a context of its own: what belongs to the first trial must not be found in requests of the others
        self._task = asyncio.create_task(self._serve(), context=contextvars.Context())

    async def _serve(self) -> None:
        async with self._manager.run():
            await self._http.serve([self._socket])

    async def ready(self) -> None:
        """Wait until requests are answered."""
        while not self._http.started:
            if self._task.done():
                self._task.result()
                raise EndpointFault("the MCP server has ended")
            await asyncio.sleep(0.005)

    async def close(self) -> None:
        """Stop, once the requests at hand are answered."""
        self._http.should_exit = True
        await self._task
        self._socket.close()


def _socket() -> socket.socket:
    """A free port. The protocol is named: asyncio sends small answers without delay only where it knows that it is TCP."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.bind((HOST, 0))
    return found


class _Paths:
    """The ASGI application: only the addresses of conversations are served, and there only what needs no open stream."""

    def __init__(self, conversations: dict[str, Conversation], manager: StreamableHTTPSessionManager) -> None:
        self._conversations, self._manager = conversations, manager

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if _token(scope["path"]) not in self._conversations:
            await _refuse(receive, send, 404, OVER)
        elif _length(scope["headers"]) > MAX_REQUEST:
            await _refuse(receive, send, 413, f"a request has at most {MAX_REQUEST:,} bytes")
        elif scope["method"] != "POST":
            await _refuse(receive, send, 405, "only POST is served here: there is nothing to listen to between requests")
        else:
            await self._manager.handle_request(scope, receive, send)


def _token(path: str) -> str:
    found = _PATH.fullmatch(path)
    return found[1] if found else ""


def _length(headers: list[tuple[bytes, bytes]]) -> int:
    declared = next((value for name, value in headers if name == b"content-length"), b"")
    return int(declared) if declared.isdigit() else 0


async def _refuse(receive: Any, send: Any, status: int, message: str) -> None:
    """Answer once all is read: a client that is cut off while it sends never sees why."""
    while (await receive()).get("more_body"):
        pass
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": INVALID_REQUEST, "message": message}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), (b"allow", b"POST")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _server(conversations: dict[str, Conversation]) -> Server[Any]:
    """Lists and calls the tools of the conversation that a request's path names."""
    from mcp import MCPError, types
    from mcp.server.lowlevel import Server

    def at(context: Any) -> Conversation:
        found = conversations.get(_token(context.request.scope["path"]))
        if found is None:
            raise MCPError(INVALID_REQUEST, OVER)
        return found

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        tools = at(context).tools
        listed = [types.Tool(name=t["name"], description=t["description"], input_schema=t["parameters"]) for t in tools]
        return types.ListToolsResult(tools=listed)

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            answer = await at(context).call(params.name, params.arguments)
        except NotNow as error:
            raise MCPError(INVALID_REQUEST, str(error)) from None
        refused = answer["error"] is not None
        text = answer["error"] if refused else json.dumps(answer["result"], ensure_ascii=False)
        return types.CallToolResult(content=[types.TextContent(text=text)], is_error=refused)

    return Server(
        "shopdsl", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool, get_tool_input_schema=lambda name: None
    )


def _manager(server: Server[Any]) -> StreamableHTTPSessionManager:
    """Streamable HTTP without sessions: the path says all that a request must know, and a thousand trials leave nothing behind."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.server.transport_security import TransportSecuritySettings

    hosts = [f"{HOST}:*", "localhost:*"]
    security = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])
    return StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, security_settings=security, max_request_body_size=MAX_REQUEST
    )


def _http(application: _Paths) -> uvicorn.Server:
    """An HTTP server that leaves signals to the run, and writes nothing to its terminal."""
    import uvicorn

    class Quiet(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    for name in ("mcp", "uvicorn"):
        logging.getLogger(name).addHandler(logging.NullHandler())
    config = uvicorn.Config(
        application, http="h11", ws="none", lifespan="off", log_config=None, access_log=False, server_header=False,
        timeout_keep_alive=KEEP_ALIVE, timeout_graceful_shutdown=GRACE,
    )  # fmt: skip
    return Quiet(config)
