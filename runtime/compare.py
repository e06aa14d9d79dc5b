"""Two runs trial by trial: what differs in each metric of a cohort, how surely, and in whose favour."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shopdsl.runtime.statistics import around, bootstrap_means, holm, interval, sign_flip

ALPHA = 0.05
"""Adjusted p-values below are called a difference; so many of all comparisons would have such a p by chance, unadjusted."""

Grade = Callable[[Any, list[str]], Any]
"""The scores of means: from a (samples × metrics) matrix and the names of its columns, a score a sample, NaN where there is none."""


@dataclass(frozen=True)
class Table:
    """The values of a run in one cohort: a row a record, a column a metric; NaN is a value that does not apply or could not be told."""

    trials: list[str]
    repeats: list[int]
    metrics: list[str]
    values: Any


@dataclass(frozen=True)
class Difference:
    """Two means over the same trials, and `b - a` with its interval; `n` counts the trials, `better` is the run that it favours."""

    a: float | None = None
    b: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    p: float | None = None
    p_adjusted: float | None = None
    better: str = "-"

    @property
    def significant(self) -> bool:
        return self.p_adjusted is not None and self.p_adjusted < ALPHA

    def as_data(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class Comparison:
    """A cohort in two runs: over the trials that both have values for."""

    trials: int
    score: Difference
    metrics: dict[str, Difference] = field(default_factory=dict)

    @property
    def comparisons(self) -> int:
        return sum(m.p is not None for m in self.metrics.values())

    def as_data(self) -> dict[str, Any]:
        score = {k: getattr(self.score, k) for k in ("a", "b", "difference", "low", "high")}
        return {"trials": self.trials, "score": score, "metrics": {name: m.as_data() for name, m in self.metrics.items()}}


def compare(a: Table, b: Table, better: dict[str, str], grade: Grade | None = None) -> Comparison:
    """Compare the trials that both tables have, in the metrics that both have; `better` says which way a metric is good."""
    import numpy as np

    names = [m for m in a.metrics if m in b.metrics]
    shared = sorted(set(a.trials) & set(b.trials), key=natural)
    if not shared or not names:
        return Comparison(len(shared), Difference())
    first, second = (by_trial(t, shared, names) for t in (a, b))
    both = ~np.isnan(first) & ~np.isnan(second)
    paired = np.where(both, np.round(second - first, 12), np.nan)  # means of repeats that are equal may differ in their last bit
    samples = np.split(bootstrap_means(np.hstack([first, second, paired])), 3, axis=1)  # at once: all three are resampled alike
    columns = {
        name: _difference(first[known, i], second[known, i], paired[known, i], samples[2][:, i], better[name])
        for i, (name, known) in enumerate(zip(names, both.T, strict=True))
    }
    score = _graded(first, second, samples, names, grade) if grade else Difference()
    return Comparison(len(shared), score, _adjusted(columns))


def natural(trial: str) -> list[tuple[int, str]]:
    """Sorts trial ids with their numbers as numbers."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", trial)]


def by_trial(table: Table, trials: list[str], metrics: list[str]) -> Any:
    """A (trials × metrics) matrix; the repeats of a trial are averaged over those that have a value."""
    import numpy as np

    row = {trial: i for i, trial in enumerate(trials)}
    kept = [i for i, trial in enumerate(table.trials) if trial in row]
    kept.sort(key=lambda i: (row[table.trials[i]], table.repeats[i]))
    values = np.asarray(table.values, dtype=float)[kept][:, [table.metrics.index(m) for m in metrics]]
    sums, counts = np.zeros((len(trials), len(metrics))), np.zeros((len(trials), len(metrics)))
    places = np.array([row[table.trials[i]] for i in kept])
    np.add.at(sums, places, np.nan_to_num(values))
    np.add.at(counts, places, ~np.isnan(values))
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _difference(a: Any, b: Any, paired: Any, samples: Any, better: str) -> Difference:
    if not len(paired):
        return Difference()
    found = float(paired.mean())
    low, high = around(found, interval(samples)) or (found, found)
    favours = "-" if found == 0 else "b" if (found > 0) == (better == "higher") else "a"
    return Difference(float(a.mean()), float(b.mean()), found, low, high, len(paired), sign_flip(paired), None, favours)


def _adjusted(columns: dict[str, Difference]) -> dict[str, Difference]:
    adjusted = holm([d.p for d in columns.values()])
    return {name: Difference(**{**vars(d), "p_adjusted": p}) for (name, d), p in zip(columns.items(), adjusted, strict=True)}


def _graded(first: Any, second: Any, samples: list[Any], names: list[str], grade: Grade) -> Difference:
    """The scores of both runs; each of a metric's means is over the trials in which it applies in that run, as in a report."""
    import numpy as np

    a, b = (float(grade(_means(matrix), names)[0]) for matrix in (first, second))
    if np.isnan([a, b]).any():
        return Difference(None if np.isnan(a) else a, None if np.isnan(b) else b, n=len(first))
    spread = interval(grade(samples[1], names) - grade(samples[0], names))
    better = "-" if a == b else "b" if b > a else "a"
    low, high = around(b - a, spread) or (b - a, b - a)
    return Difference(a, b, b - a, low, high, len(first), better=better)


def _means(matrix: Any) -> Any:
    """The means of the columns as a matrix of one row; NaN where a column has no value."""
    import numpy as np

    counts = (~np.isnan(matrix)).sum(axis=0)
    return np.where(counts > 0, np.nan_to_num(matrix).sum(axis=0) / np.maximum(counts, 1), np.nan)[None, :]
