"""`shopdsl compare`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shopdsl.cli.common import USAGE, Trouble, colour, emit

if TYPE_CHECKING:
    from shopdsl.runtime.compare import Comparison, Difference, Grade, Table
    from shopdsl.runtime.score import MetricScore, Scorer
    from shopdsl.runtime.world import World


@click.command("compare")
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How the comparison is printed.")
def command(a: Path, b: Path, format_: str) -> None:
    """Compare two runs of one suite, trial by trial.

    Only trials that are the same in both runs are compared, and a metric only where it has a value in both; both are scored
    with the metrics of the first run's plan. Repeats of a trial are averaged first.

    Example: shopdsl compare runs/before runs/after
    """
    from shopdsl.dsl.plan import PlanError
    from shopdsl.runtime.manifest import RunBroken

    try:
        pair = _pair(a, b)
        found = _compared(pair)
    except (RunBroken, PlanError) as error:
        raise Trouble(str(error), USAGE) from None
    if format_ == "json":
        emit(_data(pair, found))
    else:
        click.echo("\n".join(_text(pair, found, colour())))


# reading


@dataclass
class Side:
    """One of the two runs: scored."""

    folder: Path
    manifest: dict[str, Any]
    world: World
    scorer: Scorer


@dataclass
class Pair:
    """Two runs, and which of their trials are the same."""

    a: Side
    b: Side
    shared: set[str]
    apart: dict[str, int]

    @property
    def same_plan(self) -> bool:
        return bool(self.a.manifest["plan"] == self.b.manifest["plan"])


@dataclass
class Cohort:
    """What was found in one cohort."""

    title: str
    metrics: list[MetricScore]
    comparison: Comparison
    lost: dict[str, int]


def _pair(a: Path, b: Path) -> Pair:
    """Both runs, read; a RunBroken or PlanError where one cannot be used or they have nothing in common."""
    from shopdsl.runtime.manifest import RunBroken, read_manifest

    manifests = [read_manifest(folder) for folder in (a, b)]
    suites = [m["suite"] for m in manifests]
    if suites[0] != suites[1]:
        raise RunBroken(f"{a} is a run of the suite `{suites[0]}`, {b} of `{suites[1]}`; runs of one suite can be compared")
    first = _side(a, manifests[0], None)
    in_a, in_b = _tasks(first.world, manifests[0]), _tasks(_world(b, manifests[1], first), manifests[1])
    shared = {t for t, task in in_a.items() if in_b.get(t) == task}
    if not shared:
        raise RunBroken(f"{a} and {b} have no trial in common: none has the same task in both")
    return Pair(first, _side(b, manifests[1], first), shared, _apart(in_a, in_b, shared))


def _world(folder: Path, manifest: dict[str, Any], first: Side | None) -> World:
    """The plan of a run; the one of the first run where it is the same."""
    from shopdsl.dsl.plan import open_plan
    from shopdsl.runtime.manifest import PLAN, RunBroken
    from shopdsl.runtime.world import World

    plan = open_plan(folder / PLAN)
    if plan.digest != manifest["plan"]:
        raise RunBroken(f"the plan in {folder} is not the one that was played")
    return first.world if first and first.world.plan.digest == plan.digest else World(plan)


def _side(folder: Path, manifest: dict[str, Any], first: Side | None) -> Side:
    """A run, scored; the second with the metrics of the first, so that one name never means two things."""
    from shopdsl.cli.scoring import read_run, warn
    from shopdsl.runtime.examine import Examiner
    from shopdsl.runtime.world import undamaged

    world = _world(folder, manifest, first)
    with undamaged(world.plan):
        result = read_run(folder, manifest, Examiner(world, first.world.header if first else None))
    warn(result)
    return Side(folder, manifest, world, result.scorer)


def _tasks(world: World, manifest: dict[str, Any]) -> dict[str, str]:
    """The digest of the task of every trial that a run was to play."""
    from shopdsl.runtime.world import undamaged

    wanted = set(manifest["trials"])
    with undamaged(world.plan):
        return {data["trial"]: data["task"] for data in world.plan.trials() if data["trial"] in wanted}


def _apart(a: dict[str, str], b: dict[str, str], shared: set[str]) -> dict[str, int]:
    """How many trials are not compared, and why."""
    changed = (a.keys() & b.keys()) - shared
    return {"only_a": len(a.keys() - b.keys()), "only_b": len(b.keys() - a.keys()), "another_task": len(changed)}


# comparing


def _compared(pair: Pair) -> dict[str, Cohort]:
    """Every cohort that both runs have trials of; a RunBroken where no trial was played in both."""
    from shopdsl.runtime.manifest import RunBroken

    names = sorted(pair.a.scorer.scores.keys() & pair.b.scorer.scores.keys())
    due = {name: {trial for trial in pair.shared if trial.rpartition("/")[0] == name} for name in names}
    result = {name: _cohort(pair, name, due[name]) for name in names if due[name]}
    if not any(c.comparison.trials for c in result.values()):
        raise RunBroken(f"{pair.a.folder} and {pair.b.folder} have no trial in common: none was played to its end in both")
    return result


def _cohort(pair: Pair, name: str, due: set[str]) -> Cohort:
    from shopdsl.runtime.compare import compare

    about = pair.a.scorer.scores[name]
    metrics = list(about.metrics.values())
    a, b = (_table(side.scorer, name, due) for side in (pair.a, pair.b))
    found = compare(a, b, {m.name: m.better for m in metrics}, _grade(pair.a, name, metrics))
    return Cohort(about.title, metrics, found, {"a": len(due - set(a.trials)), "b": len(due - set(b.trials))})


def _table(scorer: Scorer, cohort: str, due: set[str]) -> Table:
    """The values of these trials of a cohort, of those that have any."""
    import numpy as np

    from shopdsl.runtime.compare import Table

    trials, repeats, names, values = scorer.table(cohort)
    kept = [i for i, trial in enumerate(trials) if trial in due]
    return Table([trials[i] for i in kept], [repeats[i] for i in kept], names, values[np.array(kept, dtype=int)])


def _grade(side: Side, cohort: str, metrics: list[MetricScore]) -> Grade | None:
    """How the rubric of a cohort makes a score of means."""
    from shopdsl.runtime.score import weighted
    from shopdsl.runtime.world import undamaged

    rubric = side.scorer.scoring["rubrics"].get(cohort)
    if not rubric:
        return None

    def grade(means: Any, names: list[str]) -> Any:
        with undamaged(side.world.plan):
            return weighted(means, [m for m in metrics if m.name in names], rubric)

    return grade


# printing


def _total(found: dict[str, Cohort]) -> int:
    return sum(c.comparison.comparisons for c in found.values())


def _data(pair: Pair, found: dict[str, Cohort]) -> dict[str, Any]:
    sides = {name: {**side.manifest["agent"], "folder": str(side.folder)} for name, side in (("a", pair.a), ("b", pair.b))}
    cohorts = {name: {**c.comparison.as_data(), "lost": c.lost} for name, c in found.items()}
    return {**sides, "same_plan": pair.same_plan, "not_compared": pair.apart, "cohorts": cohorts, "comparisons": _total(found)}


def _text(pair: Pair, found: dict[str, Cohort], colour: bool) -> Iterator[str]:
    from shopdsl.dsl.terminal import clean

    for name, side in (("a", pair.a), ("b", pair.b)):
        yield f"{name}  {side.folder}, agent {clean(str(side.manifest['agent'].get('name')))}"
    yield from _said(pair)
    for name, cohort in found.items():
        yield ""
        yield _strong(clean(f"{cohort.title} ({name})"), colour) + f" — {_trials(cohort)}"
        yield from _table_of(cohort, colour)
    yield ""
    yield from _legend(found)


def _said(pair: Pair) -> Iterator[str]:
    """What limits the comparison."""
    if pair.a.folder.resolve() == pair.b.folder.resolve():
        yield "both are the same run: every difference is 0"
    if not pair.same_plan:
        yield f"the plans differ; the {len(pair.shared)} trials with the same task in both are compared, with the metrics of a's plan"
    words = {"only_a": "only in a", "only_b": "only in b", "another_task": "with another task"}
    apart = ", ".join(f"{n} {words[k]}" for k, n in pair.apart.items() if n)
    if apart:
        yield f"trials not compared: {apart}"


def _trials(cohort: Cohort) -> str:
    lost = ", ".join(f"{n} in {name}" for name, n in cohort.lost.items() if n)
    return f"{cohort.comparison.trials} trials played in both" + (f"; lost and not compared: {lost}" if lost else "")


def _table_of(cohort: Cohort, colour: bool) -> Iterator[str]:
    """The score, then the metrics by group; all in the columns of the head."""
    from shopdsl.dsl.terminal import clean, columns, padded
    from shopdsl.runtime.report.terminal import group_order

    width = max((columns(clean(m.title)) for m in cohort.metrics), default=5) + 4
    yield f"{'':<{width}}      a      b   b − a  95 % interval         n       p    Holm"
    if cohort.comparison.score.difference is not None:
        yield f"{'score':<{width}}  {_figures(cohort.comparison.score)}".rstrip()
    group = None
    for metric in sorted(cohort.metrics, key=group_order):
        if metric.group != group:
            group = metric.group
            yield _strong(clean(group), colour)
        label = f"  {clean(metric.title)} {'↑' if metric.better == 'higher' else '↓'}"
        yield f"{padded(label, width)}  {_figures(cohort.comparison.metrics.get(metric.name))}".rstrip()


def _figures(d: Difference | None) -> str:
    if d is None or d.a is None or d.b is None or d.difference is None:
        return "  n/a in one run or both"
    interval = f"[{d.low:+.3f}, {d.high:+.3f}]"
    verdict = "" if d.better == "-" else f"  {d.better} is better" + (" *" if d.significant else "")
    return f"{d.a:.3f}  {d.b:.3f}  {d.difference:+.3f}  {interval:<16}  {d.n:>5}  {_p(d.p)}  {_p(d.p_adjusted)}{verdict}"


def _p(p: float | None) -> str:
    return f"{'':>6}" if p is None else "<0.001" if p < 0.001 else f"{p:>6.3f}"


def _legend(found: dict[str, Cohort]) -> Iterator[str]:
    from shopdsl.runtime.compare import ALPHA

    total = _total(found)
    differ = sum(m.significant for c in found.values() for m in c.comparison.metrics.values())
    yield "p: how often trials whose results are swapped at random differ at least as much (sign-flip test); Holm: adjusted for the metrics of the cohort"
    yield (
        f"{total} comparison{'s' * (total != 1)}; were both alike, about {total * ALPHA:.1f} would differ with p < {ALPHA:g} by chance; "
        f"{differ} differ{'s' * (differ == 1)} after the adjustment (*)"
    )


def _strong(text: str, colour: bool) -> str:
    return f"\033[1m{text}\033[0m" if colour else text
