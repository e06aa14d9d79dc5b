"""The heuristic judge: answers by the rules that each question brings along, without a model."""

from __future__ import annotations

from typing import Any

from shopdsl.dsl.values import Row
from shopdsl.runtime.judges.question import Question, Unscored


class Rules:
    """Evaluates the rules of a question."""

    title = "heuristic: rules, no model"

    def answers(self, question: Question) -> list[dict[str, Any]]:
        judge = question.judge
        if judge.rules is None:
            raise Unscored(f"the judge `{judge.name}` has no rules; name a model with --judge")
        made = judge.rules(question.env)
        rows = made if judge.many else [made]
        return [_fields(judge.name, judge.data["verdict"], row) for row in rows or [] if row is not None]


def _fields(name: str, verdicts: list[str], row: Row) -> dict[str, Any]:
    fields = dict(row.fields())
    if fields.get("verdict") not in verdicts:
        raise Unscored(f"the rules of `{name}` give the verdict {fields.get('verdict')!r}")
    return fields
