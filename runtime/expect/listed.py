"""The calls that a case lists, in their order, with their arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded

Data = dict[str, Any]


@dataclass(frozen=True)
class Listed:
    """A listed call: its id, tool, arguments as an agent gives them; `refused` where a refusal is what is wanted."""

    id: str
    tool: str
    args: dict[str, Any]
    refused: bool = False


def listed_calls(group: Data | None, names: dict[str, Any]) -> list[Listed]:
    """The calls of a group that an agent is to make: of alternatives the first, of `at_least` the first n."""
    return (
        [Listed(c.get("id", ""), c["tool"], arguments(c, names), bool(c.get("error"))) for c in calls_of(group)] if group else []
    )


def arguments(call: Data, names: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an expected call as data."""
    return {k: as_given(guarded(compile_tree(tree))(Env(dict(names)))) for k, tree in call["args"].items()}


def as_given(value: Any) -> Any:
    """An argument as an agent gives it: a product by its number."""
    if isinstance(value, list):
        return [as_given(v) for v in value]
    return getattr(value, "id", value)


def calls_of(node: Data) -> Iterator[Data]:
    """The listed calls of a tree, in their order."""
    match node["op"]:
        case "call":
            yield node
        case "all" | "in_order":
            for part in node["of"]:
                yield from calls_of(part)
        case "any":
            yield from calls_of(node["of"][0])
        case "at_least":
            for part in node["of"][: node["n"]]:
                yield from calls_of(part)
