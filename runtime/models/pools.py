"""Connections to one endpoint, in pools of a few requests each: with every request a pool looks at all that it has, which for a thousand takes longest."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from shopdsl.runtime.models.endpoint import Endpoint

EACH = 32
"""Requests at once for which there is a pool."""
CONNECTIONS = 20_000
LONGEST = 32_000_000
"""Bytes of one answer."""


@dataclass
class Pools:
    """Clients of an endpoint, used in turn; one more is made whenever all that there are have enough to do."""

    endpoint: Endpoint
    _clients: list[Any] = field(default_factory=list)
    _open: int = 0
    _turn: int = 0

    def begin(self) -> None:
        """Make the first client: what it imports takes a while, which is no request's time."""
        self._clients = self._clients or [self._client()]

    @contextmanager
    def client(self) -> Iterator[Any]:
        """A client for one request."""
        if self._open >= EACH * len(self._clients):
            self._clients.append(self._client())
        self._open, self._turn = self._open + 1, self._turn + 1
        try:
            yield self._clients[self._turn % len(self._clients)]
        finally:
            self._open -= 1

    @cached_property
    def _tls(self) -> Any:
        """What all clients trust; it takes a while to make."""
        import httpx2

        return httpx2.create_ssl_context()

    def _client(self) -> Any:
        """A client that knows what it is given, and nothing of the environment: keys, headers and organization there are meant for another address."""
        import httpx2

        limits = httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
        own: dict[str, Any] = {
            "follow_redirects": False,
            "headers": {"Accept-Encoding": "identity"},
            "event_hooks": {"response": [_bounded]},
        }
        proxied = self.endpoint.address.startswith("https:")  # to a proxy all else would be sent as it is, key and all
        taken = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("OPENAI_")}
        try:
            from openai import AsyncOpenAI

            http = httpx2.AsyncClient(verify=self._tls, limits=limits, timeout=None, trust_env=proxied, **own)
            key = self.endpoint.key or "none"
            return AsyncOpenAI(base_url=self.endpoint.address, api_key=key, timeout=None, max_retries=0, http_client=http)
        finally:
            os.environ.update(taken)

    async def close(self) -> None:
        """Close the connections."""
        clients, self._clients = self._clients, []
        for client in clients:
            await client.close()


async def _bounded(answer: Any) -> None:
    """Of an answer no more is read than fits; one that is packed is not unpacked, for nobody knows how long it is."""
    import httpx2

    if answer.headers.get("content-encoding", "identity") != "identity":
        raise httpx2.DecodingError("an answer that is packed, though it was not asked for so")
    answer.stream = _stream()(answer.stream)


@cache
def _stream() -> Any:
    """A stream that ends with an error where it becomes too long."""
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        async def __aiter__(self) -> AsyncIterator[bytes]:
            read = 0
            async for part in self._inner:
                read += len(part)
                if read > LONGEST:
                    raise httpx2.DecodingError(f"an answer of more than {LONGEST:,} bytes")
                yield part

        async def aclose(self) -> None:
            await self._inner.aclose()

    return Bounded
