"""`constraints`: what a customer wants of a product, turn by turn: added, revised, hardened, withdrawn."""

from __future__ import annotations

from typing import Any

from shopdsl.compiler.expect.nodes import Ground
from shopdsl.compiler.expressions import condition
from shopdsl.compiler.unit import items, text, value
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import nearest
from shopdsl.dsl.records import Entry
from shopdsl.dsl.tree import Mapping, Node, Scalar
from shopdsl.dsl.vocabulary import Scope

WAYS = ("add", "revise", "harden", "drop")
PRODUCT = t.Record("product")


def compile_constraints(ground: Ground, node: Node | None, names: Scope, turns: int) -> list[dict[str, Any]]:
    """The steps as plan data, in the order of their turns."""
    extra = {
        "p": Entry(PRODUCT, "A product.", "K"),
        "shown": Entry(t.Optional(PRODUCT), "What the agent recommended last.", "MK"),
    }
    inner = names.with_names(extra)
    steps: list[dict[str, Any]] = []
    for entry in items(node):
        if isinstance(entry, Mapping):
            known = {s["name"] for s in steps if s["way"] != "drop"}
            steps.append(_step(ground, entry, inner, known, turns))
    return sorted(steps, key=lambda s: s["turn"])


def _step(ground: Ground, node: Mapping, names: Scope, known: set[str], turns: int) -> dict[str, Any]:
    ways = [(k, v) for k, v in node if k.text in WAYS]
    if len(ways) != 1:
        ground.bad(
            "a step of `constraints` has one of `add`, `revise`, `harden`, `drop`",
            node.span,
            "for example {turn: 1, add: budget, that: p.price <= $50}",
        )
    key, name = ways[0] if ways else (Scalar("add", "", node.span), Scalar("", "", node.span))
    if key.text == "add" and text(name) in known:
        ground.bad(f"there is a constraint `{text(name)}` already", name.span, "use `revise`, `harden` or `drop`")
    if key.text != "add" and text(name) not in known:
        help = nearest(text(name), known) or f"constraints so far: {', '.join(sorted(known)) or 'none'}"
        ground.bad(f"there is no constraint `{text(name)}` to {key.text}", name.span, help)
    turn = value(node.get("turn"), 1)
    if not isinstance(turn, int) or not 1 <= turn <= max(turns, 1):
        place = node.get("turn")
        ground.bad("there is no such turn", place.span if place else node.span, f"the customer writes {turns} messages")
        turn = 1
    that = node.get("that")
    if that is None and key.text in ("add", "revise"):
        ground.bad(
            f"`{key.text}` needs `that`", node.span, "a condition over `p`, a product, and `shown`, what was recommended last"
        )
    tree = condition(that, names, ground.unit.sink).tree if that is not None else None
    return {"turn": turn, "way": key.text, "name": text(name), "that": tree, "soft": bool(value(node.get("soft"), False))}
