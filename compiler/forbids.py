"""What a case or a cohort forbids: rules over calls, texts and the end."""

from __future__ import annotations

from collections.abc import Mapping as Names
from typing import Any

from shopdsl.compiler.closed import close
from shopdsl.compiler.expressions import condition
from shopdsl.compiler.unit import Unit, items, text
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.records import Entry
from shopdsl.dsl.tree import Mapping, Node
from shopdsl.dsl.vocabulary import scope

LOOKS_AT = ("call", "text", "end")


def compile_forbids(unit: Unit, node: Node | None, package: str, extra: Names[str, Entry]) -> list[dict[str, Any]]:
    """The rules as plan data, in their order; `extra` are names that they see beside what they look at."""
    rules = [_rule(unit, n, package, extra) for n in items(node) if isinstance(n, Mapping)]
    return [{"name": rule["name"] or f"rule_{i}", **rule["made"]} for i, rule in enumerate(rules, 1)]


def _rule(unit: Unit, node: Mapping, package: str, extra: Names[str, Entry]) -> dict[str, Any]:
    found = [k for k in LOOKS_AT if node.get(k) is not None]
    if not found:
        unit.sink.add(codes.FORBID, "this rule looks at nothing", node.span, "give it one of `call`, `text`, `end`")
    for other in found[1:]:
        place = node.key(other)
        message = f"this rule looks at `{found[0]}` already, and so not at `{other}`"
        unit.sink.add(codes.FORBID, message, place.span if place else node.span, "make it a rule of its own")
    on = found[0] if found else "end"
    names = close(unit, scope(f"forbid_{on}", extra), package, [])
    tree = condition(node.get(on), names, unit.sink).tree
    return {"name": text(node.get("name")), "made": {"on": on, "that": tree}}
