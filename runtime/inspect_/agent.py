"""The model of an Inspect evaluation as the agent of a trial; what is said and done lands in the sample's messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import TaskState
from inspect_ai.tool import ToolInfo

from shopdsl.runtime.agents.protocol import Action, Agent, AgentFault, Event
from shopdsl.runtime.agents.spec import AgentSpec, Setting
from shopdsl.runtime.inspect_.messages import actions, told, tool_info
from shopdsl.runtime.ledger import Ledger
from shopdsl.runtime.models.faults import EndpointFault
from shopdsl.runtime.models.usage import Usage
from shopdsl.runtime.world import Trial


@dataclass
class UnderTest(AgentSpec):
    """Whatever model an evaluation is about, in one sample."""

    state: TaskState = field(kw_only=True)

    def make(self, trial: Trial, ledger: Ledger, setting: Setting) -> Agent:
        """A fresh conversation of that model."""
        return InspectAgent(get_model(), self.state, setting)


@dataclass
class InspectAgent:
    """One conversation. Calls that a model makes at once are given on one by one, and it is asked again when all have their results."""

    model: Model
    state: TaskState
    setting: Setting
    _tools: list[ToolInfo] = field(default_factory=list)
    _messages: list[ChatMessage] = field(default_factory=list)
    _waiting: list[Action] = field(default_factory=list)
    _made: Action = field(default_factory=dict)

    async def start(self, event: Event) -> None:
        """Tell it of its shop."""
        self._tools = [tool_info(t) for t in event["tools"]]
        if event["system"]:
            self._note(ChatMessageSystem(content=event["system"]))

    async def step(self, event: Event) -> Action:
        """The next call that waits, or the model's next answer; raises EndpointFault, or whatever its provider does."""
        heard = event["type"] == "customer"
        self._note(ChatMessageUser(content=event["text"]) if heard else told(event, self._made["id"], self._made["tool"]))
        if not self._waiting:
            await self._ask()
        self._made = self._waiting.pop(0)
        return self._made

    async def _ask(self) -> None:
        try:
            with self.setting.patience.away():
                output = await self.model.generate(self._messages, tools=self._tools)
        except TimeoutError as error:  # the agent's own time stands still meanwhile, so this is its provider's
            raise EndpointFault(f"{self.model} did not answer in time: {error}") from None
        self._read(output)
        self.setting.patience.charge(output.time or 0.0)

    def _read(self, output: ModelOutput) -> None:
        if output.empty:
            raise EndpointFault(f"{self.model} sent no message")
        self.setting.account.pay(used(output.usage), Decimal(0))
        self.state.output = output
        if output.stop_reason == "model_length":
            raise AgentFault("agent_exited", "the conversation is too long for its model")
        message = output.message
        self._waiting = actions(message, len(self._messages)) or [
            {"type": "say", "text": (message.text or output.error or "").strip()}
        ]
        self._note(message)

    def _note(self, message: ChatMessage) -> None:
        """The sample shows all conversations of a trial, the model is told its own."""
        self._messages.append(message)
        self.state.messages.append(message)

    async def close(self) -> None:
        """Nothing to release: the model is the evaluation's."""


def used(usage: ModelUsage | None) -> Usage:
    """The tokens of one answer; Inspect counts what was cached beside the input, and not as a part of it."""
    if usage is None:
        return Usage(1)
    cached = usage.input_tokens_cache_read or 0
    whole = usage.input_tokens + cached + (usage.input_tokens_cache_write or 0)
    return Usage(1, whole, usage.output_tokens, cached, usage.reasoning_tokens or 0)
