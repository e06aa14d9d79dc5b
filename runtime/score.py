"""Scores of a run: every metric of every cohort, with intervals and bounds, never averaged over cohorts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.runtime.examine import FULL, LOST, UNSCORED, Examiner, Seen
from shopdsl.runtime.manifest import RunBroken
from shopdsl.runtime.report.tasks import Tasks
from shopdsl.runtime.statistics import bootstrap_means, bounds, interval, pass_curves, ratio

Curves = dict[str, dict[int, tuple[float, float, float]]]


@dataclass
class MetricScore:
    """A metric over the trials of a cohort, in its unit; `value` is None where it never applied.

    `low` and `high` are its interval; `least` and `most` what it could be if every trial that is lost or unscored had been 0 or 1.
    """

    name: str
    title: str
    group: str
    better: str
    kind: str
    unit: str
    scale: str = "share"
    value: float | None = None
    low: float | None = None
    high: float | None = None
    least: float | None = None
    most: float | None = None
    n: int = 0
    not_applicable: int = 0
    unscored: int = 0
    failures: list[str] = field(default_factory=list)
    passes: Curves = field(default_factory=dict)


@dataclass
class CohortScore:
    """A cohort: its metrics, its score (oriented, 0 to 1), how trials ended, and calls a turn by tier, with an interval.

    `trials` counts what was to be played, repeats included; `ceiling` is the share of wanted items that a search for their own title shows.
    """

    name: str
    title: str
    trials: int
    metrics: dict[str, MetricScore]
    score: float | None = None
    low: float | None = None
    high: float | None = None
    lost: int = 0
    unfaithful: int = 0
    ceiling: float | None = None
    ends: Counter[str] = field(default_factory=Counter)
    ends_by_tier: dict[str, Counter[str]] = field(default_factory=dict)
    density: dict[str, tuple[float, float, float] | None] = field(default_factory=dict)
    gates: list[dict[str, Any]] = field(default_factory=list)
    tasks: Tasks | None = None


class Scorer:
    """Adds up what an examiner sees of the records of one run. What is kept of a record is a number a metric."""

    def __init__(self, examiner: Examiner, trials: Iterable[str], repeat: int) -> None:
        self.examiner, self.repeat = examiner, repeat
        self._played = frozenset(trials := list(trials))
        self.scoring = examiner.scoring
        cohorts = examiner.world.header["cohorts"]
        expected = Counter(t.rpartition("/")[0] for t in trials)
        self.scores = {c: self._empty(c, cohorts[c]["title"], expected[c] * repeat) for c in cohorts}
        self._rows: dict[str, dict[tuple[str, int], Any]] = {c: {} for c in cohorts}
        self._reachable: dict[str, tuple[int, int]] = dict.fromkeys(cohorts, (0, 0))
        self._pace: dict[str, dict[str, list[tuple[int, int]]]] = {c: {} for c in cohorts}

    def _empty(self, cohort: str, title: str, trials: int) -> CohortScore:
        data = {n: self.examiner.metrics[n].data for n in self.examiner.applying[cohort]}
        metrics = {
            n: MetricScore(n, d["title"], d["group"], d["better"], d.get("kind", "rule"), d["unit"], d.get("scale", "share"))
            for n, d in data.items()
        }
        return CohortScore(cohort, title, trials, metrics)

    def take(self, seen: Seen) -> None:
        """Add one record; a second one of the same trial is a RunBroken."""
        score, rows, key = self.scores[seen.cohort], self._rows[seen.cohort], (seen.trial, seen.repeat)
        if seen.trial not in self._played or not 0 <= seen.repeat < self.repeat:
            raise RunBroken(f"the record of trial {seen.trial} (repeat {seen.repeat}) is not one of this run; it is left out")
        if key in rows:
            raise RunBroken(f"there are two records of trial {seen.trial}; the second is left out")
        score.ends[seen.reason] += 1
        score.ends_by_tier.setdefault(seen.tier, Counter())[seen.reason] += 1
        rows[key] = None if seen.reason in LOST else seen.values
        if seen.reason not in LOST:
            self._pace[seen.cohort].setdefault(seen.tier, []).append((seen.turns, seen.calls))
        score.unfaithful += seen.unfaithful > 0
        if seen.task is not None:
            score.tasks = score.tasks or Tasks([])
            score.tasks.rows.append(seen.task)
        found, wanted = self._reachable[seen.cohort]
        self._reachable[seen.cohort] = found + seen.reachable[0], wanted + seen.reachable[1]
        for name, why in seen.failures.items():
            if len(score.metrics[name].failures) < 3:
                score.metrics[name].failures.append(f"{seen.trial}: {why}")

    def table(self, cohort: str) -> tuple[list[str], list[int], list[str], Any]:
        """Trials, repeats, metric names, and a (records × metrics) array: NaN where a metric does not apply or is unscored."""
        import numpy as np

        keys, raw = self._matrix(cohort)
        return (
            [t for t, _ in keys],
            [r for _, r in keys],
            list(self.scores[cohort].metrics),
            np.where(raw == UNSCORED, np.nan, raw),
        )

    def _matrix(self, cohort: str) -> tuple[list[tuple[str, int]], Any]:
        """The records in the order of their trials, whatever order they were written in, and their raw values."""
        import numpy as np

        rows = {key: row for key, row in self._rows[cohort].items() if row is not None}
        keys = sorted(rows, key=lambda key: (int(key[0].rpartition("/")[2]), key))
        width = len(self.scores[cohort].metrics)
        return keys, np.array([rows[key] for key in keys], dtype=float).reshape(len(keys), width)

    def result(self) -> dict[str, CohortScore]:
        """Means, intervals, bounds and scores, by cohort."""
        for name, score in self.scores.items():
            keys, raw = self._matrix(name)
            score.lost = max(0, score.trials - len(keys))
            score.density = {tier: ratio(pairs) for tier, pairs in self._pace[name].items()}
            found, wanted = self._reachable[name]
            score.ceiling = found / wanted if wanted and self.examiner.view == FULL else None
            self._summarise(score, [t for t, _ in keys], raw)
        return self.scores

    def _summarise(self, score: CohortScore, trials: list[str], raw: Any) -> None:
        import numpy as np

        if not len(raw) or not score.metrics:
            for metric in (m for m in score.metrics.values() if m.scale == "share") if score.lost else ():
                metric.least, metric.most = 0.0, 1.0
            return
        values = np.where(raw == UNSCORED, np.nan, raw)
        by_trial = _by_trial(trials, values)
        samples = bootstrap_means(by_trial)
        for column, metric in enumerate(score.metrics.values()):
            metric.unscored = int((raw[:, column] == UNSCORED).sum())
            metric.not_applicable = int(np.isnan(raw[:, column]).sum())
            metric.n = len(raw) - metric.unscored - metric.not_applicable
            _describe(metric, by_trial[:, column], samples[:, column])
            if (metric.n or metric.unscored) and metric.scale == "share":
                metric.least, metric.most = bounds(values[:, column].tolist(), score.lost, metric.unscored) or (None, None)
            data = self.examiner.metrics[metric.name].data
            if self.repeat > 1 and data.get("yes_no"):
                success = 1.0 if metric.better == "higher" else 0.0
                metric.passes = _passes(trials, values[:, column], self.repeat, success)
        rubric = self.scoring["rubrics"].get(score.name)
        if rubric and self.examiner.view == FULL:
            _grade(score, rubric, samples)


def _describe(metric: MetricScore, values: Any, samples: Any) -> None:
    import numpy as np

    if metric.n:
        metric.value = float(np.nanmean(values))
        found = interval(samples)
        metric.low, metric.high = found if found else (None, None)


def _passes(trials: list[str], values: Any, repeat: int, success: float) -> Curves:
    """pass^k and pass@k of a metric that is yes or no, over the trials that have all their repeats; `success` is the good one of 0 and 1."""
    counts = Counter(t for t, v in zip(trials, values, strict=True) if v == v)
    whole = {t: 0 for t, n in counts.items() if n == repeat}
    for trial, value in zip(trials, values, strict=True):
        if trial in whole and value == success:
            whole[trial] += 1
    return pass_curves(list(whole.values()), repeat) if whole else {}


def _grade(score: CohortScore, rubric: dict[str, Any], samples: Any) -> None:
    import numpy as np

    metrics = list(score.metrics.values())
    value = weighted(np.array([[m.value if m.value is not None else np.nan for m in metrics]]), metrics, rubric)[0]
    score.score = None if value != value else float(value)
    found = interval(weighted(samples, metrics, rubric))
    score.low, score.high = found if found else (None, None)
    for gate in rubric["gates"]:
        if (metric := score.metrics.get(gate["metric"])) is not None:
            known = metric.value is not None
            passed = bool(guarded(compile_tree(gate["require"]))(Env({"value": metric.value}))) if known else None
            score.gates.append({"metric": gate["metric"], "passed": passed, "else": gate["else"]})


def _by_trial(trials: list[str], values: Any) -> Any:
    """A (trials × metrics) matrix; repeats of a trial are averaged, what does not apply is NaN."""
    import numpy as np

    places = {t: i for i, t in enumerate(dict.fromkeys(trials))}
    rows = np.array([places[t] for t in trials])
    known = ~np.isnan(values)
    sums, counts = (np.zeros((len(places), values.shape[1])) for _ in range(2))
    np.add.at(sums, rows, np.where(known, values, 0))
    np.add.at(counts, rows, known)
    with np.errstate(invalid="ignore"):
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def weighted(means: Any, metrics: list[MetricScore], rubric: dict[str, Any]) -> Any:
    """Σ weight × mean of the group's oriented metrics, weights re-normalised over the groups that have one; one row a sample."""
    import numpy as np

    named = rubric["metrics"]
    total, weight_sum = np.zeros(len(means)), np.zeros(len(means))
    for group, text in sorted(rubric["weights"].items()):
        columns = [
            i for i, m in enumerate(metrics) if m.group == group and (m.scale == "share" if named is None else m.name in named)
        ]
        if not columns:
            continue
        block = means[:, columns].astype(float)
        flip = np.array([metrics[i].better == "lower" for i in columns])
        block = np.where(flip, 1 - block, block)
        known = ~np.isnan(block)
        counts = known.sum(axis=1)
        mean = np.where(known, block, 0).sum(axis=1) / np.maximum(counts, 1)
        weight = float(text) * (counts > 0)
        total += weight * mean
        weight_sum += weight
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(weight_sum > 0, total / weight_sum, np.nan)


def as_data(plan: str, agent: str, judge: str, scores: dict[str, CohortScore]) -> dict[str, Any]:
    """The shape of `score --format json`."""
    return {
        "plan": plan,
        "agent": agent,
        "judge": judge,
        "trials": sum(c.trials for c in scores.values()),
        "lost": sum(c.lost for c in scores.values()),
        "cohorts": {name: _cohort_data(c) for name, c in scores.items()},
    }


def _cohort_data(c: CohortScore) -> dict[str, Any]:
    return {
        "score": c.score,
        "low": c.low,
        "high": c.high,
        "metrics": {m.name: _metric_data(m) for m in c.metrics.values()},
        "ends": dict(sorted(c.ends.items())),
        "gates": c.gates,
        "lost": c.lost,
        "unfaithful": c.unfaithful,
        "ceiling": c.ceiling,
        **({"tasks": c.tasks.data()} if c.tasks else {}),
    }


def _metric_data(m: MetricScore) -> dict[str, Any]:
    data: dict[str, Any] = {
        "value": m.value, "low": m.low, "high": m.high, "n": m.n, "n/a": m.not_applicable, "unscored": m.unscored,
        "least": m.least, "most": m.most, "kind": m.kind, "unit": m.unit,
    }  # fmt: skip
    return data | {name: {str(k): list(v) for k, v in curve.items()} for name, curve in m.passes.items()}
