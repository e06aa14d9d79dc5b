"""Who plays the trials of a run: the agent, the customers, their models, the encoder of the shop. Plays one trial at a time, for however many ask."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shopdsl.dsl.values import Failed
from shopdsl.runtime.agents.mcp import Hub
from shopdsl.runtime.agents.patience import Patience
from shopdsl.runtime.agents.spec import AgentSpec, Setting
from shopdsl.runtime.customer.controller import Controller, Program
from shopdsl.runtime.customer.fixed import FixedCustomer
from shopdsl.runtime.customer.modelled import ModelCustomer
from shopdsl.runtime.customer.script import Script
from shopdsl.runtime.customer.scripted import ScriptedCustomer
from shopdsl.runtime.ledger import Ledger
from shopdsl.runtime.models.client import Account
from shopdsl.runtime.models.clients import Models
from shopdsl.runtime.shop.encoder import Encoder
from shopdsl.runtime.trial import Customer, Play, make_ledger
from shopdsl.runtime.watch import Note, unwatched
from shopdsl.runtime.world import Trial


@dataclass
class Cast:
    """What all trials of a run share.

    An EndpointFault or BudgetSpent of `play` means that the trial was not played to its end, through no fault of the agent.
    """

    agent: AgentSpec
    scripts: dict[str, Script]
    encoder: Encoder | None = None
    models: Models = field(default_factory=Models)
    note: Note = unwatched
    _hub: Hub = field(default_factory=Hub)
    _programs: dict[int, Program] = field(default_factory=dict)

    async def play(self, trial: Trial, repeat: int = 0) -> dict[str, Any]:
        """The record of one trial; a fault of the customer's script is one of its end reasons."""
        ledger = make_ledger(trial)
        payers = {role: Account(role, trial.id, repeat) for role in ("agent", "customer")}
        data = self.agent.played
        patience = Patience(float(data["turn_timeout"]), float(data["trial_timeout"]))
        setting = Setting(self.models, patience, payers["agent"], self._hub)
        try:
            customer = self._customer(trial, ledger, payers["customer"])
            play = Play(
                trial,
                ledger,
                lambda: self.agent.make(trial, ledger, setting),
                customer,
                self.encoder,
                data["max_calls"],
                patience,
            )
            play.note = lambda event: self.note(event | {"trial": trial.id, "repeat": repeat})
            record = await play.run()
        except Failed as error:
            record = _failed(trial, error)
        used = {role: spent for role, account in payers.items() if (spent := account.as_data())}
        return record | {"repeat": repeat} | ({"usage": used} if used else {})

    def _customer(self, trial: Trial, ledger: Ledger, account: Account) -> Customer:
        """A case gives its texts, else the script and the reveal plan do, and a model the words if the script names one."""
        if trial.case is not None and trial.data["script"]["messages"]:
            return FixedCustomer(trial, ledger)
        script = self.scripts[trial.data["cohort"]]
        drawn = trial.data["drawn"]
        names = {"persona": trial.persona, "tier": drawn.get("tier", ""), "difficulty": drawn.get("difficulty")}
        controller = Controller(self._program(trial), trial.itinerary, ledger.items, names)
        scripted = ScriptedCustomer(script, controller, trial, ledger)
        if script.voice is None:
            return scripted
        return ModelCustomer(scripted, script.voice, self.models.client(script.voice.model), account)

    def _program(self, trial: Trial) -> Program:
        key = id(trial.reveal)
        if key not in self._programs:
            self._programs[key] = Program(trial.reveal, trial.beats)
        return self._programs[key]

    async def close(self) -> None:
        """Close what was opened in this event loop."""
        try:
            await self.models.close()
        finally:
            await self._hub.close()


def _failed(trial: Trial, error: Failed) -> dict[str, Any]:
    return {
        "trial": trial.id,
        "cohort": trial.data["cohort"],
        "task": trial.data["task"],
        "says": [],
        "events": [],
        "end": {"reason": "customer_error", "detail": f"{type(error).__name__}: {error}"},
        "final": {"cart": {}, "order": None},
        "seconds": 0.0,
    }
