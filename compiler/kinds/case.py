"""`case`: one hand-written trial. A probe is a case with `forbid` and a `twin`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shopdsl.compiler.constants import encode
from shopdsl.compiler.expect.groups import Expected, compile_expected, is_empty, lint_expected
from shopdsl.compiler.expect.solve import compile_solve
from shopdsl.compiler.expressions import template
from shopdsl.compiler.faults import compile_faults
from shopdsl.compiler.fixtures import Fixture, check_names, read_fixtures
from shopdsl.compiler.forbids import compile_forbids
from shopdsl.compiler.kinds.mutant import Parameters, compile_call, parameters
from shopdsl.compiler.origin import Origin
from shopdsl.compiler.packages import Document
from shopdsl.compiler.prices import check_prices
from shopdsl.compiler.promotions import day
from shopdsl.compiler.unit import Unit, entries, items, text, value
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.records import Entry
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Mapping, Node
from shopdsl.dsl.vocabulary import Scope, scope


@dataclass(frozen=True)
class Case:
    """A compiled case: what is played of it, and what scores it."""

    name: str
    fixtures: list[Fixture]
    played: dict[str, Any]
    scored: dict[str, Any]
    expected: Expected
    judges: list[tuple[Node, Document]]
    document: Document
    records: dict[str, set[str]]
    fault_tools: list[tuple[str, Span]]
    read_with: list[Any] = field(default_factory=list)
    """The records and the currency with which its expected records were read, once they are."""


def compile_case(unit: Unit, document: Document) -> Case:
    """Checks fixtures, prohibitions, and that the reference answers every message."""
    body = unit.body(document)
    state = body.get("initial_state")
    state = state if isinstance(state, Mapping) else None
    fixtures = read_fixtures(state.get("products") if state else None)
    check_names(unit, state.get("products") if state else None)
    check_prices(unit, state.get("products") if state else None, None)
    known = _products(unit, document.package, fixtures)
    messages = _messages(body)
    solved, names = compile_solve(unit, body.get("solve"), scope("solve", known))
    expected = compile_expected(unit, body, document.package, scope("expect", names.names), len(messages))
    scored = {
        "name": document.name,
        **_about(body),
        **_expected(unit, body),
        "solve": solved,
        "expects": expected.data,
        "forbid": compile_forbids(unit, body.get("forbid"), document.package, known),
        "reference": _reference(unit, body, document.package, names.names, len(messages)),
    }
    if not messages and body.get("reveal") is None:
        help = "add `utterances:`, a list of texts, or `reveal:` with the name of a plan and `wants:`"
        unit.sink.add(codes.MISSING_KEY, "this case says nothing", document.span, help)
    elif messages and (place := body.key("reveal")) is not None:
        unit.sink.add(codes.WRONG_SHAPE, "`reveal` does not go with `utterances`", place.span, "keep one of the two")
    if not expected.failed and not _expects_something(body, expected):
        help = "add `expect:` with `calls`, `answer` or `state`, or rules under `forbid`"
        unit.sink.add(codes.EXPECTS_NOTHING, "this case expects nothing, so that nothing can be wrong", document.span, help)
    origin = Origin(unit, document)
    origin.check()
    lint_expected(unit, expected, origin.place)
    return Case(
        document.name,
        fixtures,
        _played(unit, body, known, messages, state),
        scored,
        expected,
        _judges(unit, body),
        document,
        _own(state),
        _fault_tools(body),
    )


def _products(unit: Unit, package: str, fixtures: list[Fixture]) -> dict[str, Entry]:
    """The products that expressions of a case can name: those of the stores of its package, and its own."""
    stores = [unit.body(d).get("products") for d in unit.documents("store", package)]
    names = [k.text for node in stores for k, _ in entries(node)] + [f.name for f in fixtures]
    return {name: Entry(t.Record("product"), "A product.", "K") for name in names}


def _expects_something(body: Mapping, expected: Expected) -> bool:
    expect = body.get("expect")
    said = isinstance(expect, Mapping) and (expect.get("judge") is not None or expect.get("text") is not None)
    return said or bool(items(body.get("forbid"))) or any(not is_empty(g) for g in expected.data["groups"].values())


def _planned(unit: Unit, body: Mapping, known: dict[str, Entry]) -> dict[str, Any]:
    """The reveal plan by which wishes come out, what is wanted, and who wants it."""
    plan = unit.resolve("reveal", body.get("reveal"))
    wants = {}
    for key, node in entries(body.get("wants")):
        if key.text not in known:
            help = nearest(key.text, known) or f"products: {', '.join(sorted(known)) or 'none'}"
            unit.sink.add(codes.UNKNOWN_NAME, f"there is no product `{key.text}`", key.span, help)
        wants[key.text] = value(node)
    if plan is not None and not wants:
        unit.sink.add(codes.MISSING_KEY, "nothing is wanted", body.get("reveal").span, "add `wants: {PRODUCT: 1}`")  # type: ignore[union-attr]
    persona = body.get("persona")
    return {
        "reveal": plan.name if plan else None,
        "wants": wants or None,
        "persona": {k.text: text(v) for k, v in entries(persona)} or None,
    }


def _fault_tools(body: Mapping) -> list[tuple[str, Span]]:
    tools = [tool for n in items(body.get("faults")) if isinstance(n, Mapping) and (tool := n.get("tool")) is not None]
    return [(text(tool), tool.span) for tool in tools]


def _own(state: Mapping | None) -> dict[str, set[str]]:
    """The keys of the records that the case brings along."""
    return {k.text: {key.text for key, _ in entries(rows)} for k, rows in entries(state.get("records") if state else None)}


def _about(body: Mapping) -> dict[str, Any]:
    """What reports say of a case."""
    tags = [text(n) for n in items(body.get("tags"))]
    return {
        "id": text(body.get("id")), "category": text(body.get("category")), "split": text(body.get("split"), "regression"),
        "level": text(body.get("level")), "tags": tags, "locale": text(body.get("locale"), "en"),
    }  # fmt: skip


def _played(
    unit: Unit, body: Mapping, known: dict[str, Entry], messages: list[dict[str, Any]], state: Mapping | None
) -> dict[str, Any]:
    played: dict[str, Any] = {"messages": messages, "briefing": text(state.get("briefing")) if state else ""}
    limits = value(body.get("limits"))
    extra = {
        "tools": [text(n) for n in items(body.get("available_tools"))] or None,
        "facts": encode(value(state.get("facts"))) if state and state.get("facts") is not None else None,
        "today": day(unit, date) if state and (date := state.get("date")) is not None else None,
        "cart": {k.text: value(v) for k, v in entries(state.get("cart"))} or None if state else None,
        "coupons": [text(n) for n in items(state.get("coupons"))] or None if state else None,
        "limits": limits or None,
        **_planned(unit, body, known),
        "faults": compile_faults(unit, body.get("faults"), {}) or None,
    }
    return played | {k: v for k, v in extra.items() if v is not None}


def _messages(body: Mapping) -> list[dict[str, Any]]:
    twin = body.get("twin")
    after = items(twin.get("utterances")) if isinstance(twin, Mapping) else []
    fresh = isinstance(twin, Mapping) and bool(value(twin.get("new_conversation"), False))
    first = [{"text": text(n), "twin": False, "fresh": False} for n in items(body.get("utterances"))]
    return first + [{"text": text(n), "twin": True, "fresh": fresh and i == 0} for i, n in enumerate(after)]


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
