"""`agent`: who is evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, items, text, value
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.tree import Scalar


@dataclass(frozen=True)
class Agent:
    """A compiled agent: exactly one of builtin, command, python."""

    name: str
    data: dict[str, Any]


def compile_agent(unit: Unit, document: Document) -> Agent:
    """Checks that one way to run it is given, and that a package which is not the user's starts nothing."""
    body = unit.body(document)
    ways = [k for k in ("builtin", "command", "python") if body.get(k) is not None]
    if len(ways) != 1:
        message = "an agent needs one of `builtin`, `command`, `python`" if not ways else f"this agent has {' and '.join(ways)}"
        unit.sink.add(codes.MISSING_KEY, message, document.span, "keep exactly one of `builtin`, `command`, `python`")
    for way in ("command", "python"):
        place = body.get(way)
        if place is not None and unit.workspace.owner(place.span) != unit.workspace.main.name:
            help = "define the agent in your own package, or in a file that you name on the command line"
            unit.sink.add(codes.FOREIGN_COMMAND, f"`{way}` starts something, and this package is not yours", place.span, help)
    return Agent(
        document.name,
        {
            "name": document.name,
            "builtin": text(body.get("builtin")) or None,
            "command": [i.text for i in items(body.get("command")) if isinstance(i, Scalar)] or None,
            "python": text(body.get("python")) or None,
            "timeout": str(value(body.get("timeout"), 60)),
            "max_calls": value(body.get("max_calls"), 12),
        },
    )
