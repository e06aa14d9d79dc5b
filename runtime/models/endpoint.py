"""Where a model is served, and the key for just that address."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

SECRET = 8
"""What is shorter than this is a word, such as `none`, and no key."""


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible address. The key is sent nowhere else, and is not shown where the endpoint is printed."""

    address: str
    key: str | None = field(default=None, repr=False)

    def without_key(self, text: str) -> str:
        """A text of the server's, which may have sent the key back, in an error for one."""
        key = self.key or ""
        return text.replace(key, "(key)") if len(key) >= SECRET else text

    @property
    def place(self) -> str:
        """The address as records and logs may hold it: without what could be a secret."""
        parts = urlsplit(self.address)
        port = f":{parts.port}" if parts.port else ""
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{parts.scheme}://{host}{port}{parts.path}"
