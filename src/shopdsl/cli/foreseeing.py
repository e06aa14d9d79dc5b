"""`run --dry-run`: what the models of a run will probably be asked, and what that costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import click

from shopdsl.runtime.agents.spec import AgentSpec
from shopdsl.runtime.customer.script import Script
from shopdsl.runtime.foresight import Foreseen, asked_about, of_agent, of_customer, of_judge, shape
from shopdsl.runtime.models.usage import cost
from shopdsl.runtime.world import Trial, World


@dataclass
class Asked:
    """Who of a run is a model: the agent, the customer of each cohort, the judge."""

    agent: AgentSpec
    scripts: dict[str, Script]
    judge: dict[str, Any] | None = None

    def models(self) -> dict[tuple[str, str], dict[str, Any]]:
        """The models by role and name."""
        found = {("customer", s.voice.model["name"]): s.voice.model for s in self.scripts.values() if s.voice}
        for role, model in (("agent", self.agent.played["model"]), ("judge", self.judge)):
            if model:
                found[role, model["name"]] = model
        return found


def foresee(world: World, trials: Iterable[Trial], asked: Asked) -> Foreseen:
    """What is expected of some trials; roles are keys of `Asked.models`."""
    found = Foreseen()
    about = {name: asked_about(world.header, name) if asked.judge else [] for name in world.header["cohorts"]}
    for trial in trials:
        found.trials += 1
        form, cohort = shape(trial), trial.data["cohort"]
        voice = asked.scripts[cohort].voice
        if asked.agent.played["model"]:
            found.add(("agent", asked.agent.played["model"]["name"]), of_agent(form))
        if voice and trial.case is None:
            found.add(("customer", voice.model["name"]), of_customer(form))
        if asked.judge:
            found.add(("judge", asked.judge["name"]), of_judge(form, about[cohort]))
    return found


def a_trial(found: Foreseen, asked: Asked) -> tuple[Decimal, int]:
    """Money and tokens that agent and customer are expected to take for one trial."""
    models = asked.models()
    parts = {key: usage for key, usage in found.usage.items() if key[0] != "judge"}
    money = sum((cost(usage, models[key]["price"]) for key, usage in parts.items()), Decimal(0))
    return money / max(1, found.trials), sum(u.tokens for u in parts.values()) // max(1, found.trials)


def show(found: Foreseen, asked: Asked) -> None:
    """Print it, a line for each model."""
    click.echo(f"agent {asked.agent.data['name']}: {found.trials:,} trials")
    models = asked.models()
    if not models:
        click.echo("no model is asked, nothing is to be paid")
        return
    click.echo(f"  {'':10}{'model':24}{'requests':>12}{'tokens read':>16}{'written':>14}{'cost':>16}")
    totals: dict[str, Decimal] = {}
    for (role, name), usage in sorted(found.usage.items()):
        price = models[role, name]["price"]
        spent = cost(usage, price)
        if price:
            totals[price["currency"]] = totals.get(price["currency"], Decimal(0)) + spent
        shown = f"{spent:,.2f} {price['currency']}" if price else "no price given"
        figures = f"{usage.requests:>12,}{usage.input:>16,}{usage.output:>14,}"
        click.echo(f"  {role:10}{name[:23]:24}{figures}{shown:>16}")
    for currency, total in totals.items():
        click.echo(f"  in all about {total:,.2f} {currency}")
    click.echo(
        "An estimate: every wish comes out without delay, and the agent makes the calls it is obliged to, one an answer.",
        err=True,
    )
