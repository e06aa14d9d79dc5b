"""What is allowed and most likely a mistake."""

from __future__ import annotations

from shopdsl.compiler.kinds.cohort import compile_cohort
from shopdsl.compiler.kinds.metric import compile_metric
from shopdsl.compiler.kinds.rubric import compile_rubric, metrics_of
from shopdsl.compiler.unit import Unit, entries
from shopdsl.dsl.diagnostics import codes

SHAPE_ONLY = ("skill",)


def lint(unit: Unit, package: str) -> None:
    """Report warnings for the documents of one package."""
    _shape_only(unit, package)
    _unscored(unit, package)
    _unasked(unit, package)
    _case_judges(unit, package)


def _case_judges(unit: Unit, package: str) -> None:
    """A judge that a case names decides something only if a metric of its cohort asks it."""
    for document in unit.documents("cohort", package):
        cohort = unit.compiled(compile_cohort, document)
        asked = {id(a.judge.node) for m in metrics_of(unit, package, document) for a in m.asks}
        for node, judge in ((n, d) for case in cohort.cases for n, d in case.judges):
            if id(judge.node) not in asked:
                message = f"no metric of the cohort `{cohort.name}` asks the judge `{judge.name}`"
                unit.sink.add(
                    codes.UNASKED_JUDGE, message, node.span, "name a judge that one of its metrics asks, or write such a metric"
                )


def _unasked(unit: Unit, package: str) -> None:
    """A question that no metric asks decides nothing."""
    asked = {id(a.judge.node) for d in unit.documents("metric") for a in unit.compiled(compile_metric, d).asks}
    for document in unit.documents("judge", package):
        if unit.body(document).get("by") is None and id(document.node) not in asked:
            help = f"ask it in a metric: `ask: {{answers: {{judge: {document.name}, …}}}}`"
            unit.sink.add(codes.UNASKED_JUDGE, f"no metric asks the judge `{document.name}`", document.span, help)


def _shape_only(unit: Unit, package: str) -> None:
    for kind in SHAPE_ONLY:
        for document in unit.documents(kind, package):
            message = f"this version checks a `{kind}` for its shape only"
            unit.sink.add(codes.SHAPE_ONLY, message, document.span, "it takes part in nothing yet")


def _unscored(unit: Unit, package: str) -> None:
    """A metric that no rubric scores is reported, but counts for nothing."""
    rubrics = [unit.compiled(compile_rubric, d) for d in unit.documents("rubric")]
    gated = {g["metric"] for r in rubrics for g in r.data["gates"]}
    weighed = {k.text for d in unit.documents("rubric") for k, _ in entries(unit.body(d).get("weights"))}
    for document in unit.documents("metric", package):
        group = unit.body(document).get("group")
        if document.name in gated:
            continue
        if unit.compiled(compile_metric, document).counts:
            continue
        listed = any(r.metrics is None or document.name in r.metrics for r in rubrics)
        if not listed or (group is not None and getattr(group, "text", "") not in weighed):
            message = f"no rubric scores the metric `{document.name}`: it is reported, and counts for nothing"
            unit.sink.add(codes.UNSCORED_METRIC, message, document.span, "give its group a weight in a rubric, or name it there")
