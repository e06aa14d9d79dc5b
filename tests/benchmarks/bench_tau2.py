"""All tasks of tau2-bench retail: set-up of the environment, the listed calls, and scoring, beside what that benchmark takes a task."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measure import bound, figure, seconds, skipped, title

from shopdsl.cli.casting import builtin_agent
from shopdsl.dsl.plan import open_plan
from shopdsl.runtime.agents.spec import AgentSpec
from shopdsl.runtime.cast import Cast
from shopdsl.runtime.customer.script import Script
from shopdsl.runtime.examine import Examiner
from shopdsl.runtime.execute import Runner
from shopdsl.runtime.replay import replay
from shopdsl.runtime.shop.engines import equip
from shopdsl.runtime.world import World

PEER = 0.95
"""Seconds a task that tau2-bench 1.0.1 took with a stubbed model: environment and evaluator for the most part (two cores, shared machine)."""
TIMES = 3


class Kept(list[Any]):
    """Takes records instead of a file."""

    def lose(self, loss: dict[str, Any]) -> None:
        raise AssertionError(loss)


def main() -> None:
    """Import and compile once; replay, play and score some times."""
    title("tau2: the 114 tasks of tau2-bench retail, their listed calls replayed and scored")
    data = os.environ.get("SHOPDSL_TAU2_RETAIL")
    if not data:
        return skipped("tau2", "SHOPDSL_TAU2_RETAIL does not name the folder of its data")
    with TemporaryDirectory(prefix="shopdsl-bench-") as name:
        package = Path(name) / "retail"
        for words in (
            ["import", "tau2", data, "-o", str(package)],
            ["compile", "--package", str(package), "-o", f"{name}/p.jsonl"],
        ):
            subprocess.run([sys.executable, "-m", "shopdsl.cli", *words], check=True, capture_output=True)
        world = World(open_plan(Path(name) / "p.jsonl"))
        equip(world)
        trials = list(world.trials())
        replayed = min(seconds(lambda: [replay(t) for t in trials]) for _ in range(TIMES))
        whole = min(seconds(lambda: _played_and_scored(world)) for _ in range(TIMES))
    figure("set-up and listed calls of all tasks", replayed, "s")
    figure("the same as whole trials of the oracle, and scoring", whole, "s")
    bound(f"set-up, calls and scoring a task / {PEER} s of the peer", whole / len(trials) / PEER, 0.02)


def _played_and_scored(world: World) -> None:
    records = Kept()
    cohorts, customers = world.header["cohorts"], world.header["customers"]
    scripts = {name: Script(customers[about["customer"]]) for name, about in cohorts.items()}
    Runner(Cast(AgentSpec(builtin_agent("oracle")), scripts), records).run((t, 0) for t in world.trials())
    examiner = Examiner(world)
    done = [examiner.seen(record) for record in records]
    assert all(s.task is not None and s.task.state_ok for s in done), "the oracle left another state than the listed calls"


if __name__ == "__main__":
    main()
