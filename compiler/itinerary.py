"""Draws a reveal program into an itinerary: a flat list of beats with guards that are asked at run time.

The beat list of the paper (arXiv 2609.16093, section 3.3): phases of different items interleave, each target falls due once, the checkout is last.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shopdsl.compiler.draw import DrawFailed, Drawn
from shopdsl.compiler.kinds.beat import Beat
from shopdsl.compiler.kinds.reveal import Reveal
from shopdsl.dsl import syntax as s
from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.items import Item
from shopdsl.dsl.library.collections import walk
from shopdsl.dsl.loops import Compiled
from shopdsl.dsl.pacing import messages
from shopdsl.dsl.random import Stream
from shopdsl.dsl.source import Span
from shopdsl.dsl.values import Failed

OTHERS = {"beat": None}
MAX_BEATS = 2_000
MAX_STEPS = 100_000


def draw_itinerary(
    drawn: Drawn, reveals: dict[str, Planner], name: str, tried: tuple[str, ...] = ()
) -> tuple[str, list[dict[str, Any]]]:
    """The style that was used in the end, and its beats, fitted to the turn budget; raises DrawFailed."""
    planner = reveals[name]
    for attempt in range(planner.reveal.redraw + 1):
        beats = planner.fit(planner.draw(drawn, attempt), drawn.turn_budget)
        if planner.reveal.otherwise is None or crosses(beats):
            return name, beats
    otherwise = planner.reveal.otherwise
    if otherwise is None or otherwise in (name, *tried):
        return name, beats
    return draw_itinerary(drawn, reveals, otherwise, (*tried, name))


def crosses(beats: list[dict[str, Any]]) -> bool:
    """Does the conversation leave an item and come back to it?"""
    seen: list[int] = []
    for beat in beats:
        for item in beat["items"]:
            if item in seen and seen[-1] != item:
                return True
            seen.append(item)
    return False


class Planner:
    """One reveal plan, compiled for drawing."""

    def __init__(self, reveal: Reveal) -> None:
        self.reveal = reveal
        self.run: dict[s.At, Compiled] = {at: guarded(compile_tree(tree)) for at, tree in reveal.trees.items()}
        self.guards = {at: i for i, at in enumerate(sorted(reveal.guards))}

    def draw(self, drawn: Drawn, attempt: int) -> list[dict[str, Any]]:
        """The beats of the program, before they are fitted to the budget."""
        names = {
            "basket": drawn.items,
            "persona": drawn.persona,
            "turn_budget": drawn.turn_budget,
            "tier": str(drawn.names.get("tier", "")),
            "difficulty": drawn.names.get("difficulty"),
        }
        stream = Stream(drawn.seed, "itinerary", self.reveal.name, attempt)
        beats = _Drawing(self, stream).block(self.reveal.program, names)
        return [b for b in beats if b is not OTHERS]

    def fit(self, beats: list[dict[str, Any]], budget: int) -> list[dict[str, Any]]:
        """Optional beats are dropped, the last first, in the order of `fit`, until the messages leave `slack` free."""
        room = budget - self.reveal.limits["slack"]
        for kind in self.reveal.fit:
            while messages(beats, self.reveal.limits) > room:
                place = next((i for i in range(len(beats) - 1, -1, -1) if beats[i]["beat"] == kind), None)
                if place is None:
                    break
                beats = self._without(beats, place)
        return beats

    def _without(self, beats: list[dict[str, Any]], place: int) -> list[dict[str, Any]]:
        """The beats without one, and without those that need it to have come before."""
        gone = beats[place]
        rest = beats[:place] + beats[place + 1 :]
        for i in range(place, len(rest)):
            beat = rest[i]
            needs = gone["beat"] in self.reveal.beats[beat["beat"]].after and beat["items"] == gone["items"]
            if needs and not any(b["beat"] == gone["beat"] and b["items"] == beat["items"] for b in rest[:i]):
                return self._without(rest, i)
        return rest


class _Drawing:
    """Walks through a program once, with one stream."""

    def __init__(self, planner: Planner, stream: Stream) -> None:
        self.planner, self.stream = planner, stream
        self.count = self.steps = 0

    def value(self, node: s.Expr, names: dict[str, Any]) -> Any:
        try:
            return self.planner.run[node.at](Env(dict(names), self.stream))
        except Failed as error:
            raise DrawFailed(self.planner.reveal.name, self.place(node.at), str(error)) from None

    def whole(self, node: s.Expr, names: dict[str, Any]) -> int:
        value = self.value(node, names) or 0
        if not 0 <= value <= MAX_STEPS:
            raise DrawFailed(
                self.planner.reveal.name, self.place(node.at), f"{value:g} is not a number of times, 0 to {MAX_STEPS:,}"
            )
        return int(value)

    def chance(self, node: s.Expr, names: dict[str, Any]) -> float:
        value = self.value(node, names) or 0
        return min(1.0, max(0.0, float(value))) if value == value else 0.0

    def place(self, at: s.At) -> Span:
        return self.planner.reveal.node.within(*at)

    def block(self, statements: Iterable[s.Statement], names: dict[str, Any]) -> list[dict[str, Any]]:
        names = dict(names)
        result: list[dict[str, Any]] = []
        for statement in statements:
            result += self.statement(statement, names)
        return result

    def statement(self, node: s.Statement, names: dict[str, Any]) -> list[dict[str, Any]]:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise DrawFailed(self.planner.reveal.name, self.place(node.at), f"this program takes more than {MAX_STEPS:,} steps")
        match node:
            case s.Let(_, name, value):
                names[name] = self.value(value, names)
                return []
            case s.If(_, condition, then, other):
                return self.block(then if self.value(condition, names) else other, names)
            case s.ForEach(_, name, source, body):
                members = walk(self.value(source, names) or [])
                return [b for m in members for b in self.block(body, names | {name: m})]
            case s.Interleave(_, name, source, most, body):
                members = walk(self.value(source, names) or [])
                threads = [self.block(body, names | {name: m}) for m in members]
                return interleave(threads, most or len(threads), self.stream, self.planner.reveal.beats)
            case s.Maybe(_, chance, body):
                return self.block(body, names) if self.stream.chance(self.chance(chance, names)) else []
            case s.Repeat():
                return [b for _ in range(self.times(node, names)) for b in self.block(node.body, names)]
            case s.Others():
                return [OTHERS]
            case s.BeatCall():
                return [self.beat(node, names)]
        raise AssertionError(node)

    def times(self, node: s.Repeat, names: dict[str, Any]) -> int:
        low, high = self.whole(node.low, names), self.whole(node.high, names)
        if node.each is None:
            return low + self.stream.below(max(0, high - low) + 1)
        chance, n = self.chance(node.each, names), low
        while n < high and self.stream.chance(chance):
            n += 1
        return n

    def beat(self, node: s.BeatCall, names: dict[str, Any]) -> dict[str, Any]:
        self.count += 1
        if self.count > MAX_BEATS:
            raise DrawFailed(self.planner.reveal.name, self.place(node.at), f"this program has more than {MAX_BEATS:,} beats")
        of = self.value(node.of, names) if node.of is not None else []
        members = of if isinstance(of, list) else [of]
        if any(not isinstance(m, Item) for m in members):
            raise DrawFailed(
                self.planner.reveal.name, self.place(node.at), f"`{node.beat}` is about nothing here: its item is none"
            )
        about = self.value(node.about, names) if node.about is not None else None
        to = self.value(node.to, names) if node.to is not None else None
        beat = self.planner.reveal.beats[node.beat]
        result = {
            "beat": node.beat,
            "items": [m.index for m in members],
            "about": about,
            "to": to,
            "due": beat.due,
            "guard": None,
        }
        if node.until is not None:
            used = self.planner.reveal.guards[node.until.at].names
            result["guard"] = self.planner.guards[node.until.at]
            result["with"] = {n: encode_name(names.get(n)) for n in used}
        return result


def encode_name(value: Any) -> Any:
    """A program's own name as plan data: an item or items by index, else a plain value."""
    if isinstance(value, Item):
        return {"item": value.index}
    if isinstance(value, list) and all(isinstance(v, Item) for v in value):
        return {"items": [v.index for v in value]}
    return {"value": value if isinstance(value, int | str | bool | None) else str(value)}


def interleave(threads: list[list[dict[str, Any]]], most: int, stream: Stream, beats: dict[str, Beat]) -> list[dict[str, Any]]:
    """One random order of all threads, each in its own order; at most `most` are begun and not done.

    `others` waits for a beat of another thread; where none is left, the pair of beats around it is dropped, for it would put off nothing.
    """
    left = [list(t) for t in threads]
    begun: set[int] = set()
    result: list[dict[str, Any]] = []
    waiting: dict[int, int] = {}
    while any(left):
        ready = [
            i for i in range(len(left)) if left[i] and (i in begun or len(begun) < most) and waiting.get(i, -1) < len(result)
        ]
        if not ready:
            _drop_pause(left, waiting, result, beats)
            continue
        steps = [0]
        for i in ready:
            steps.append(steps[-1] + len(left[i]))
        i = ready[stream.pick(steps[1:])]
        begun.add(i)
        _emit(i, left, waiting, result)
        if not left[i]:
            begun.discard(i)
    return result


def _emit(i: int, left: list[list[dict[str, Any]]], waiting: dict[int, int], result: list[dict[str, Any]]) -> None:
    result.append(left[i].pop(0))
    waiting.pop(i, None)
    if left[i] and left[i][0] is OTHERS:
        left[i].pop(0)
        waiting[i] = len(result)


def _drop_pause(
    left: list[list[dict[str, Any]]], waiting: dict[int, int], result: list[dict[str, Any]], beats: dict[str, Beat]
) -> None:
    """Every thread that has beats left waits for another: end the wait of the first, without the beats that make the pause."""
    i = min(waiting)
    waiting.pop(i)
    before, after = result[-1], left[i][0]
    if beats[before["beat"]].then == after["beat"] and before["items"] == after["items"]:
        result.pop()
        left[i].pop(0)
