"""The metrics of a trial as a score of Inspect: one value a metric, NaN where it does not apply, and a mean for each cohort."""

from __future__ import annotations

import math

from inspect_ai.scorer import Metric, Score, grouped, mean

from shopdsl.runtime.examine import LOST, Examiner, Look

NAME = "metrics"
"""Under which the score of a sample stands."""


def by_cohort() -> Metric:
    """The mean of each cohort; cohorts are never averaged."""
    return grouped(mean(), "cohort", all=False)


def means(examiner: Examiner) -> dict[str, list[Metric]]:
    """What is computed of each metric over all samples."""
    return {name: [mean() if len(examiner.applying) == 1 else by_cohort()] for name in examiner.metrics}


def score(examiner: Examiner, look: Look) -> Score:
    """The score of a record; unscored where its end is nobody's performance."""
    seen, end = examiner.summary(look), look.record["end"]
    ended = f"ended with {seen.reason}" + (f": {end['detail']}" if end.get("detail") else "")
    if seen.reason in LOST:
        return Score.unscored(reason="scoring_failed", explanation=ended)
    told = [f"{name} could not be told: {why}" for name, why in seen.failures.items()]
    explanation = "\n".join([f"{ended}, after {seen.turns} messages of the customer and {seen.calls} calls", *told])
    return Score(value=values(examiner, look.values), explanation=explanation, metadata={"unfaithful": seen.unfaithful})


def values(examiner: Examiner, known: dict[str, float | None]) -> dict[str, float]:
    """All metrics, in every score the same: Inspect leaves NaN out of its means, and refuses scores that differ in their keys."""
    found = {name: known.get(name) for name in examiner.metrics}
    return {name: math.nan if value is None else value for name, value in found.items()}
