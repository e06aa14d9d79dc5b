"""`shopdsl mcp`."""

from __future__ import annotations

import ipaddress
import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from shopdsl import __version__
from shopdsl.cli.common import USAGE, Trouble

if TYPE_CHECKING:
    import httpx2
    from mcp import Client
    from mcp.server.lowlevel import Server

NO_PACKAGE = "`shopdsl mcp` needs the package mcp; install it with `pip install 'shopdsl[mcp]'`"


def _loopback(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """A trial is always served on its own machine; an address elsewhere is a mistake, or somebody's trap."""
    try:
        parts = urlsplit(value)
        host, port = parts.hostname or "", parts.port
        near = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        near, port = False, None
    if not near or port is None or parts.scheme != "http":
        raise click.BadParameter(f"{value!r} is no address of a trial on this machine, such as http://127.0.0.1:40123/SECRET/mcp")
    return value


@click.command("mcp")
@click.argument("url", callback=_loopback)
def command(url: str) -> None:
    """Serve the tools of a running trial over standard input and output, to an assistant that starts its MCP servers itself.

    URL is what the agent is told under `mcp` in its event `start`.

    Example: shopdsl mcp http://127.0.0.1:40123/SECRET/mcp
    """
    import asyncio

    try:
        from mcp import MCPError
    except ImportError:
        raise Trouble(NO_PACKAGE, USAGE) from None
    try:
        asyncio.run(_bridge(url))
    except (MCPError, BaseExceptionGroup) as error:
        cause = _first(error)
        if not isinstance(cause, MCPError):
            raise
        raise Trouble(f"no tools are served at {url}: {str(cause).splitlines()[0]}", USAGE) from None


def _first(error: BaseException) -> BaseException:
    """What went wrong first, without the groups that tasks wrap around it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _bridge(url: str) -> None:
    """Forward until standard input ends."""
    import signal

    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.server.stdio import stdio_server

    logger = logging.getLogger("mcp")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False  # what goes wrong is told in one line
    async with _http() as http, Client(streamable_http_client(url, http_client=http), cache=None) as client:
        server = _forwarding(client)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the thread that waits for standard input would not hear of anything milder
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())


def _http() -> httpx2.AsyncClient:
    """No proxy of the environment, for this machine is meant; no limit of time, for the run has its own; and an answer to every request."""
    import httpx2

    class Answering(httpx2.AsyncHTTPTransport):
        """Where the run has ended, its silence is an answer too: a fault of the connection would end the bridge while it is being asked."""

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            try:
                answer = await super().handle_async_request(request)
                content = await answer.aread()
            except httpx2.TransportError as error:
                message = f"the run cannot be reached: {error or type(error).__name__}"
                return httpx2.Response(503, json={"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": message}})
            kind = {"content-type": answer.headers.get("content-type", "")}
            return httpx2.Response(answer.status_code, headers=kind, content=content)

    return httpx2.AsyncClient(timeout=None, transport=Answering(trust_env=False), trust_env=False)


def _forwarding(client: Client) -> Server[Any]:
    """A server that has nothing of its own: it lists and calls the tools of another."""
    from mcp import types
    from mcp.server.lowlevel import Server

    async def list_tools(context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return await client.list_tools(cursor=params.cursor if params else None)

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await client.call_tool(params.name, params.arguments)

    return Server("shopdsl", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)
