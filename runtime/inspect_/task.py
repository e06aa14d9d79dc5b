"""`inspect eval shopdsl/plan -T plan=FILE`: one sample a trial, played with the plan's customers and its shop, and scored by its metrics."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from shopdsl import __version__
from shopdsl.dsl.plan import PlanError, open_plan
from shopdsl.runtime.agents.spec import AgentSpec
from shopdsl.runtime.cast import Cast
from shopdsl.runtime.customer.script import Script
from shopdsl.runtime.examine import Examiner
from shopdsl.runtime.inspect_ import scores
from shopdsl.runtime.inspect_.agent import UnderTest
from shopdsl.runtime.inspect_.samples import RECORD, sample
from shopdsl.runtime.manifest import RunBroken
from shopdsl.runtime.shop.encoder import EncoderMissing
from shopdsl.runtime.shop.engines import equip
from shopdsl.runtime.world import Trial, World, undamaged


@task(name="plan")
def plan(
    plan: str = "", limit: int | None = None, max_calls: int = 12, turn_timeout: float = 600, trial_timeout: float = 3600
) -> Task:
    """The trials of a compiled plan. `limit` plays the first of them; the others are the limits of an `agent` spec."""
    if not plan:
        raise PrerequisiteError("name the plan that is to be played: `-T plan=build/SUITE.plan.jsonl`")
    if (os.environ.get("INSPECT_ASYNC_BACKEND") or "asyncio").lower() != "asyncio":
        raise PrerequisiteError("trials are played with asyncio; leave INSPECT_ASYNC_BACKEND unset")
    _whole(limit=1 if limit is None else limit, max_calls=max_calls)
    _positive(turn_timeout=turn_timeout, trial_timeout=trial_timeout)
    stage = opened(plan)
    header = stage.world.header
    try:
        samples = [sample(t) for t in islice(stage.world.trials(), limit)]
    except PlanError as error:
        raise PrerequisiteError(str(error)) from None
    return Task(
        dataset=MemoryDataset(samples, name=header["suite"], location=plan),
        solver=trial(plan, max_calls, turn_timeout, trial_timeout),
        scorer=metrics(plan),
        metrics=scores.means(stage.examiner),
        version=stage.world.plan.digest[:12],
        metadata={"plan": stage.world.plan.digest, "suite": header["suite"], "shopdsl": __version__},
    )


def _whole(**given: Any) -> None:
    for name, value in given.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise PrerequisiteError(f"`-T {name}={value}` is not a whole number above 0, such as 5")


def _positive(**given: Any) -> None:
    for name, value in given.items():
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < math.inf:
            raise PrerequisiteError(f"`-T {name}={value}` is not a number of seconds above 0, such as 600")


@solver
def trial(plan: str, max_calls: int, turn_timeout: float, trial_timeout: float) -> Solver:
    """Plays the trial of a sample; its epoch is the repeat."""
    limits = {"max_calls": max_calls, "turn_timeout": str(turn_timeout), "trial_timeout": str(trial_timeout)}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        stage = opened(plan)
        state.messages.clear()  # the agent is told the same, once for each conversation
        agent = UnderTest({"name": "inspect", **limits}, state=state)
        record = await replace(stage.cast, agent=agent).play(stage.trial(state), state.epoch - 1)
        last = record["events"][-1] if record["events"] else {}
        if last.get("stop") is not None:  # the agent is not told how a customer leaves, readers are
            state.messages.append(ChatMessageUser(content=last["text"]))
        state.store.set(RECORD, {k: v for k, v in record.items() if k != "seconds"})
        state.metadata["end"] = record["end"]["reason"]
        return state

    return solve


@scorer(name=scores.NAME, metrics={"*": [scores.by_cohort()]})
def metrics(plan: str) -> Scorer:
    """The metrics of the plan, with the judge that answers by rules."""

    async def score(state: TaskState, target: Target) -> Score:
        record = state.store.get(RECORD)
        if record is None:
            return Score.unscored(reason="scoring_failed", explanation="the trial was not played to its end")
        try:
            examiner = opened(plan).examiner
            return scores.score(examiner, examiner.look(record))
        except RunBroken as error:
            return Score.unscored(reason="scoring_failed", explanation=str(error))

    return score


@dataclass
class Stage:
    """An opened plan: who plays its customers (each sample has an agent of its own), and who looks at its records."""

    world: World
    cast: Cast
    examiner: Examiner

    def trial(self, state: TaskState) -> Trial:
        """The trial of a sample; PlanError where the plan has changed since the samples were made."""
        data = self.world.plan.trial(str(state.sample_id))
        if data is None or data["task"] != state.metadata.get("task"):
            raise PlanError(f"the trial {state.sample_id} of {self.world.plan.path} is not what it was when the evaluation began")
        return self.world.trial(data)


def opened(plan: str) -> Stage:
    """A plan that can be played, opened once; PrerequisiteError, which Inspect shows without a traceback, where it cannot."""
    path = Path(plan)
    try:
        return _opened(path.resolve(), path.stat().st_mtime_ns if path.is_file() else 0)
    except (PlanError, EncoderMissing) as error:
        raise PrerequisiteError(str(error)) from None


@lru_cache(maxsize=2)
def _opened(path: Path, changed: int) -> Stage:
    world = World(open_plan(path))
    with undamaged(world.plan):
        examiner = Examiner(world)
        cohorts = world.header["cohorts"].items()
        scripts = {name: Script(world.header["customers"][cohort["customer"]]) for name, cohort in cohorts}
    for name, script in scripts.items():
        if script.voice is not None:
            raise PlanError(
                f"the customer of the cohort {name} writes with the model `{script.voice.model['name']}`; under Inspect, customers "
                "speak by their scripts: compile with such a customer, or play this plan with `shopdsl run`"
            )
    return Stage(world, Cast(AgentSpec({}), scripts, equip(world)), examiner)
