"""What a cohort's parts must agree on: its customer has words for every beat that can come out, its store the tools that beats oblige an agent to call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.kinds.beat import Beat, compile_beat
from shopdsl.compiler.kinds.reveal import compile_reveal
from shopdsl.compiler.kinds.toolset import Toolset
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, entries
from shopdsl.dsl import syntax as s
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.tree import Mapping, Scalar

KNOWN_ARGUMENTS = ("product", "quantity", "query")
"""What a duty may compare by these names, whatever the tool calls its parameter."""


def check_conversation(unit: Unit, document: Document, parts: Parts) -> None:
    """Report beats without words, and duties that no call can meet."""
    beats = _used(unit, document.package, parts.texts)
    if parts.customer is not None:
        spoken = {k.text for k, _ in entries(unit.body(parts.customer).get("phrases"))}
        for name in sorted(set(beats) - spoken):
            message = f"the customer `{parts.customer.name}` of this cohort has no phrase for the beat `{name}`"
            help = f"add `{name}:` to its `phrases`, or name a customer of your own in the cohort's `customer`"
            unit.sink.add(codes.PHRASE_MISSING, message, document.span, help)
    if parts.toolset is not None:
        for beat in beats.values():
            for node, duty in beat.duties:
                _check_duty(unit, node, duty, parts.toolset)


@dataclass(frozen=True)
class Parts:
    """What meets in a cohort; `texts` are all texts from which its reveal plan can be drawn."""

    toolset: Toolset | None
    customer: Document | None
    texts: frozenset[str]


def _used(unit: Unit, package: str, texts: frozenset[str]) -> dict[str, Beat]:
    """The beats that the reveal plans can bring out which a cohort can draw (all visible ones, where none is named)."""
    visible = {d.name: unit.compiled(compile_reveal, d) for d in unit.visible("reveal", package)}
    drawn = {n for n in visible if n in texts} or set(visible)
    drawn |= {r.otherwise for n in drawn if (r := visible[n]) and r.otherwise in visible}
    names = {beat for n in drawn if (r := visible[n]) for beat in _beats(r.program)}
    return {d.name: unit.compiled(compile_beat, d) for d in unit.visible("beat", package) if d.name in names}


def _beats(statements: Any) -> Iterator[str]:
    for node in statements:
        match node:
            case s.BeatCall(_, beat):
                yield beat
            case s.If(_, _, then, other):
                yield from _beats(then)
                yield from _beats(other)
            case s.ForEach() | s.Interleave() | s.Maybe() | s.Repeat():
                yield from _beats(node.body)


def _check_duty(unit: Unit, node: Mapping, duty: dict[str, Any], toolset: Toolset) -> None:
    tools = toolset.data["tools"]
    place = node.get("tool") if duty["tool"] else node.get("class")
    span = place.content if isinstance(place, Scalar) else node.span
    if duty["tool"] and duty["tool"] not in tools:
        help = nearest(duty["tool"], tools) or f"tools: {', '.join(tools)}"
        unit.sink.add(codes.DUTY, f"the toolset `{toolset.name}` has no tool `{duty['tool']}`", span, help)
        return
    if duty["class"] and duty["class"] not in toolset.classes:
        help = nearest(duty["class"], toolset.classes) or f"classes: {', '.join(sorted(toolset.classes))}"
        unit.sink.add(codes.DUTY, f"the toolset `{toolset.name}` has no tool of class `{duty['class']}`", span, help)
    if duty["tool"]:
        known = {*KNOWN_ARGUMENTS, *(p["name"] for p in tools[duty["tool"]]["params"])}
        for key, _ in entries(node.get("with")):
            if key.text not in known:
                help = nearest(key.text, known) or f"known here: {', '.join(sorted(known))}"
                unit.sink.add(codes.DUTY, f"`{duty['tool']}` has no argument `{key.text}`", key.span, help)
