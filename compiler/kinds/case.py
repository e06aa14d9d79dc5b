"""`case`: one hand-written trial. A probe is a case with `forbid` and a `twin`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.expressions import template
from shopdsl.compiler.forbids import LOOKS_AT, compile_forbids
from shopdsl.compiler.kinds.mutant import Parameters, compile_call, parameters
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, entries, items, text, value
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.records import Entry
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Mapping, Node
from shopdsl.dsl.vocabulary import CONTEXTS, Scope, scope

NAMES = frozenset(name for on in LOOKS_AT for name in CONTEXTS[f"forbid_{on}"])
"""What a rule of `forbid` knows beside the products of its case."""


@dataclass(frozen=True)
class Fixture:
    """A product that a case brings along: the type that it copies, if any, and the fields that it sets."""

    name: str
    extends: str | None
    fields: dict[str, Any]
    span: Span
    places: dict[str, Span]


@dataclass(frozen=True)
class Case:
    """A compiled case: what is played of it, and what scores it."""

    name: str
    fixtures: list[Fixture]
    played: dict[str, Any]
    scored: dict[str, Any]
    judges: list[tuple[Node, Document]]
    document: Document


def compile_case(unit: Unit, document: Document) -> Case:
    """Checks fixtures, prohibitions, and that the reference answers every message."""
    body = unit.body(document)
    state = body.get("initial_state")
    state = state if isinstance(state, Mapping) else None
    fixtures = _fixtures(unit, state.get("products") if state else None)
    known = {f.name: Entry(t.Record("product"), "A product of the case.") for f in fixtures}
    messages = _messages(body)
    scored = {
        "name": document.name,
        **_expected(unit, body),
        "forbid": compile_forbids(unit, body.get("forbid"), document.package, known),
        "reference": _reference(unit, body, document.package, known, len(messages)),
    }
    if not messages:
        unit.sink.add(codes.MISSING_KEY, "this case says nothing", document.span, "add `utterances:`, a list of texts")
    played = {"messages": messages, "briefing": text(state.get("briefing")) if state else ""}
    return Case(document.name, fixtures, played, scored, _judges(unit, body), document)


def _messages(body: Mapping) -> list[dict[str, Any]]:
    twin = body.get("twin")
    after = items(twin.get("utterances")) if isinstance(twin, Mapping) else []
    fresh = isinstance(twin, Mapping) and bool(value(twin.get("new_conversation"), False))
    first = [{"text": text(n), "twin": False, "fresh": False} for n in items(body.get("utterances"))]
    return first + [{"text": text(n), "twin": True, "fresh": fresh and i == 0} for i, n in enumerate(after)]


def _fixtures(unit: Unit, node: Node | None) -> list[Fixture]:
    """The products by name; a name that rules of `forbid` know as something else could not be told from it."""
    for key, _ in entries(node):
        if key.text in NAMES:
            help = "give the product another name"
            unit.sink.add(codes.HIDES_NAME, f"rules of `forbid` know `{key.text}` as something else", key.span, help)
    return [_fixture(k.text, v) for k, v in entries(node) if isinstance(v, Mapping)]


def _fixture(name: str, node: Mapping) -> Fixture:
    fields = {k.text: value(v) for k, v in node if k.text != "extends"}
    places = {k.text: v.span for k, v in node}
    return Fixture(name, text(node.get("extends")) or None, fields, node.span, places)


def _expected(unit: Unit, body: Mapping) -> dict[str, Any]:
    expect, twin = body.get("expect"), body.get("twin")
    over = twin.get("over_refusal") if isinstance(twin, Mapping) else None
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


def _judges(unit: Unit, body: Mapping) -> list[tuple[Node, Document]]:
    """The judges that the case names, with their places."""
    twin = body.get("twin")
    named = [body.get("expect"), twin.get("over_refusal") if isinstance(twin, Mapping) else None]
    places = [place for node in named if isinstance(node, Mapping) and (place := node.get("judge")) is not None]
    return [(place, found) for place in places if (found := unit.resolve("judge", place))]


def _check_pattern(unit: Unit, node: Node) -> None:
    from shopdsl.dsl.library.texts import pattern

    try:
        pattern(text(node))
    except Exception as error:  # re2.error is not typed, and RE2 raises nothing else
        reason = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
        help = "patterns use RE2's syntax: no look-around, no back references"
        unit.sink.add(codes.REGEX, f"this regular expression cannot be read: {reason}", node.span, help)


def _reference(unit: Unit, body: Mapping, package: str, known: dict[str, Entry], count: int) -> list[dict[str, Any]]:
    names = scope("reference", known)
    params = parameters(unit, package)
    replies = [_reply(unit, n, names, params) for n in items(body.get("reference")) if isinstance(n, Mapping)]
    place = body.key("reference")
    if place is not None and len(replies) != count:
        message = f"the customer writes {_many(count, 'message', 'messages')}, and the reference has {_many(len(replies), 'reply', 'replies')}"
        unit.sink.add(codes.REFERENCE, message, place.span, "give it an entry for each message, those of the twin last")
    return replies


def _many(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"


def _reply(unit: Unit, node: Mapping, names: Scope, params: Parameters) -> dict[str, Any]:
    calls = [n for n in items(node.get("calls")) if isinstance(n, Mapping)]
    return {
        "calls": [compile_call(unit, n, params, names, codes.REFERENCE) for n in calls],
        "say": template(node.get("say"), names, unit.sink).tree,
    }
