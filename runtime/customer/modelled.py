"""A model as the customer: one structured call a turn, given only what has been released; what it writes is checked before the agent sees it.

Where the checks fail it is asked again, at most twice, and then the script's own words are said. Source: arXiv 2609.16093, section 3.4.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.library.texts import contains
from shopdsl.dsl.values import Failed
from shopdsl.runtime.customer.answering import SCHEMA, Said, read_said
from shopdsl.runtime.customer.checks import Bounds, problems
from shopdsl.runtime.customer.script import Voice
from shopdsl.runtime.customer.scripted import Draft, ScriptedCustomer
from shopdsl.runtime.models.answers import Unreadable
from shopdsl.runtime.models.client import Account, ModelClient
from shopdsl.runtime.models.faults import Rejected

Event = dict[str, Any]
TRIES = 3
MOST_SENT_BACK = 4_000
"""So many characters of an answer that cannot be sent are shown to the model again."""


class ModelCustomer:
    """Plays the customer of one trial; `scripted` says what comes out, and has the words for when the model has none."""

    def __init__(self, scripted: ScriptedCustomer, voice: Voice, client: ModelClient, account: Account) -> None:
        self._scripted, self._voice, self._client, self._account = scripted, voice, client, account
        chosen = scripted.trial.data["persona"]
        prompts = [scripted.trial.persona_values[d][value]["prompt"] for d, value in sorted(chosen.items())]
        self._about = {**scripted.about, "manners": [p for p in prompts if p]}
        self._prompt = str(voice.prompt(Env(dict(self._about))))

    async def speak(self) -> Event:
        """The next message, with what was checked of it."""
        draft = self._scripted.draft()
        if draft.stop is not None:
            return self._scripted.event(draft)
        checks: list[list[str]] = []
        said = await self._agreed(draft, checks)
        if said is None:
            return self._scripted.event(draft) | {"by": "script", "checks": checks}
        self._scripted.frustration = said.frustration
        return self._scripted.event(self._put(draft, said)) | {"by": "model", "checks": checks}

    async def _agreed(self, draft: Draft, checks: list[list[str]]) -> Said | None:
        """What the model says, once nothing is wrong with it; None where that does not come about."""
        directives = self._scripted.directives(draft.places)
        bounds = self._bounds(draft, directives)
        try:
            instruction = self._instruction(directives, bounds.released)
        except Failed as error:  # an agent that writes without end must not make the customer fail
            checks.append([f"the model cannot be told of the conversation: {error}"])
            return None
        messages = [self._message("system", self._prompt), self._message("user", instruction)]
        for _ in range(TRIES):
            try:
                answer = await self._client.structured(messages, "customer", SCHEMA, self._account)
            except Rejected as error:  # such as a conversation that has grown too long
                checks.append([str(error)])
                return None
            said, found = self._read(answer.text, draft, bounds)
            checks.append(found)
            if not found:
                return said
            again = "This cannot be sent:\n" + "\n".join(f"- {p}" for p in found) + "\nWrite it anew, with the same five fields."
            messages = [*messages, self._message("assistant", answer.text[:MOST_SENT_BACK]), self._message("user", again)]
        return None

    def _read(self, text: str, draft: Draft, bounds: Bounds) -> tuple[Said | None, list[str]]:
        try:
            said = read_said(text)
        except Unreadable as error:
            return None, [str(error)]
        held = self._scripted.controller.outcome(draft.places, said.message)["said"]
        ledger = self._scripted.ledger
        return said, problems(said, held, bounds, ledger.items, ledger.catalog)

    def _message(self, role: str, text: str) -> dict[str, Any]:
        return {"role": role, "content": text}

    def _bounds(self, draft: Draft, directives: list[str]) -> Bounds:
        scripted = self._scripted
        coming = {i for place in draft.places for i in scripted.controller.itinerary[place]["items"]}
        out = {i.index for i in scripted.ledger.items if i.asked_at is not None}
        brief = "\n".join([self._prompt, *directives])
        return Bounds(
            int(scripted.frustration + 0.5), scripted.complain_at, scripted.leave_at, not draft.places, frozenset(out),
            frozenset(coming | out), directives, brief,
        )  # fmt: skip

    def _instruction(self, directives: list[str], released: frozenset[int]) -> str:
        scripted, ledger = self._scripted, self._scripted.ledger
        names = {
            **self._about, "directives": directives, "items": [i for i in ledger.items if i.index in released],
            "messages": ledger.messages, "cart": ledger.cart, "frustration": int(scripted.frustration + 0.5), "leave_at": scripted.leave_at,
        }  # fmt: skip
        return str(self._voice.instruct(Env(names)))

    def _put(self, draft: Draft, said: Said) -> Draft:
        """The draft in the model's words. Who has had enough leaves, and what was to come out with the message does not."""
        leaves = said.stop or ("frustrated" if said.frustration >= self._scripted.leave_at else None)
        if leaves is not None:
            return Draft(said.message, said.rationale, "leave", stop=leaves)
        return replace(draft, message=said.message, why=said.rationale, action=said.action, gives=self._given(said.message))

    def _given(self, message: str) -> list[str]:
        """The withheld hints that a message gives away."""
        sought = set(self._scripted.ledger.sought)
        items = [i for i in self._scripted.ledger.items if i.product in sought]
        return [h.name for i in items for h in i.withheld if contains(message, h.say)]
