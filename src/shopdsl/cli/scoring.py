"""Scores of a run folder, with the metrics of its plan or of the specs as they are now."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from shopdsl.cli.common import LONGEST, USAGE, Trouble, fail_on, open_unit
from shopdsl.dsl.diagnostics import nearest
from shopdsl.dsl.plan import PlanError, open_plan
from shopdsl.dsl.terminal import clean
from shopdsl.runtime.examine import Examiner, Look
from shopdsl.runtime.judges.question import Answerer
from shopdsl.runtime.manifest import PLAN, RunBroken, read_manifest, shard_of
from shopdsl.runtime.parallel import seen_all
from shopdsl.runtime.record import read_records
from shopdsl.runtime.score import CohortScore, Scorer
from shopdsl.runtime.world import World, undamaged


@dataclass
class Scoring:
    """A scored run: its manifest, who looked at its records, what came of it, and what was wrong with records that were passed over."""

    manifest: dict[str, Any]
    scorer: Scorer
    scores: dict[str, CohortScore]
    problems: list[str]

    @property
    def agent(self) -> str:
        return str(self.manifest["agent"]["name"])

    @property
    def judge(self) -> str:
        return self.scorer.examiner.answerer.title


def scored(
    folder: Path,
    world: World | None = None,
    scoring: dict[str, Any] | None = None,
    view: str = "full",
    answerer: Answerer | None = None,
    wanted: Collection[str] = (),
) -> Scoring:
    """The scores of a run; Trouble where the folder cannot be used. Records that cannot are passed over, named, and count as lost."""
    try:
        manifest = read_manifest(folder)
        if (shard := shard_of(manifest)) is not None:
            raise RunBroken(f"{folder} holds shard {shard} of a run; join all of them with `shopdsl merge`")
        world = world or World(open_plan(folder / PLAN))
        if world.plan.digest != manifest["plan"]:
            raise RunBroken(f"the plan in {folder} is not the one that was played")
        with undamaged(world.plan):
            examiner = Examiner(world, _only(scoring or world.header, wanted), view, answerer)
            result = read_run(folder, manifest, examiner)
    except (RunBroken, PlanError) as error:
        raise Trouble(str(error), USAGE) from None
    return result


def _only(scoring: dict[str, Any], wanted: Collection[str]) -> dict[str, Any]:
    """A scoring with just these metrics (none named: all)."""
    unknown = [name for name in wanted if name not in scoring["metrics"]]
    if unknown:
        help = nearest(unknown[0], scoring["metrics"]) or f"there are: {', '.join(sorted(scoring['metrics']))}"
        raise Trouble(f"there is no metric `{unknown[0]}`; {help}", USAGE)
    chosen = {n: m for n, m in scoring["metrics"].items() if n in wanted}
    return scoring | {"metrics": chosen, "rubrics": {}} if wanted else scoring  # some of the metrics make no score


def read_run(folder: Path, manifest: dict[str, Any], examiner: Examiner) -> Scoring:
    """All records of a run, added up; raises RunBroken where they cannot be read at all."""
    scorer = Scorer(examiner, manifest["trials"], manifest["repeat"])
    problems: list[str] = []
    for seen in seen_all(folder, examiner, problems):
        try:
            scorer.take(seen)
        except RunBroken as error:
            problems.append(str(error))
    return Scoring(manifest, scorer, scorer.result(), problems)


MANY = 10


def warn(result: Scoring) -> None:
    """Name what was passed over, and metrics that could not be told, on stderr."""
    for problem in result.problems[:MANY]:
        click.echo(f"warning: {clean(problem)[:LONGEST]}", err=True)
    if len(result.problems) > MANY:
        click.echo(f"warning: and {len(result.problems) - MANY} more records that cannot be used", err=True)
    for score in result.scores.values():
        for metric in score.metrics.values():
            if metric.failures:
                many = f"{metric.unscored} trials, such as " if metric.unscored > 1 else ""
                click.echo(f"warning: {metric.name} could not be told for {many}{clean(metric.failures[0])[:LONGEST]}", err=True)


def look_at(folder: Path, trial: str, package: Path | None = None) -> list[Look]:
    """The records of one trial of a run, or of the trials of a case, ready to be looked into, with metrics as the specs are now."""
    try:
        manifest = read_manifest(folder)
        now = scoring_now(None, manifest["suite"], package)
        world = World(open_plan(folder / PLAN))
        called, examiner = world.plan.called(trial), Examiner(world, now)
        found = [examiner.look(r) for r in read_records(folder) if r["trial"] in called]
    except (RunBroken, PlanError) as error:
        raise Trouble(str(error), USAGE) from None
    if not found:
        example = next(iter(manifest["trials"]), "general/0")
        message = f"{folder} has no record of the trial {trial}, nor of a case of this name; ids are COHORT/NUMBER, for example {example}"
        raise Trouble(message, USAGE)
    return found


def played_suite(folder: Path) -> str:
    """The suite that was run."""
    try:
        return str(read_manifest(folder)["suite"])
    except RunBroken as error:
        raise Trouble(str(error), USAGE) from None


def scoring_now(suite: str | None, played: str, package: Path | None) -> dict[str, Any] | None:
    """Metrics and rubrics of the package at hand, or None where it does not have the suite."""
    from shopdsl.compiler.header import scoring
    from shopdsl.compiler.kinds.suite import compile_suite
    from shopdsl.compiler.pipeline import find_suite

    unit, sink = open_unit(package)
    document = unit.workspace.find("suite", suite or played, unit.workspace.main.name)
    if document is None and suite is not None:
        find_suite(unit, suite)
        fail_on(sink)
    if document is None:
        return None
    made = scoring(unit, unit.compiled(compile_suite, document))
    fail_on(sink)
    return made
