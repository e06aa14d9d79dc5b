"""A model as the agent: it is told the conversation, and answers with calls of tools or with words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.runtime.agents.dialects import Dialect, JsonCalls, NativeCalls
from shopdsl.runtime.agents.patience import Patience
from shopdsl.runtime.agents.protocol import Action, AgentFault, Event
from shopdsl.runtime.models.client import Account, ModelClient
from shopdsl.runtime.models.faults import ContextTooLong

FIRST = 2
"""Messages of a conversation that has just begun: the system prompt, and what the customer wrote."""


@dataclass
class ChatAgent:
    """One conversation of a model. Calls that it makes at once are given on one by one, and it is asked again when all have their results."""

    data: dict[str, Any]
    client: ModelClient
    account: Account
    patience: Patience
    store: str
    _messages: list[dict[str, Any]] = field(default_factory=list)
    _waiting: list[Action] = field(default_factory=list)
    _dialect: Dialect = field(init=False)

    async def start(self, event: Event) -> None:
        """Write the system prompt."""
        native = self.client.model["tool_calls"] == "native"
        self._dialect = NativeCalls(event["tools"]) if native else JsonCalls(event["tools"])
        self._messages = [{"role": "system", "content": self._dialect.briefing(self._prompt(event))}]

    def _prompt(self, event: Event) -> str:
        if self.data["prompt"] is None:
            return str(event["system"])
        names = {"system": event["system"], "store": self.store, "tools": [t["name"] for t in event["tools"]]}
        return str(guarded(compile_tree(self.data["prompt"]))(Env(names)))

    async def step(self, event: Event) -> Action:
        """The next call that waits, or the model's next answer; raises AgentFault where the conversation no longer fits."""
        said = self._dialect.heard(event["text"]) if event["type"] == "customer" else self._dialect.result(event)
        self._messages.append(said)
        if not self._waiting:
            await self._ask()
        return self._waiting.pop(0)

    async def _ask(self) -> None:
        try:
            with self.patience.away():
                answer = await self._dialect.ask(self.client, self._messages, self.account)
        except ContextTooLong as error:
            if len(self._messages) <= FIRST:  # nothing has grown yet: it is the limits of its spec that are wrong
                raise
            raise AgentFault("agent_exited", f"the conversation is too long for its model: {error}") from None
        self.patience.charge(answer.seconds)
        message, self._waiting = self._dialect.read(answer)
        self._messages.append(message)

    async def close(self) -> None:
        """Nothing to release: the client is everybody's."""
