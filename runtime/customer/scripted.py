"""The scripted customer: says what the controller releases, answers, complains, leaves. It is never given what has not been released.

Each message comes with the five fields of the source (arXiv 2609.16093, section 3.4): rationale, frustration, message, termination, next action.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.library.texts import contains
from shopdsl.dsl.random import Stream
from shopdsl.runtime.customer.controller import Controller, Release
from shopdsl.runtime.customer.script import Names, Script, pick
from shopdsl.runtime.customer.writing import apply
from shopdsl.runtime.ledger import Ledger
from shopdsl.runtime.world import Trial

Event = dict[str, Any]


@dataclass(frozen=True)
class Draft:
    """A message before it is written down: its words, why, what comes out with it (places in the itinerary) and which hints it gives away."""

    message: str
    why: str
    action: str
    places: list[int] = field(default_factory=list)
    gives: list[str] = field(default_factory=list)
    stop: str | None = None


class ScriptedCustomer:
    """Plays the customer of one trial."""

    def __init__(self, script: Script, controller: Controller, trial: Trial, ledger: Ledger) -> None:
        self.script, self.controller, self.trial, self.ledger = script, controller, trial, ledger
        drawn = trial.data["drawn"]
        self.about: Names = {"persona": trial.persona, "tier": drawn.get("tier", ""), "difficulty": drawn.get("difficulty")}
        self.complain_at, self.leave_at = self._patience()
        self.frustration = 0.0
        self._drawn = 0
        self._changes = self._writing()
        for item in ledger.items:
            names = {**self.about, "item": item, "product": item.product}
            item.say = pick(script.name_it, names, self._stream)

    def _patience(self) -> tuple[float, float]:
        """When it complains, and when it leaves."""
        env = Env(dict(self.about))
        return float(self.script.complain_at(env) or 10), float(self.script.leave_at(env) or 10)

    def _writing(self) -> list[dict[str, Any]]:
        values = self.trial.persona_values
        return [a for d, chosen in sorted(self.trial.data["persona"].items()) if (a := values[d][chosen]["apply"])]

    def _stream(self) -> Stream:
        self._drawn += 1
        return Stream(self.trial.data["seed"], "customer", self._drawn)

    async def speak(self) -> Event:
        """The next message."""
        if self.ledger.turns:
            self._feel()
        return self.event(self.draft())

    def draft(self) -> Draft:
        """What comes out next, in the words of the script."""
        if self.ledger.order is not None:
            return self._stop("purchase_complete", pick(self.script.thanks, self._names([]), self._stream))
        if self.frustration >= self.leave_at:
            return self._stop("frustrated", pick(self.script.leave, self._names([]), self._stream))
        release = self.controller.release(self.ledger)
        return self._release(release) if release.places else self._wait(release)

    def _feel(self) -> None:
        """The rule of frustration: what happened in the turn, on what is left of what was felt before."""
        turn = self.ledger.turns[-1]
        target = {i.product: i.quantity for i in self.ledger.items}
        env = Env({**self.about, "turn": turn, "asked": turn.asked, "target": target})
        happened = [self.script.weights.get(n, 0.0) for n, test in self.script.events.items() if test(env)]
        self.frustration = min(10.0, max(0.0, self.script.decay * self.frustration + sum(happened)))

    def _release(self, release: Release) -> Draft:
        parts = []
        for place in release.places:
            kind = self.controller.itinerary[place]["beat"]
            names = self.controller.names(place) | {"frustration": self.frustration}
            parts.append(pick(self.script.phrases.get(kind, []), names, self._stream))
        answer, gives = self._answer(release.places)
        message = " ".join(p for p in [self._complaint(), answer, *parts] if p)
        directives = self.directives(release.places)
        action = self.controller.program.beats[self.controller.itinerary[release.places[-1]]["beat"]]["next_action"]
        return Draft(message, " ".join(directives), action, release.places, gives)

    def _wait(self, release: Release) -> Draft:
        """Nothing new comes out: answer a question, or ask again."""
        answer, gives = self._answer(release.waiting)
        if answer:
            return Draft(f"{self._complaint()} {answer}".strip(), "The assistant asked.", "answer", [], gives)
        again = pick(self.script.again, self._names(release.waiting), self._stream)
        return Draft(f"{self._complaint()} {again}".strip(), "It is not done yet.", "complain")

    def _names(self, places: list[int]) -> Names:
        """What is talked about: the first item that is sought and not in the cart, of what came out last."""
        sought = set(self.ledger.sought)
        for place in places:
            names = self.controller.names(place)
            item = next((i for i in names["items"] if i.product in sought), names["item"])
            to = names["to"] if item is names["item"] else None
            return {
                **self.about,
                "item": item,
                "items": names["items"],
                "about": names["about"],
                "to": to,
                "frustration": self.frustration,
            }
        return {**self.about, "item": None, "items": [], "about": None, "to": None, "frustration": self.frustration}

    def _complaint(self) -> str:
        return pick(self.script.complain, self._names([]), self._stream) if self.frustration >= self.complain_at else ""

    def _answer(self, places: list[int]) -> tuple[str, list[str]]:
        """What it says to a question of the agent's, and which hints that gives away."""
        question = self.ledger.turns[-1].answer if self.ledger.turns else ""
        if "?" not in question or (places and self._idle(question)):
            return "", []
        closing = self.ledger.closing and not self.ledger.sought
        if closing and any(contains(question, a) for a in self.script.confirm_asks):
            return pick([self.script.confirm], self._names(places), self._stream), []
        sought = [i for i in self.ledger.items if i.product in set(self.ledger.sought)]
        item = next((i for i in sought if contains(question, i.say)), sought[0] if sought else None)
        names = {**self.about, "item": item, "items": sought, "question": question, "frustration": self.frustration}
        for answer in self.script.answers:
            if item is not None and answer.fits(question, names):
                gives = [h.name for h in item.withheld if answer.gives in (h.kind, h.name, "any")]
                return str(answer.say[0](Env(names))), gives
        return "", []

    def _idle(self, question: str) -> bool:
        """A question that asks about nothing: what is wanted is said again instead."""
        return any(contains(question, words) for words in self.script.idle_asks)

    def _stop(self, reason: str, message: str) -> Draft:
        return Draft(message, f"The conversation is over: {reason}.", "leave", stop=reason)

    def directives(self, places: list[int]) -> list[str]:
        """What a message with these beats is to say."""
        return [self.controller.directive(p) for p in places]

    def event(self, draft: Draft) -> Event:
        """A draft as it is written: in the persona's manner of writing, with what it asked for."""
        text = draft.message
        for changes in self._changes:
            text = apply(changes, text, self._stream())
        event = {
            "type": "customer",
            "text": text,
            "rationale": " ".join(draft.why.split()[:40]),
            "frustration": int(self.frustration + 0.5),
            "next_action": draft.action,
            "stop": draft.stop,
            "beats": draft.places,
            "directives": self.directives(draft.places),
            "gives": draft.gives,
            **self.controller.outcome(draft.places, draft.message),
        }
        return event if text == draft.message else event | {"meant": draft.message}
