"""`suite`: cohorts that are run and reported together, each with its rubric."""

from __future__ import annotations

from dataclasses import dataclass

from shopdsl.compiler.kinds.cohort import Cohort, compile_cohort
from shopdsl.compiler.kinds.rubric import check_rubric
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, entries, items, text, value
from shopdsl.dsl.diagnostics import codes


@dataclass(frozen=True)
class Suite:
    """A compiled suite; `rubrics` maps the name of a cohort to the document of its rubric."""

    name: str
    seed: int
    cohorts: list[Cohort]
    rubrics: dict[str, Document]
    document: Document


def compile_suite(unit: Unit, document: Document) -> Suite:
    """Resolves cohorts and rubrics; a cohort without a rubric is reported."""
    body = unit.body(document)
    found = [(node, unit.resolve("cohort", node)) for node in items(body.get("cohorts"))]
    cohorts = [unit.compiled(compile_cohort, d) for _, d in found if d]
    rubrics: dict[str, Document] = {}
    names = {c.name for c in cohorts}
    for key, node in entries(body.get("rubrics")):
        rubric = unit.resolve("rubric", node)
        if key.text not in names:
            unit.sink.add(
                codes.UNRESOLVED, f"`{key.text}` is not a cohort of this suite", key.span, f"cohorts: {', '.join(sorted(names))}"
            )
        elif rubric:
            rubrics[key.text] = rubric
            check_rubric(unit, rubric, next(c.document for c in cohorts if c.name == key.text))
    for node, cohort in found:
        if cohort and cohort.name not in {k.text for k, _ in entries(body.get("rubrics"))}:
            help = f"add `{cohort.name}: RUBRIC` to `rubrics`"
            unit.sink.add(codes.COHORT_UNSCORED, f"no rubric scores the cohort `{text(node)}`", node.span, help)
    return Suite(document.name, value(body.get("seed"), 0), cohorts, rubrics, document)
