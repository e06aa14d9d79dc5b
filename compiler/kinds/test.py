"""`test`: a recorded trial in small, and what metrics must give on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.kinds.cohort import Cohort, compile_cohort
from shopdsl.compiler.kinds.metric import Metric, compile_metric
from shopdsl.compiler.kinds.toolset import penalties
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, decimal_text, entries, items, text, value
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Mapping, Node, Scalar, plain
from shopdsl.dsl.vocabulary import END_REASONS


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
            expect[key.text] = (None if text(node) in ("none", "null", "") else decimal_text(node), node.span)
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
        },
        document,
    )


def _check_cohort(unit: Unit, body: Mapping, cohort: Cohort, products: Any) -> None:
    """Report what a test says of the persona and calls that its cohort does not have."""
    dimensions = cohort.persona.data["dimensions"] if cohort.persona else {}
    for key, node in entries(body.get("persona")):
        _known(unit, key, dimensions, "dimension")
        if isinstance(node, Scalar) and key.text in dimensions:
            _known(unit, node, dimensions[key.text], f"value of `{key.text}`")
    tools = cohort.store.toolset.data["tools"] if cohort.store and cohort.store.toolset else {}
    for turn in items(body.get("turns")):
        for call in items(turn.get("calls")) if isinstance(turn, Mapping) else []:
            head = call if isinstance(call, Scalar) else next((k for k, _ in call if k.text not in ("finds", "near")), None)  # type: ignore[union-attr]
            if (
                head is not None and head.text not in tools and nearest(head.text, tools)
            ):  # a test may call a tool that is not there
                _known(unit, head, tools, "tool")


def _check_expectation(unit: Unit, key: Scalar, node: Node, metric: Metric, cohort: Cohort | None) -> None:
    if cohort is not None and metric.cohorts and not set(unit.lineage(cohort.document)) & set(metric.cohorts):
        unit.sink.add(
            codes.NOT_FOR_COHORT,
            f"`{key.text}` does not apply to the cohort `{cohort.name}`",
            key.span,
            f"add `{cohort.name}` to its `for`",
        )
    raw = text(node)
    if raw not in ("none", "null", "") and not 0 <= float(decimal_text(node, "-1")) <= 1:
        unit.sink.add(
            codes.TEST_REFERENCE,
            f"`{raw}` is not a value that a metric can have",
            node.span,
            "a number from 0 to 1, a percentage, or none",
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
