"""`rubric`: the metrics, weights and gates that score one cohort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.expressions import condition
from shopdsl.compiler.kinds.metric import Metric, compile_metric
from shopdsl.compiler.kinds.toolset import penalties
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, decimal_text, entries, items, text
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.records import Entry
from shopdsl.dsl.tree import Mapping, Node
from shopdsl.dsl.vocabulary import scope


@dataclass(frozen=True)
class Rubric:
    """A compiled rubric; `metrics` is None where it scores every metric that applies."""

    name: str
    metrics: tuple[str, ...] | None
    data: dict[str, Any]


def compile_rubric(unit: Unit, document: Document) -> Rubric:
    """Checks weights, metrics and gates; groups are checked with the cohort (`check_rubric`)."""
    body = unit.body(document)
    named = body.get("metrics")
    metrics = None if named is None else [d for n in items(named) if (d := unit.resolve("metric", n))]
    if metrics is not None and not metrics:
        unit.sink.add(
            codes.RUBRIC_EMPTY,
            "this rubric names no metric",
            named.span if named else document.span,
            "name one, or leave `metrics` out",
        )
    gates = [_gate(unit, node) for node in items(body.get("gates")) if isinstance(node, Mapping)]
    data: dict[str, Any] = {
        "weights": {k.text: decimal_text(v) for k, v in entries(body.get("weights"))},
        "metrics": None if metrics is None else sorted(d.name for d in metrics),
        "gates": gates,
        "penalties": penalties(body.get("penalties")),
    }
    return Rubric(document.name, tuple(data["metrics"]) if metrics is not None else None, data)


def _gate(unit: Unit, node: Mapping) -> dict[str, Any]:
    metric = unit.resolve("metric", node.get("metric"))
    names = scope("search")
    names.names = {"value": Entry(t.NUMBER, "The metric's mean over the cohort.")}
    return {
        "metric": metric.name if metric else "",
        "require": condition(node.get("require"), names, unit.sink).tree,
        "else": text(node.get("else")),
    }


def check_rubric(unit: Unit, document: Document, scored_cohort: Document) -> None:
    """Report groups without a metric, and metrics that do not apply to the cohort that the rubric scores."""
    body, cohort = unit.body(document), scored_cohort.name
    rubric = unit.compiled(compile_rubric, document)
    applying = metrics_of(unit, unit.workspace.main.name, scored_cohort)
    scored = (
        [m for m in applying if m.name in rubric.metrics] if rubric.metrics is not None else [m for m in applying if not m.counts]
    )
    groups = {m.group for m in scored}
    if not applying or not scored:
        unit.sink.add(
            codes.RUBRIC_EMPTY,
            f"no metric of this rubric applies to the cohort `{cohort}`",
            document.span,
            f"write a metric with `for: [{cohort}]`",
        )
        return
    for key, _ in entries(body.get("weights")):
        if key.text not in groups:
            help = nearest(key.text, groups) or f"groups with a metric: {', '.join(sorted(groups))}"
            unit.sink.add(codes.GROUP_WITHOUT_METRIC, f"no metric of `{cohort}` is in the group `{key.text}`", key.span, help)
    _check_named(unit, items(body.get("metrics")), {m.name for m in applying}, cohort)
    _check_counts(unit, items(body.get("metrics")), {m.name for m in applying if m.counts})


def _check_named(unit: Unit, nodes: list[Node], applying: set[str], cohort: str) -> None:
    for node in nodes:
        name = text(node).rpartition(".")[2]
        if name and name not in applying and unit.resolve("metric", node):
            unit.sink.add(
                codes.NOT_FOR_COHORT,
                f"`{name}` does not apply to the cohort `{cohort}`",
                node.span,
                f"add `{cohort}` to its `for`",
            )


def _check_counts(unit: Unit, nodes: list[Node], counts: set[str]) -> None:
    """What has no best value cannot be averaged with shares."""
    for node in nodes:
        if text(node).rpartition(".")[2] in counts:
            message = f"`{text(node)}` is a count, and a rubric scores shares"
            unit.sink.add(codes.NOT_FOR_COHORT, message, node.span, "leave it out: it is reported; or make it a gate")


def metrics_of(unit: Unit, package: str, cohort: Document) -> list[Metric]:
    """The metrics that apply to a cohort, as seen from a package: those for it, for one that it extends, or for all."""
    compiled = [unit.compiled(compile_metric, d) for d in unit.visible("metric", package)]
    names = set(unit.lineage(cohort))
    return [m for m in compiled if not m.cohorts or names & set(m.cohorts)]
