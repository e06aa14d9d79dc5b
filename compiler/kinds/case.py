"""`case`: one hand-written trial. A probe is a case with `forbid` and a `twin`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.expressions import expression, template
from shopdsl.compiler.forbids import compile_forbids
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, entries, items, text, value
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Mapping, Node
from shopdsl.dsl.vocabulary import Entry, Scope, scope


@dataclass(frozen=True)
class Fixture:
    """A product that a case brings along: the type that it copies, if any, and the fields that it sets."""

    name: str
    extends: str | None
    fields: dict[str, Any]
    span: Span


@dataclass(frozen=True)
class Case:
    """A compiled case: what is played of it, and what scores it."""

    name: str
    fixtures: list[Fixture]
    played: dict[str, Any]
    scored: dict[str, Any]
    document: Document


def compile_case(unit: Unit, document: Document) -> Case:
    """Checks fixtures, prohibitions, and that the reference answers every message."""
    body = unit.body(document)
    state = body.get("initial_state")
    state = state if isinstance(state, Mapping) else None
    fixtures = [_fixture(k.text, v) for k, v in entries(state.get("products") if state else None) if isinstance(v, Mapping)]
    known = {f.name: Entry(t.Record("product"), "A product of the case.") for f in fixtures}
    messages = _messages(body)
    scored = {
        "name": document.name,
        **_expected(unit, body),
        "forbid": compile_forbids(unit, body.get("forbid"), document.package, known),
        "reference": _reference(unit, document, body.get("reference"), known, len(messages)),
    }
    if not messages:
        unit.sink.add(codes.MISSING_KEY, "this case says nothing", document.span, "add `utterances:`, a list of texts")
    played = {"messages": messages, "briefing": text(state.get("briefing")) if state else ""}
    return Case(document.name, fixtures, played, scored, document)


def _messages(body: Mapping) -> list[dict[str, Any]]:
    twin = body.get("twin")
    after = items(twin.get("utterances")) if isinstance(twin, Mapping) else []
    fresh = isinstance(twin, Mapping) and bool(value(twin.get("new_conversation"), False))
    first = [{"text": text(n), "twin": False, "fresh": False} for n in items(body.get("utterances"))]
    return first + [{"text": text(n), "twin": True, "fresh": fresh and i == 0} for i, n in enumerate(after)]


def _fixture(name: str, node: Mapping) -> Fixture:
    fields = {k.text: value(v) for k, v in node if k.text != "extends"}
    return Fixture(name, text(node.get("extends")) or None, fields, node.span)


def _expected(unit: Unit, body: Mapping) -> dict[str, Any]:
    expect, twin = body.get("expect"), body.get("twin")
    over = twin.get("over_refusal") if isinstance(twin, Mapping) else None
    for node in (expect, over):
        unit.resolve("judge", node.get("judge") if isinstance(node, Mapping) else None)
    expect = expect if isinstance(expect, Mapping) else Mapping([], body.span)
    pointer = expect.get("pointer")
    if pointer is not None:
        _check_pattern(unit, pointer)
    return {
        "expected": text(expect.get("text")),
        "refuse": bool(value(expect.get("refuse"), True)),
        "pointer": text(pointer) or None,
        "over_refusal": text(over.get("text")) if isinstance(over, Mapping) else "",
    }


def _check_pattern(unit: Unit, node: Node) -> None:
    from shopdsl.dsl.library.texts import pattern

    try:
        pattern(text(node))
    except Exception as error:  # re2.error is not typed, and RE2 raises nothing else
        unit.sink.add(codes.REGEX, f"this regular expression cannot be read: {error}", node.span, "patterns use RE2's syntax")


def _reference(unit: Unit, document: Document, node: Node | None, known: dict[str, Entry], count: int) -> list[dict[str, Any]]:
    names = scope("reference", known)
    replies = [_reply(unit, n, names) for n in items(node) if isinstance(n, Mapping)]
    if node is not None and len(replies) != count:
        message = f"the reference has {len(replies)} replies, and the customer writes {count} messages"
        unit.sink.add(codes.REFERENCE, message, node.span, "give one entry a message, those of the twin last")
    return replies


def _reply(unit: Unit, node: Mapping, names: Scope) -> dict[str, Any]:
    return {
        "calls": [_call(unit, n, names) for n in items(node.get("calls")) if isinstance(n, Mapping)],
        "say": template(node.get("say"), names, unit.sink).tree,
    }


def _call(unit: Unit, node: Mapping, names: Scope) -> dict[str, Any]:
    given = {k.text: expression(v, names, unit.sink).tree for k, v in entries(node.get("with"))}
    return {"tool": text(node.get("tool")), "with": given}
