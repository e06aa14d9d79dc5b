"""Records to scores: every metric of every cohort, with intervals, never averaged over cohorts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from shopdsl.dsl.env import Env, Lazy
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.loops import Compiled
from shopdsl.dsl.values import Failed
from shopdsl.dsl.vocabulary import VIEWS
from shopdsl.runtime.evidence import Reader, penalty_rows
from shopdsl.runtime.record import RunBroken
from shopdsl.runtime.statistics import bootstrap_means, interval
from shopdsl.runtime.world import World

LOST = ("lost", "infrastructure", "customer_error", "judge_error")
"""End reasons that are nobody's performance: such trials are shown, and not scored."""


@dataclass
class MetricScore:
    """A metric over the trials of a cohort; `value` is None where it never applied."""

    name: str
    title: str
    group: str
    better: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    not_applicable: int = 0
    unscored: int = 0
    failures: list[str] = field(default_factory=list)


@dataclass
class CohortScore:
    """A cohort: its metrics, its score (oriented, 0 to 1), how trials ended, and how dense tool calls were by tier."""

    name: str
    title: str
    trials: int
    metrics: dict[str, MetricScore]
    score: float | None = None
    low: float | None = None
    high: float | None = None
    lost: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    ends_by_tier: dict[str, Counter[str]] = field(default_factory=dict)
    calls_by_tier: dict[str, tuple[int, int]] = field(default_factory=dict)
    gates: list[dict[str, Any]] = field(default_factory=list)


class MetricValue:
    """A metric, compiled; `view` is the evidence that it may use."""

    def __init__(self, data: dict[str, Any], view: str) -> None:
        self.data = data
        self.visible = set(data["evidence"]) <= set(VIEWS[view])
        self.lets: list[tuple[str, Compiled]] = [(n, guarded(compile_tree(t))) for n, t in data["let"]]
        self.when = guarded(compile_tree(data["when"])) if data["when"] else None
        self.value = guarded(compile_tree(data["value"]))

    def of(self, names: dict[str, Any]) -> float | None:
        """The value for one trial, or None where it does not apply; raises Failed."""
        if not self.visible:
            return None
        env = Env(dict(names))
        for name, run in self.lets:
            env.names[name] = Lazy(lambda run=run: run(env))  # type: ignore[misc]
        if self.when is not None and not self.when(env):
            return None
        value = self.value(env)
        if value is None:
            return None
        number = float(value)
        if not 0 <= number <= 1:
            raise Failed(f"its value is {number:g}, outside of 0 to 1")
        return number


class Scorer:
    """Scores the records of one run."""

    def __init__(self, world: World, scoring: dict[str, Any] | None = None, view: str = "full") -> None:
        self.world = world
        self.scoring = scoring or world.header
        self.metrics = {n: MetricValue(m, view) for n, m in self.scoring["metrics"].items()}
        self.cohorts = world.header["cohorts"]
        penalties = {name: self._penalties(name) for name in self.cohorts}
        self.reader = Reader(penalties, self.scoring.get("forbid", {}), self.scoring.get("cases", {}))
        self.rows: dict[str, dict[tuple[str, int], dict[str, float | None]]] = {c: {} for c in self.cohorts}
        self.scores = {c: self._empty(c) for c in self.cohorts}

    def _penalties(self, cohort: str) -> dict[str, Any]:
        toolset = self.world.header["stores"][self.cohorts[cohort]["store"]]["toolset"]["penalties"]
        rubric = self.scoring["rubrics"].get(cohort, {}).get("penalties", {})
        return penalty_rows(toolset | rubric)

    def _empty(self, cohort: str) -> CohortScore:
        applying = {n: m.data for n, m in self.metrics.items() if cohort in m.data["for"]}
        metrics = {n: MetricScore(n, d["title"], d["group"], d["better"]) for n, d in applying.items()}
        about = self.cohorts[cohort]
        return CohortScore(cohort, about["title"], about["trials"], metrics)

    def expect(self, trials: Iterable[str]) -> None:
        """Score only these trials: the inventory of a run, which may be a part of its plan."""
        for name, score in self.scores.items():
            score.trials = sum(t.rpartition("/")[0] == name for t in trials)

    def read(self, records: Iterable[dict[str, Any]]) -> None:
        """Score every record, one at a time; a record of another plan is a RunBroken."""
        for record in records:
            data = self.world.plan.trial(record["trial"])
            if data is None or data["task"] != record["task"]:
                raise RunBroken(f"the record of trial {record['trial']} belongs to another plan")
            self._one(self.world.trial(data), record)

    def _one(self, trial: Any, record: dict[str, Any]) -> None:
        score = self.scores[record["cohort"]]
        reason = record["end"]["reason"]
        tier = str(trial.data["drawn"].get("tier", ""))
        score.ends[reason] += 1
        score.ends_by_tier.setdefault(tier, Counter())[reason] += 1
        if reason in LOST:
            score.lost += 1
            return
        try:
            names = self.reader.names(trial, record)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            what = f"{type(error).__name__}: {error}"
            raise RunBroken(f"the record of trial {trial.id} cannot be read; it was edited or damaged ({what})") from None
        turns, calls = score.calls_by_tier.get(tier, (0, 0))
        score.calls_by_tier[tier] = turns + len(names["turns"]), calls + sum(e["type"] == "call" for e in record["events"])
        row: dict[str, float | None] = {}
        for name, metric in score.metrics.items():
            row[name] = self._value(metric, name, names, trial.id)
        self.rows[record["cohort"]][trial.id, record.get("repeat", 0)] = row

    def _value(self, metric: MetricScore, name: str, names: dict[str, Any], trial: str) -> float | None:
        try:
            return self.metrics[name].of(names)
        except Failed as error:
            metric.unscored += 1
            if len(metric.failures) < 3:
                metric.failures.append(f"{trial}: {error}")
            return float("nan")

    def result(self) -> dict[str, CohortScore]:
        """Means, intervals and scores, by cohort."""
        for name, score in self.scores.items():
            score.lost += max(0, score.trials - len({t for t, _ in self.rows[name]}) - score.lost)
            self._summarise(score, self.rows[name])
        return self.scores

    def _summarise(self, score: CohortScore, rows: dict[tuple[str, int], dict[str, float | None]]) -> None:
        import numpy as np

        names = list(score.metrics)
        for name in names:
            values = [row[name] for row in rows.values()]
            score.metrics[name].not_applicable = sum(v is None for v in values)
            score.metrics[name].n = sum(v is not None and v == v for v in values)
        if not rows or not names:
            return
        matrix = _by_trial(rows, names)
        samples = bootstrap_means(matrix)
        with np.errstate(invalid="ignore"):
            means = np.nanmean(np.where(np.isnan(matrix).all(axis=0), 0, matrix), axis=0)
        for column, name in enumerate(names):
            metric = score.metrics[name]
            if metric.n:
                metric.value = float(means[column])
                bounds = interval(samples[:, column])
                metric.low, metric.high = bounds if bounds else (None, None)
        rubric = self.scoring["rubrics"].get(score.name)
        if rubric:
            self._grade(
                score, rubric, np.array([[m.value if m.value is not None else np.nan for m in score.metrics.values()]]), samples
            )

    def _grade(self, score: CohortScore, rubric: dict[str, Any], means: Any, samples: Any) -> None:
        metrics = list(score.metrics.values())
        value = _weighted(means, metrics, rubric)[0]
        score.score = None if value != value else float(value)
        bounds = interval(_weighted(samples, metrics, rubric))
        score.low, score.high = bounds if bounds else (None, None)
        for gate in rubric["gates"]:
            found = score.metrics.get(gate["metric"])
            if found is not None and found.value is not None:
                passed = bool(guarded(compile_tree(gate["require"]))(Env({"value": found.value})))
                score.gates.append({"metric": gate["metric"], "passed": passed, "else": gate["else"]})


def _by_trial(rows: dict[tuple[str, int], dict[str, float | None]], names: list[str]) -> Any:
    """A (trials × metrics) matrix; repeats of a trial are averaged, n/a is NaN."""
    import numpy as np

    grouped: dict[str, list[list[float]]] = {}
    for (trial, _), row in rows.items():
        grouped.setdefault(trial, []).append([np.nan if (v := row[n]) is None else v for n in names])
    result = np.full((len(grouped), len(names)), np.nan)
    for i, repeats in enumerate(grouped.values()):
        block = np.array(repeats)
        known = ~np.isnan(block)
        counts = known.sum(axis=0)
        sums = np.where(known, block, 0).sum(axis=0)
        result[i] = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return result


def _weighted(means: Any, metrics: list[MetricScore], rubric: dict[str, Any]) -> Any:
    """Σ weight × mean of the group's oriented metrics, weights re-normalised over the groups that have one; one row a sample."""
    import numpy as np

    named = rubric["metrics"]
    total, weight_sum = np.zeros(len(means)), np.zeros(len(means))
    for group, text in sorted(rubric["weights"].items()):
        columns = [i for i, m in enumerate(metrics) if m.group == group and (named is None or m.name in named)]
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


def as_data(plan: str, agent: str, scores: dict[str, CohortScore]) -> dict[str, Any]:
    """The shape of `score --format json`."""
    return {
        "plan": plan,
        "agent": agent,
        "trials": sum(c.trials for c in scores.values()),
        "lost": sum(c.lost for c in scores.values()),
        "cohorts": {name: _cohort_data(c) for name, c in scores.items()},
    }


def _cohort_data(c: CohortScore) -> dict[str, Any]:
    metrics = {
        m.name: {"value": m.value, "low": m.low, "high": m.high, "n": m.n, "n/a": m.not_applicable, "unscored": m.unscored}
        for m in c.metrics.values()
    }
    return {
        "score": c.score,
        "low": c.low,
        "high": c.high,
        "metrics": metrics,
        "ends": dict(sorted(c.ends.items())),
        "gates": c.gates,
    }
