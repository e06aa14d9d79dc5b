"""Scores of a run folder, with the metrics of its plan or of the specs as they are now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shopdsl.cli.common import USAGE, Trouble
from shopdsl.dsl.plan import PlanError, open_plan
from shopdsl.runtime.record import PLAN, RunBroken, read_manifest, read_records
from shopdsl.runtime.score import CohortScore, Scorer
from shopdsl.runtime.world import World, undamaged


def scored(
    folder: Path, world: World | None = None, scoring: dict[str, Any] | None = None, view: str = "full"
) -> dict[str, CohortScore]:
    """The scores of a run; Trouble where the folder cannot be used."""
    try:
        manifest = read_manifest(folder)
        world = world or World(open_plan(folder / PLAN))
        if world.plan.digest != manifest["plan"]:
            raise RunBroken(f"the plan in {folder} is not the one that was played")
        with undamaged(world.plan):
            scorer = Scorer(world, scoring, view)
        scorer.expect(manifest["trials"])
        scorer.read(read_records(folder))
    except (RunBroken, PlanError) as error:
        raise Trouble(str(error), USAGE) from None
    return scorer.result()


def trial_values(folder: Path, trial: str) -> tuple[list[dict[str, Any]], dict[str, float | None]]:
    """The records of one trial of a run, and the value of every metric (of several repeats, of the last)."""
    try:
        world = World(open_plan(folder / PLAN))
        found = [r for r in read_records(folder) if r["trial"] == trial]
        scorer = Scorer(world)
        scorer.read(found)
    except (RunBroken, PlanError) as error:
        raise Trouble(str(error), USAGE) from None
    if not found:
        raise Trouble(f"{folder} has no record of the trial {trial}; ids are COHORT/NUMBER", USAGE)
    rows = list(scorer.rows[found[0]["cohort"]].values())
    return found, rows[-1] if rows else {}


def agent_name(folder: Path) -> str:
    """The agent of a run."""
    try:
        return str(read_manifest(folder)["agent"]["name"])
    except RunBroken as error:
        raise Trouble(str(error), USAGE) from None
