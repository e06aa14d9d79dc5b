"""Faults and waiting that a store or a case injects into its tools."""

from __future__ import annotations

from typing import Any

from shopdsl.compiler.unit import Unit, decimal_text, items, text, value
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.tree import Mapping, Node

DOWN = "The service is not available. Try again later."


def compile_faults(unit: Unit, node: Node | None, tools: dict[str, Any]) -> list[dict[str, Any]]:
    """The faults as plan data; a tool that is not there is reported (with no tools known, none is)."""
    return [_fault(unit, n, tools) for n in items(node) if isinstance(n, Mapping)]


def _fault(unit: Unit, node: Mapping, tools: dict[str, Any]) -> dict[str, Any]:
    tool = node.get("tool")
    if tool is not None and tools and text(tool) not in tools:
        help = nearest(text(tool), tools) or f"tools: {', '.join(tools)}"
        unit.sink.add(codes.UNRESOLVED, f"the store has no tool `{text(tool)}`", tool.span, help)
    waits, chance = node.get("wait") is not None, node.get("chance")
    if chance is not None and float(decimal_text(chance, "1")) > 1:
        unit.sink.add(codes.OUT_OF_RANGE, f"{text(chance)} is out of range", chance.span, "a probability, such as `20%` or `.2`")
    return {
        "tool": text(tool) or None,
        "error": text(node.get("error"), "" if waits else DOWN),
        "chance": decimal_text(node.get("chance"), "1"),
        "times": value(node.get("times")),
        "wait": decimal_text(node.get("wait"), "0"),
    }
