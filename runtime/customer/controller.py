"""Turns an itinerary into what comes out next: which beats, and which of them wait for a guard."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.items import Item
from shopdsl.dsl.loops import Compiled
from shopdsl.dsl.pacing import message_end
from shopdsl.runtime.ledger import Ledger


class Program:
    """The guards of a reveal plan and the directives of its beats, compiled once for all trials."""

    def __init__(self, reveal: dict[str, Any], beats: dict[str, Any]) -> None:
        self.limits = reveal["limits"]
        self.guards: list[Compiled] = [guarded(compile_tree(g)) for g in reveal["guards"]]
        self.directives = {n: guarded(compile_tree(b["directive"])) for n, b in beats.items()}
        self.dues = {n: guarded(compile_tree(b["due"])) if b["due"] else None for n, b in beats.items()}
        self.said = {n: guarded(compile_tree(b["said"])) if b["said"] else None for n, b in beats.items()}
        self.beats = beats


@dataclass
class Release:
    """The beats of the next message: their places in the itinerary, or none where the last ones are still waited for."""

    places: list[int] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)


class Controller:
    """Where a trial stands in its itinerary. Only what it releases reaches the customer."""

    def __init__(self, program: Program, itinerary: list[dict[str, Any]], items: list[Item], names: dict[str, Any]) -> None:
        self.program, self.itinerary, self.items, self._names = program, itinerary, items, names
        self._next = 0
        self._last: list[int] = []
        self._blocked = 0

    @property
    def done(self) -> bool:
        """Has everything come out?"""
        return self._next >= len(self.itinerary)

    def release(self, ledger: Ledger) -> Release:
        """What comes out next: new beats, or the old ones again while their guard does not hold."""
        open_ = [p for p in self._last if not self._holds(self.itinerary[p], ledger)]
        stall = self.program.limits["stall"]
        if open_ and (stall is None or self._blocked < stall):
            self._blocked += 1
            return Release(waiting=open_)
        if self.done:
            return Release(waiting=open_)
        self._blocked = 0
        end = message_end(self.itinerary, self._next, self.program.limits)
        self._last = list(range(self._next, end))
        self._next = end
        return Release(places=self._last)

    def _holds(self, beat: dict[str, Any], ledger: Ledger) -> bool:
        if beat["guard"] is None:
            return True
        own = {name: self._value(data) for name, data in beat["with"].items()}
        env = Env({**self._names, **own, "basket": self.items, "cart": ledger.cart, "order": ledger.order})
        return bool(self.program.guards[beat["guard"]](env))

    def _value(self, data: dict[str, Any]) -> Any:
        if "item" in data:
            return self.items[data["item"]]
        if "items" in data:
            return [self.items[i] for i in data["items"]]
        return data["value"]

    def names(self, place: int) -> dict[str, Any]:
        """What a beat's templates see."""
        beat = self.itinerary[place]
        items = [self.items[i] for i in beat["items"]]
        return {**self._names, "item": items[0] if items else None, "items": items, "about": beat["about"], "to": beat["to"]}

    def directive(self, place: int) -> str:
        """What the customer is told to do."""
        return str(self.program.directives[self.itinerary[place]["beat"]](Env(self.names(place))))

    def outcome(self, places: list[int], message: str | None) -> dict[str, Any]:
        """What a message really asked for, and what fell due with it: for each beat whether its `said` holds (without a message: it does)."""
        asked: list[int] = []
        due: list[list[int]] = []
        said: list[bool] = []
        for place in places:
            beat = self.itinerary[place]
            kind = self.program.beats[beat["beat"]]
            check = self.program.said[beat["beat"]]
            holds = check is None or message is None or bool(check(Env({**self.names(place), "message": message})))
            said.append(holds)
            if holds and kind["opens"]:
                asked += beat["items"]
            run = self.program.dues[beat["beat"]]
            if holds and run is not None:
                due += [[i, int(run(Env({**self.names(place), "item": self.items[i]})) or 0)] for i in beat["items"]]
        return {"asked": asked, "due": due, "said": said}
