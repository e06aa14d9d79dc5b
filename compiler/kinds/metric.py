"""`metric`: one measured quantity of a trial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.asks import Ask, compile_asks
from shopdsl.compiler.closed import close
from shopdsl.compiler.expressions import Compiled, condition, expression
from shopdsl.compiler.packages import Document
from shopdsl.compiler.personas import cohort_personas, package_personas, records, store_currency
from shopdsl.compiler.unit import Unit, entries, items, ordered_entries, text
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.records import Entry
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Node, Scalar
from shopdsl.dsl.vocabulary import Scope, scope


@dataclass(frozen=True)
class Metric:
    """A compiled metric; `cohorts` is empty where it applies to all."""

    name: str
    group: str
    cohorts: tuple[str, ...]
    evidence: frozenset[str]
    asks: tuple[Ask, ...]
    data: dict[str, Any]
    document: Document

    @property
    def counts(self) -> bool:
        """Is its value a number of things, and not a share?"""
        return self.data.get("scale") == "count"


def compile_metric(unit: Unit, document: Document) -> Metric:
    """Checks `let`, `when` and `value` for every persona that the metric can meet, and infers its evidence."""
    body = unit.body(document)
    cohorts = [unit.resolve("cohort", node) for node in items(body.get("for"))]
    personas = cohort_personas(unit, items(body.get("for"))) if cohorts else package_personas(unit, document.package)
    currency = store_currency(unit, [d for d in cohorts if d])
    found = [d for d in cohorts if d]
    scopes = [scope("metric", records=known, currency=currency) for known in records(personas)]
    done = [_check(unit, body, close(unit, names, document.package, found)) for names in scopes]
    asks, lets, when, value = done[0]
    _check_value(unit, body.get("value"), value)
    _check_used(unit, [*entries(body.get("ask")), *ordered_entries(body.get("let"))], lets, when, value)
    evidence = frozenset[str]().union(*(a.evidence for a in asks), *(m.evidence for m in [*lets.values(), when, value]))
    data: dict[str, Any] = {
        "name": document.name,
        "title": text(body.get("title"), document.name.replace("_", " ")),
        "doc": text(body.get("doc")),
        "group": text(body.get("group")),
        "better": text(body.get("better")),
        "unit": text(body.get("unit")),
        **({"scale": "count"} if text(body.get("scale")) == "count" else {}),
        "yes_no": t.bare(value.type) == t.BOOL,
        "for": sorted(d.name for d in cohorts if d),
        "ask": [ask.data for ask in asks],
        "kind": _kind(asks, lets, when, value),
        "let": [[name, made.tree] for name, made in lets.items()],
        "when": when.tree if body.get("when") is not None else None,
        "value": value.tree,
        "evidence": "".join(sorted(evidence)),
    }
    return Metric(document.name, data["group"], tuple(data["for"]), evidence, tuple(asks), data, document)


def _kind(asks: list[Ask], lets: dict[str, Compiled], when: Compiled, value: Compiled) -> str:
    """A rule asks nobody; what reads nothing but answers is a model metric; the others are hybrids."""
    read = when.used | value.used | frozenset[str]().union(*(m.used for m in lets.values()))
    if not asks:
        return "rule"
    return "hybrid" if read - {a.name for a in asks} - set(lets) else "model"


def _check(unit: Unit, body: Any, names: Scope) -> tuple[list[Ask], dict[str, Compiled], Compiled, Compiled]:
    asks, names = compile_asks(unit, body.get("ask"), names)
    lets: dict[str, Compiled] = {}
    for key, node in ordered_entries(body.get("let")):
        if key.text in names.names:
            unit.sink.add(codes.HIDES_NAME, f"`{key.text}` is known here already", key.span, "choose another name")
        lets[key.text] = made = expression(node, names, unit.sink)
        names = names.with_names({key.text: Entry(made.type, "A name of the metric.")})
    return asks, lets, condition(body.get("when"), names, unit.sink), expression(body.get("value"), names, unit.sink)


def _check_value(unit: Unit, node: Node | None, value: Compiled) -> None:
    if node is None or value.type == t.ANY:
        return
    if t.bare(value.type) not in (t.BOOL, t.INT, t.NUMBER):
        from shopdsl.dsl.typewords import article

        message = f"the value of a metric is a number from 0 to 1 or a bool, and this is {article(value.type)}"
        unit.sink.add(codes.EXPECTED_TYPE, message, _content(node), "count something, or compare it")
    elif not value.used and not value.failed:
        unit.sink.add(
            codes.CONSTANT_METRIC, "this value is the same for every trial", _content(node), "use what the trial recorded"
        )


def _content(node: Node) -> Span:
    return node.content if isinstance(node, Scalar) else node.span


def _check_used(unit: Unit, named: list[Any], lets: dict[str, Compiled], when: Compiled, value: Compiled) -> None:
    used = when.used | value.used | frozenset().union(*(m.used for m in lets.values()))
    for key, _ in named:
        if key.text not in used:
            unit.sink.add(codes.UNUSED_LET, f"nothing uses `{key.text}`", key.span, "remove it")
