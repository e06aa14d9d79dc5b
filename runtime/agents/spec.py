"""Who is evaluated, from an agent's plan data to a fresh agent for one trial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shopdsl.runtime.agents.builtin import builtin
from shopdsl.runtime.agents.chat import ChatAgent
from shopdsl.runtime.agents.external import Command, PythonAgent
from shopdsl.runtime.agents.http import HttpAgent
from shopdsl.runtime.agents.mcp import Hub, McpAgent
from shopdsl.runtime.agents.mutant import Mutant
from shopdsl.runtime.agents.patience import Patience
from shopdsl.runtime.agents.protocol import Agent
from shopdsl.runtime.ledger import Ledger
from shopdsl.runtime.models.client import Account
from shopdsl.runtime.models.clients import Models
from shopdsl.runtime.world import Trial

UNTIMED = "1000000"
"""Seconds; longer than any turn."""


@dataclass
class Setting:
    """What an agent is given besides its trial: the models of the run, its clock, who pays for it, and where its tools are called over MCP."""

    models: Models
    patience: Patience
    account: Account
    hub: Hub


@dataclass
class AgentSpec:
    """The plan data of an agent, for a Python agent its callable, for a program the folder it is started in."""

    data: dict[str, Any]
    call: Callable[[Any], Any] | None = None
    folder: Path | None = None

    @property
    def played(self) -> dict[str, Any]:
        """The agent that plays: of a mutant the one that it spoils, of any other itself."""
        of: dict[str, Any] = self.data["mutant"]["of"] if self.data.get("mutant") else self.data
        return of

    def make(self, trial: Trial, ledger: Ledger, setting: Setting) -> Agent:
        """A fresh agent for one conversation."""
        mutant = self.data.get("mutant")
        if mutant:
            inner = replace(self, data=mutant["of"]).make(trial, ledger, setting)
            return Mutant(inner, mutant["habits"], trial, ledger)
        if self.data["mcp"]:
            return self._over_mcp(trial, ledger, setting)
        timeout = float(self.data["timeout"])
        if self.data["command"]:
            return Command(self.data["command"], timeout, self.folder)
        if self.call is not None:
            return PythonAgent(self.call, timeout)
        if self.data["http"]:
            return HttpAgent(self.data["http"], timeout)
        if self.data["model"]:
            client = setting.models.client(self.data["model"])
            return ChatAgent(self.data, client, setting.account, setting.patience, trial.store.name)
        return builtin(self.data["builtin"], trial, ledger)

    def _over_mcp(self, trial: Trial, ledger: Ledger, setting: Setting) -> Agent:
        """The same agent with its calls made over MCP. One step of it is a whole turn, so its own clock must not end it."""
        inner = replace(self, data={**self.data, "mcp": False, "timeout": UNTIMED}).make(trial, ledger, setting)
        # one request of an agent at an address is a turn too, and is tried again: only the turn's time can be limited
        timeout = None if self.data["http"] else float(self.data["timeout"])
        return McpAgent(inner, setting.hub, timeout)
