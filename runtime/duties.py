"""Which calls beats obliged or allowed the agent to make, and which of them it made: one engine for every kind of beat.

A duty is owed from the turn its beat comes out and may be met so many turns later (`carry`); a matching call after that is allowed, and the duty
stays missed. Where the key is right and another argument is not, the call is a wrong argument. Source: arXiv 2609.16093, abstract (calls are matched
with an expected set, penalties differ by class of tool); the rules are ours.
"""

from __future__ import annotations

from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.loops import Compiled
from shopdsl.runtime.ledger import Beat, Call, Ledger, Turn

_KINDS = ("expects", "allows")


class Expectation:
    """A duty of one beat, for one item; `met` and `wrong` are what became of it."""

    def __init__(self, duty: _Duty, names: dict[str, Any], turn: int, at: int) -> None:
        self.duty, self.names, self.turn, self.at = duty, names, turn, at
        self.tool: str | None = duty.tool
        self.kind: str = duty.kind or ""
        self.met = self.wrong = False
        self.tries = 0

    def open_in(self, turn: int) -> bool:
        return bool(self.turn <= turn <= self.turn + self.duty.carry)


setattr(Expectation, "class", property(lambda self: self.kind))


class _Duty:
    """A compiled duty."""

    def __init__(self, data: dict[str, Any], tools: dict[str, tuple[str, str]]) -> None:
        self.tool: str | None = data["tool"]
        self.kind: str | None = data["class"] or (tools[self.tool][0] if self.tool in tools else None)
        self.key: str | None = data["key"]
        self.with_: dict[str, Compiled] = {k: guarded(compile_tree(t)) for k, t in data["with"].items()}
        self.that = guarded(compile_tree(data["that"])) if data["that"] else None
        self.unless = guarded(compile_tree(data["unless"])) if data["unless"] else None
        self.extra, self.carry, self.times = data["extra"], data["carry"], data["times"]

    def names_tool(self, call: Call) -> bool:
        return call.tool == self.tool if self.tool else call.kind == self.kind


def compile_duties(beats: dict[str, Any], tools: dict[str, tuple[str, str]]) -> dict[str, dict[str, list[_Duty]]]:
    """The duties of every kind of beat."""
    return {name: {k: [_Duty(d, tools) for d in beat[k]] for k in _KINDS} for name, beat in beats.items()}


class Matcher:
    """Matches the calls of a finished trial with its duties."""

    def __init__(self, ledger: Ledger, duties: dict[str, dict[str, list[_Duty]]], always: list[dict[str, Any]]) -> None:
        self.ledger, self.duties, self.always = ledger, duties, always
        self.expected: list[Expectation] = []
        self.allowed: list[Expectation] = []
        self._used: dict[tuple[int, int], int] = {}

    def run(self) -> list[Expectation]:
        """Set `duty` of every call; the result is what was expected, in order."""
        for turn in self.ledger.turns:
            for beat in (b for b in self.ledger.beats if b.turn == turn.number):
                self._owe(beat, turn)
            for call in turn.calls:
                call.duty = self._judge(call, turn)
        return self.expected

    def _owe(self, beat: Beat, turn: Turn) -> None:
        subjects: list[Any] = list(beat.items) or [None]
        for item in subjects:
            names = {
                "item": item,
                "items": beat.items,
                "about": beat.about,
                "to": beat.to,
                "seen": turn.seen,
                "cart": turn.before,
            }
            for duty in self.duties[beat.kind]["expects"]:
                waived = duty.unless is not None and duty.unless(Env({**names, "call": None}))
                if not waived and not self._owed(duty, item):
                    self.expected.append(Expectation(duty, names, turn.number, beat.at))
            self.allowed += [Expectation(d, names, turn.number, beat.at) for d in self.duties[beat.kind]["allows"]]

    def _owed(self, duty: _Duty, item: Any) -> bool:
        """Is a search for this item owed already? It is charged once, however often the item is asked for."""
        return duty.that is not None and any(not e.met and e.kind == duty.kind and e.names["item"] is item for e in self.expected)

    def _judge(self, call: Call, turn: Turn) -> str:
        live = [e for e in self.expected if not e.met and e.open_in(turn.number) and e.duty.names_tool(call)]
        hits = [(e, self._grade(e, call)) for e in live]
        right = [e for e, grade in hits if grade == "right"]
        if right:
            self._meet(right, call)
            return "expected"
        near = next((e for e, grade in hits if grade == "near"), None)
        if near is not None and not near.wrong:
            near.wrong = True
            return "wrong_argument"
        return "allowed" if self._tolerated(call, turn) else "none"

    def _meet(self, right: list[Expectation], call: Call) -> None:
        """One search may surface several items; any other call meets one duty."""
        for e in right if right[0].duty.tool is None else right[:1]:
            e.met, e.wrong = True, False

    def _grade(self, e: Expectation, call: Call) -> str:
        if call.error is not None:
            return "off"
        env = Env({**e.names, "call": call})
        if e.duty.that is not None:
            return "right" if e.duty.that(env) else "off"
        given = {name: (run(env), _argument(call, name)) for name, run in e.duty.with_.items()}
        if all(wanted == found for wanted, found in given.values()):
            return "right"
        key = given.get(e.duty.key or "")
        return "near" if key is not None and key[0] == key[1] else "off"

    def _tolerated(self, call: Call, turn: Turn) -> bool:
        return self._tried(call, turn) or self._late(call, turn) or self._allowed(call, turn) or self._always(call, turn)

    def _tried(self, call: Call, turn: Turn) -> bool:
        """A try that did not hit, while the duty stands: so many are allowed."""
        for e in self.expected:
            fits = e.duty.names_tool(call) and e.open_in(turn.number) and not e.met
            if fits and e.duty.that is not None and e.tries < e.duty.extra:
                e.tries += 1
                return True
        return False

    def _late(self, call: Call, turn: Turn) -> bool:
        """A duty that was missed may still be done; it stays missed."""
        return any(
            not e.met
            and e.turn + e.duty.carry < turn.number
            and e.duty.names_tool(call)
            and (e.duty.that is not None or self._grade(e, call) == "right")
            for e in self.expected
        )

    def _allowed(self, call: Call, turn: Turn) -> bool:
        for e in self.allowed:
            if e.turn == turn.number and e.duty.names_tool(call) and e.tries < e.duty.times and self._grade(e, call) == "right":
                e.tries += 1
                return True
        return False

    def _always(self, call: Call, turn: Turn) -> bool:
        for place, rule in enumerate(self.always):
            if (rule["tool"] or call.tool) != call.tool or (rule["class"] or call.kind) != call.kind:
                continue
            if rule["that"] and not guarded(compile_tree(rule["that"]))(Env({"call": call})):
                continue
            key = (place, turn.number if rule["per"] == "turn" else 0)
            if self._used.get(key, 0) < rule["times"]:
                self._used[key] = self._used.get(key, 0) + 1
                return True
        return False


def _argument(call: Call, name: str) -> Any:
    return getattr(call, name) if name in ("product", "quantity", "query") else call.given.get(name)
