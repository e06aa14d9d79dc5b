"""`test`: a recorded trial in small, and what metrics must give on it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.kinds.beat import compile_beat
from shopdsl.compiler.kinds.case import Case, compile_case
from shopdsl.compiler.kinds.cohort import Cohort, compile_cohort
from shopdsl.compiler.kinds.metric import Metric, compile_metric
from shopdsl.compiler.kinds.toolset import penalties
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, decimal_text, entries, items, text, value
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.records import END_REASONS
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Mapping, Node, Scalar, plain


@dataclass(frozen=True)
class Test:
    """A compiled test: the trial as data, and the metrics with their expected values (None: does not apply)."""

    name: str
    cohort: Cohort | None
    metrics: dict[str, Metric]
    expect: dict[str, tuple[str | None, Span]]
    trial: dict[str, Any]
    document: Document


def compile_test(unit: Unit, document: Document) -> Test:
    """Checks that a test names only what it defines."""
    body = unit.body(document)
    cohort = unit.resolve("cohort", body.get("cohort"))
    named = unit.resolve("case", body.get("case"))
    case = unit.compiled(compile_case, named) if named else None
    played = case is not None and bool(case.expected.data["groups"])
    for needed in ("products", "target") if not played and body.get("cohort") is not None else ():
        if body.get(needed) is None:
            help = f"add `{needed}:`, or name a `case` of business tasks"
            unit.sink.add(codes.MISSING_KEY, f"this test needs `{needed}`", document.span, help)
    products = {k.text: plain(v) for k, v in entries(body.get("products"))}
    for key, _ in entries(body.get("target")):
        _known(unit, key, products, "product")
    end = body.get("end")
    if isinstance(end, Scalar):
        _known(unit, end, END_REASONS, "end reason")
    compiled = unit.compiled(compile_cohort, cohort) if cohort else None
    if compiled is not None:
        _check_cohort(unit, body, compiled, products)
    metrics, expect = {}, {}
    for key, node in entries(body.get("expect")):
        metric = unit.resolve("metric", key)
        if metric:
            metrics[key.text] = unit.compiled(compile_metric, metric)
            _check_expectation(unit, key, node, metrics[key.text], compiled)
            expect[key.text] = (_expected(node), node.span)
    if case is not None and played:
        _check_texts(unit, body, case)
    return Test(
        document.name,
        compiled,
        metrics,
        expect,
        {
            "products": products,
            "target": value(body.get("target"), {}),
            "persona": value(body.get("persona"), {}),
            "tier": text(body.get("tier"), "simple"),
            "difficulty": value(body.get("difficulty"), 1),
            "reveal": text(body.get("reveal"), "batch"),
            "turn_budget": value(body.get("turn_budget"), 20),
            "penalties": penalties(body.get("penalties")),
            "turns": [_turn(unit, node, products) for node in items(body.get("turns")) if isinstance(node, Mapping)],
            "forbidden": [text(n) for n in items(body.get("forbidden"))],
            "prohibitions": value(body.get("prohibitions"), len(items(body.get("forbidden")))),
            "end": text(end, "gave_up"),
            "case": case.scored if case else None,
            "played": case.name if case is not None and played else None,
        },
        document,
    )


def _check_texts(unit: Unit, body: Mapping, case: Case) -> None:
    """In a case that is played the customer writes what the case says."""
    messages = case.played["messages"]
    for turn, message in zip(items(body.get("turns")), messages, strict=False):
        said = turn.get("customer") if isinstance(turn, Mapping) else None
        if said is not None and text(said).split() != message["text"].split():
            help = f"write `{message['text'][:80]}`"
            unit.sink.add(codes.TEST_REFERENCE, "the customer of the case writes something else here", said.span, help)
    for turn in items(body.get("turns"))[len(messages) :] if messages else ():
        known = f"the customer of the case writes {len(messages)} message{'' if len(messages) == 1 else 's'}"
        unit.sink.add(codes.TEST_REFERENCE, known, turn.span, "remove the turn, or add an utterance to the case")


def _check_cohort(unit: Unit, body: Mapping, cohort: Cohort, products: Any) -> None:
    """Report what a test says of the persona and calls that its cohort does not have."""
    dimensions = cohort.persona.data["dimensions"] if cohort.persona else {}
    for key, node in entries(body.get("persona")):
        _known(unit, key, dimensions, "dimension")
        if isinstance(node, Scalar) and key.text in dimensions:
            _known(unit, node, dimensions[key.text], f"value of `{key.text}`")
    tools = cohort.store.toolset.data["tools"] if cohort.store and cohort.store.toolset else {}
    for turn in (n for n in items(body.get("turns")) if isinstance(n, Mapping)):
        for call in items(turn.get("calls")):
            _check_call(unit, call, tools)
        for beat in items(turn.get("beats")):
            _check_beat(unit, beat)


def _check_call(unit: Unit, call: Node, tools: dict[str, Any]) -> None:
    """Tools and arguments that are not there may be meant (the shop refuses them): only what is nearly right is reported."""
    head = call if isinstance(call, Scalar) else _head(call, ("finds", "near"))
    if head is None:
        return
    if head.text not in tools:
        if nearest(head.text, tools):
            _known(unit, head, tools, "tool")
        return
    known = [p["name"] for p in tools[head.text]["params"]]
    for key, _ in entries(call.get(head.text) if isinstance(call, Mapping) else None):
        if key.text not in known and (nearest(key.text, known) or any(key.text in k for k in known)):
            near = nearest(key.text, known) or f"did you mean `{next(k for k in known if key.text in k)}`?"
            unit.sink.add(codes.TEST_REFERENCE, f"`{head.text}` has no parameter `{key.text}`", key.span, near)


def _check_beat(unit: Unit, node: Node) -> None:
    head = node if isinstance(node, Scalar) else _head(node, ("about", "to"))
    document = unit.workspace.find("beat", head.text, unit.workspace.owner(head.span)) if head is not None else None
    if document is None or head is None:
        return
    of = unit.compiled(compile_beat, document).of
    count = len(items(node.get(head.text))) if isinstance(node, Mapping) else 0
    right = {"nothing": count == 0, "item": count == 1, "items": count >= 1}.get(of, True)
    if not right:
        wanted = {"nothing": "no item", "item": "one item", "items": "at least one item"}[of]
        example = {"nothing": head.text, "item": f"{{{head.text}: PRODUCT}}", "items": f"{{{head.text}: [PRODUCT, PRODUCT]}}"}[of]
        unit.sink.add(
            codes.BEAT_OPERAND,
            f"the beat `{head.text}` is about {wanted}, and this is about {count}",
            head.span,
            f"write `{example}`",
        )


def _head(node: Node, beside: tuple[str, ...]) -> Scalar | None:
    return next((k for k, _ in node if k.text not in beside), None) if isinstance(node, Mapping) else None


_FRACTION = re.compile(r"(\d+)/(\d+)")


def _expected(node: Node) -> str | None:
    """A value as decimal text: a number, a percentage, a fraction such as `1/3`, or none."""
    raw = text(node)
    if (fraction := _FRACTION.fullmatch(raw)) is not None and fraction[2] != "0":
        return repr(int(fraction[1]) / int(fraction[2]))
    return None if raw in ("none", "null", "") else decimal_text(node)


def _check_expectation(unit: Unit, key: Scalar, node: Node, metric: Metric, cohort: Cohort | None) -> None:
    if cohort is not None and metric.cohorts and not set(unit.lineage(cohort.document)) & set(metric.cohorts):
        unit.sink.add(
            codes.NOT_FOR_COHORT,
            f"`{key.text}` does not apply to the cohort `{cohort.name}`",
            key.span,
            f"add `{cohort.name}` to its `for`",
        )
    raw = text(node)
    if (fraction := _FRACTION.fullmatch(raw)) is not None and int(fraction[1]) <= int(fraction[2]) != 0:
        return
    most = float("inf") if metric.counts else 1
    if raw not in ("none", "null", "") and not 0 <= float(decimal_text(node, "-1")) <= most:
        unit.sink.add(
            codes.TEST_REFERENCE,
            f"`{raw}` is not a value that a metric can have",
            node.span,
            "a number from 0 to 1, a percentage, a fraction such as `1/3`, or none",
        )


def _known(unit: Unit, node: Scalar, known: Any, what: str) -> None:
    if node.text not in known:
        help = nearest(node.text, known) or f"there are: {', '.join(sorted(known))}"
        unit.sink.add(codes.TEST_REFERENCE, f"there is no {what} `{node.text}`", node.span, help)


def _turn(unit: Unit, node: Mapping, products: Any) -> dict[str, Any]:
    return {
        "customer": text(node.get("customer")),
        "beats": [_beat(unit, n, products) for n in items(node.get("beats"))],
        "calls": [_call(unit, n, products) for n in items(node.get("calls"))],
        "agent": text(node.get("agent")) if node.get("agent") is not None else None,
        "frustration": value(node.get("frustration"), 0),
        "gives": [text(n) for n in items(node.get("gives"))],
        "twin": bool(value(node.get("twin"), False)),
    }


def _beat(unit: Unit, node: Node, products: Any) -> dict[str, Any]:
    """`checkout`, `{add: beans}`, `{state: [beans, filter]}`, with `about` and `to` beside it."""
    if isinstance(node, Scalar):
        unit.resolve("beat", node)
        return {"kind": node.text, "items": [], "about": None, "to": None}
    assert isinstance(node, Mapping)
    head = next((k for k, _ in node if k.text not in ("about", "to")), None)
    if head is None:
        return {"kind": "", "items": [], "about": None, "to": None}
    unit.resolve("beat", head)
    named = [n for n in items(node.get(head.text)) if isinstance(n, Scalar)]
    for item in named:
        _known(unit, item, products, "product")
    return {
        "kind": head.text,
        "items": [n.text for n in named],
        "about": text(node.get("about")) or None,
        "to": value(node.get("to")),
    }


def _call(unit: Unit, node: Node, products: Any) -> dict[str, Any]:
    """`{tool: {arguments}}`, with `finds`, `at` and `error` beside it."""
    if isinstance(node, Scalar):
        return {"tool": node.text, "args": {}, "finds": None}
    assert isinstance(node, Mapping)
    head = next((k for k, _ in node if k.text not in ("finds", "near")), None)
    for product in items(node.get("finds")):
        if isinstance(product, Scalar):
            _known(unit, product, products, "product")
    args = value(node.get(head.text), {}) if head else {}
    found = node.get("finds")
    near = node.get("near")
    return {
        "tool": head.text if head else "",
        "args": args if isinstance(args, dict) else {},
        "finds": [text(n) for n in items(found)] if found is not None else None,
        "near": str(value(near)) if near is not None else None,
    }
