"""Where models are served: from the command line, the environment, and the user's settings, in this order. A spec cannot say it.

A key is sent only to the address for which it was set: `SHOPDSL_API_KEY` to `SHOPDSL_ENDPOINT`, `SHOPDSL_API_KEY_NAME` to `SHOPDSL_ENDPOINT_NAME`
(NAME is a model's, in capitals), a key in the settings to the address beside it.
"""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from shopdsl.cli.common import ENDPOINT, USAGE, Trouble
from shopdsl.runtime.models.clients import Models
from shopdsl.runtime.models.endpoint import Endpoint
from shopdsl.runtime.models.usage import Purse
from shopdsl.runtime.watch import Note, unwatched

KEY = "SHOPDSL_API_KEY"
SETTINGS = "SHOPDSL_SETTINGS"
ANY = ""
"""The name under which an address stands that is meant for every model."""


@dataclass(frozen=True)
class Known:
    """An address, for a model of this name or for any, and the key that was set beside it."""

    name: str
    address: str
    key: str | None = None

    def is_at(self, address: str) -> bool:
        """Is it the same address, however it ends?"""
        return self.address.rstrip("/") == address.rstrip("/")


@dataclass
class Endpoints:
    """What is known of addresses, the source that counts most first."""

    sources: list[list[Known]] = field(default_factory=list)

    def of(self, model: dict[str, Any], who: str) -> Endpoint:
        """Where a model is served; Trouble where nobody has said it."""
        name = str(model["name"])
        for source in self.sources:
            for known in (*(k for k in source if k.name == name), *(k for k in source if k.name == ANY)):
                return Endpoint(known.address, self._key(name, known.address))
        raise Trouble(
            f"{who} needs an address: `--endpoint URL`, or the environment variable {ENDPOINT}; for `{name}` alone `--endpoint {name}=URL`",
            USAGE,
        )

    def _key(self, name: str, address: str) -> str | None:
        """The key that was set for this address; one that was set for this model is its own."""
        keys = [k for source in self.sources for k in source if k.key and k.is_at(address)]
        return next((k.key for wanted in (name, ANY) for k in keys if k.name == wanted), keys[0].key if keys else None)


def endpoints(options: tuple[str, ...]) -> Endpoints:
    """What is known of addresses and keys; Trouble where one cannot be used."""
    return Endpoints([_options(options), _environment(), _settings()])


def _options(options: tuple[str, ...]) -> list[Known]:
    found = []
    for option in options:
        name = named(option)
        found.append(Known(name, _address(option.partition("=")[2] if name else option)))
    return found[::-1]


def named(option: str) -> str:
    """The model of `MODEL=URL`; empty where an option is meant for all."""
    name, _, rest = option.partition("=")
    return name if rest and re.fullmatch(r"[a-z][a-z0-9_]*", name) else ANY


def check_named(options: tuple[str, ...], models: list[dict[str, Any]]) -> None:
    """Trouble where an address is meant for a model that nobody asks."""
    names = {str(m["name"]) for m in models}
    for name in filter(None, map(named, options)):
        if name not in names:
            asked = f"those that are: {', '.join(sorted(names))}" if names else "none is"
            raise Trouble(f"`--endpoint {name}=…`: no model `{name}` is asked; {asked}", USAGE)


def _environment() -> list[Known]:
    variables = [v for v in sorted(os.environ) if v == ENDPOINT or v.startswith(f"{ENDPOINT}_")]
    found = []
    for variable in variables:
        rest = variable.removeprefix(ENDPOINT)
        if os.environ[variable]:
            key = _usable(os.environ.get(KEY + rest), KEY + rest)
            found.append(Known(rest.lstrip("_").lower(), _address(os.environ[variable]), key))
    return found


def _settings() -> list[Known]:
    """`[endpoints.NAME]` (or `[endpoints.default]`) with `address`, and `key` or `key_variable`, the name of an environment variable."""
    try:
        path = Path(os.environ.get(SETTINGS) or Path.home() / ".config" / "shopdsl" / "settings.toml")
        data = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, RuntimeError):  # no such file, or no home
        return []
    except (OSError, ValueError) as error:
        raise Trouble(f"cannot read the settings {path}: {error}", USAGE) from None
    entries = data.get("endpoints", {})
    if not isinstance(entries, dict) or set(data) - {"endpoints"}:
        raise Trouble(f"{path}: there are only tables `[endpoints.NAME]`, with `address` and `key` or `key_variable`", USAGE)
    return [_setting(path, name, entry) for name, entry in entries.items()]


def _setting(path: Path, name: str, entry: Any) -> Known:
    if not isinstance(entry, dict) or not isinstance(entry.get("address"), str):
        raise Trouble(f"{path}: `[endpoints.{name}]` needs an `address`", USAGE)
    variable, key = entry.get("key_variable"), entry.get("key")
    if not isinstance(variable, str | None) or not isinstance(key, str | None) or set(entry) - {"address", "key", "key_variable"}:
        raise Trouble(f"{path}: `[endpoints.{name}]` has `address`, and `key` or `key_variable`, which are texts", USAGE)
    if variable is not None:
        key = os.environ.get(variable)
        if not key:
            raise Trouble(f"{path}: `key_variable` names {variable}, which is not set", USAGE)
    return Known(ANY if name == "default" else name, _address(entry["address"]), _usable(key, f"{path}, `[endpoints.{name}]`"))


def _usable(key: Any, where: str) -> str | None:
    """A key as a header can hold it; Trouble, without the key, where it cannot."""
    if not isinstance(key, str) or not key.strip():
        return None
    if re.search(r"[^!-~]", key.strip()):
        raise Trouble(
            f"the key in {where} holds a space, a line break or a letter that no header can hold; was it copied whole?", USAGE
        )
    return key.strip()


def _address(text: str) -> str:
    if not _is_address(text):
        raise Trouble(f"{_shown(text)!r} is not an address; one is such as http://127.0.0.1:8000/v1", USAGE)
    return text


def _shown(text: str) -> str:
    """What may be printed: an address may hold a password."""
    return re.sub(r"//[^/@]*@", "//…@", text)


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and not (parts.query or parts.fragment)
            and re.search(r"[^!-~]", text) is None
        )
    except ValueError:  # a port that is no number, a bracket that is not closed
        return False


def served(models: list[dict[str, Any]], who: str, options: tuple[str, ...], purse: Purse, note: Note = unwatched) -> Models:
    """The clients of these models, each at its address; Trouble, which says who needs it, where the client library or an address is missing."""
    from importlib.util import find_spec

    if not models:
        return Models(purse=purse, note=note)
    if find_spec("openai") is None:
        raise Trouble(f"{who} needs the package openai; install it with `pip install 'shopdsl[models]'`", USAGE)
    known = endpoints(options)
    return Models({m["name"]: known.of(m, who) for m in models}, purse, note)


def check_prices(models: list[dict[str, Any]], limited: bool) -> None:
    """Prices of one run are in one currency; a limit in money needs all of them."""
    bare = [m["name"] for m in models if not m["price"]]
    if limited and bare:
        raise Trouble(f"--max-cost needs to know what `{bare[0]}` costs: give the model a `price`, or use --max-tokens", USAGE)
    currencies = sorted({m["price"]["currency"] for m in models if m["price"]})
    if len(currencies) > 1:
        raise Trouble(f"the models of one run have prices in {' and '.join(currencies)}; give them in one currency", USAGE)
