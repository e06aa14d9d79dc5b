"""Plays the cases whose wishes come out by plan with a built-in agent, in words of the script and without waiting, so that they can be proved."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shopdsl.cli.casting import builtin_agent
from shopdsl.runtime.agents.spec import AgentSpec
from shopdsl.runtime.cast import Cast
from shopdsl.runtime.customer.script import Script
from shopdsl.runtime.examine import Examiner
from shopdsl.runtime.execute import Runner
from shopdsl.runtime.expect.proof import Played
from shopdsl.runtime.shop.faults import Faults
from shopdsl.runtime.world import Trial, World


class Hurried(Trial):
    """A trial whose faults take no time."""

    def faults(self) -> Faults:
        faults = super().faults()
        return Faults([rule | {"wait": "0"} for rule in faults.rules], faults.seed)


@dataclass
class Kept:
    """Takes records instead of a file, and keeps what their cases find."""

    examiner: Examiner
    found: dict[str, Played] = field(default_factory=dict)

    def lose(self, loss: dict[str, Any]) -> None:
        """What is lost is not proved."""

    def append(self, record: dict[str, Any]) -> None:
        self.found[record["trial"]] = Played(record, self.examiner.look(record).names["verdict"].get())


def rehearse(world: World, trials: list[Trial], encoder: Any, agent: str) -> dict[str, Played]:
    """What a built-in agent did in some trials, and what their cases found, by trial."""
    customers = world.header["customers"]
    scripts = {n: Script(customers[c["customer"]] | {"model": None}) for n, c in world.header["cohorts"].items() if c["customer"]}
    kept = Kept(Examiner(world))
    runner = Runner(Cast(AgentSpec(builtin_agent(agent)), scripts, encoder), kept)
    runner.run((Hurried(t.data, t.store, t.persona, t.beats, t.reveal, t.persona_values, t.case), 0) for t in trials)
    return kept.found
