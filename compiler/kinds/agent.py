"""`agent`: who is evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from shopdsl.compiler.expressions import template
from shopdsl.compiler.kinds.model import compile_model
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, decimal_text, items, text, value
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.tree import Mapping, Node, Scalar
from shopdsl.dsl.vocabulary import scope

WAYS = ("builtin", "command", "http", "model", "python")
STARTS = {"command": "starts something", "http": "sends what is said to an address", "python": "starts something"}
ONE = "`" + "`, `".join(WAYS) + "`"


@dataclass(frozen=True)
class Agent:
    """A compiled agent: exactly one of builtin, command, http, model, python."""

    name: str
    data: dict[str, Any]


def compile_agent(unit: Unit, document: Document) -> Agent:
    """Checks that one way to run it is given, and that a package which is not the user's starts nothing."""
    body = unit.body(document)
    _one_way(unit, document, body)
    _own(unit, body)
    _reachable(unit, body.get("http"))
    model = unit.resolve("model", body.get("model"))
    prompt = body.get("prompt")
    return Agent(
        document.name,
        {
            "name": document.name,
            "builtin": text(body.get("builtin")) or None,
            "command": [i.text for i in items(body.get("command")) if isinstance(i, Scalar)] or None,
            "python": text(body.get("python")) or None,
            "http": text(body.get("http")) or None,
            "model": unit.compiled(compile_model, model) if model else None,
            "prompt": template(prompt, scope("briefing"), unit.sink).tree if prompt is not None else None,
            "mcp": bool(value(body.get("mcp"), False)),
            "timeout": decimal_text(body.get("timeout"), "60"),
            "turn_timeout": decimal_text(body.get("turn_timeout"), "600"),
            "trial_timeout": decimal_text(body.get("trial_timeout"), "3600"),
            "max_calls": value(body.get("max_calls"), 12),
        },
    )


def _one_way(unit: Unit, document: Document, body: Mapping) -> None:
    """Exactly one way, and the keys that belong to it."""
    ways = [k for k in WAYS if body.get(k) is not None]
    if len(ways) != 1:
        message = f"an agent needs one of {ONE}" if not ways else f"this agent has {' and '.join(ways)}"
        unit.sink.add(codes.MISSING_KEY, message, document.span, f"keep exactly one of {ONE}")
    for key, able in (("prompt", ("model",)), ("mcp", ("command", "http", "python"))):
        place = body.key(key)
        if place is not None and len(ways) == 1 and ways[0] not in able:
            help = f"`{key}` belongs to an agent with {' or '.join(f'`{w}`' for w in able)}"
            unit.sink.add(codes.UNKNOWN_KEY, f"an agent with `{ways[0]}` has no `{key}`", place.span, help)


def _reachable(unit: Unit, node: Node | None) -> None:
    """An address that no request can go to is found here, and not in each trial."""
    if not isinstance(node, Scalar):
        return
    try:
        parts = urlsplit(node.text)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, a bracket that is not closed
        usable = False
    if not usable:
        help = "an address is such as http://127.0.0.1:8080/turn, with a port from 1 to 65535"
        unit.sink.add(codes.WRONG_SHAPE, f"`{node.text}` is not an address", node.span, help)
    elif not _sandbox(unit, node, str(parts.hostname)):
        help = f"a test may reach no production system; if {parts.hostname} is a sandbox, say so in shopdsl.yaml: `sandbox: [{parts.hostname}]`"
        unit.sink.add(codes.HOST, f"`{parts.hostname}` is not this machine", node.span, help)


def _sandbox(unit: Unit, node: Scalar, host: str) -> bool:
    """Is an address on this machine, or declared to be a sandbox by the package that names it?"""
    package = unit.workspace.package(unit.workspace.owner(node.span))
    return _loopback(host) or (package is not None and host.lower() in package.sandbox)


def _loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost" or host.lower().endswith(".localhost")


def _own(unit: Unit, body: Mapping) -> None:
    for way, does in STARTS.items():
        place = body.get(way)
        if place is not None and unit.workspace.owner(place.span) != unit.workspace.main.name:
            help = "define the agent in your own package, or in a file that you name on the command line"
            unit.sink.add(codes.FOREIGN_COMMAND, f"`{way}` {does}, and this package is not yours", place.span, help)
