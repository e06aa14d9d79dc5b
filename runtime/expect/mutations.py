"""Single mistakes made in right replies: a tool skipped, an order swapped, an argument or a number changed, a claim negated, a write too many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from shopdsl.runtime.expect.constraints import wishes
from shopdsl.runtime.expect.likeness import alike
from shopdsl.runtime.expect.listed import Data, Listed, arguments, calls_of
from shopdsl.runtime.expect.oracle import Part, Reply
from shopdsl.runtime.expect.solve import case_values
from shopdsl.runtime.world import Trial


@dataclass(frozen=True)
class Mutation:
    """Spoiled replies, what was done to them in words, and the group of expectations that should notice."""

    what: str
    group: str
    replies: list[Reply]


def mutations(trial: Trial, replies: list[Reply]) -> Iterator[Mutation]:
    """Every single mistake that the case should notice."""
    assert trial.case is not None
    groups = trial.case["expects"]["groups"]
    names = {**trial.names, **case_values(trial.case, trial)}
    listed = calls_of(groups["calls"]) if "calls" in groups else ()
    expected = [_single(c, names) for c in listed if not c.get("bonus")]
    for turn, reply in enumerate(replies):
        yield from _calls(replies, turn, reply, expected)
        yield from _says(replies, reply)
        yield from _misfits(trial, replies, turn, reply)
    for order in _orders(groups.get("calls", {})):
        yield from _swapped(replies, [_single(c, names) for c in order])
    yield from _writes(trial, replies)


Single = tuple[str, dict[str, Any], set[str]]
Expected = list[Single]


def _single(call: Data, names: dict[str, Any]) -> Single:
    """The tool of an expected call, its arguments, and those that do not count."""
    return call["tool"], arguments(call, names), set(call.get("ignore", ()))


def _compared(call: Listed, expected: Expected) -> set[str] | None:
    """The arguments of a call that the case compares; None for a call that it does not list."""
    fits = (
        set(a) - ignored
        for tool, a, ignored in expected
        if tool == call.tool and all(alike(call.args.get(k), v, True) for k, v in a.items())
    )
    return next(fits, None)


def _with(replies: list[Reply], turn: int, reply: Reply) -> list[Reply]:
    return [*replies[:turn], reply, *replies[turn + 1 :]]


def _calls(replies: list[Reply], turn: int, reply: Reply, expected: Expected) -> Iterator[Mutation]:
    for place, call in enumerate(reply.calls):
        compared = _compared(call, expected)
        if compared is None:
            continue
        rest = [*reply.calls[:place], *reply.calls[place + 1 :]]
        yield Mutation(f"the call of `{call.tool}` is left out", "calls", _with(replies, turn, replace(reply, calls=rest)))
        for name in sorted(compared & call.args.keys()):
            spoiled = [
                *reply.calls[:place],
                replace(call, args=call.args | {name: other(call.args[name])}),
                *reply.calls[place + 1 :],
            ]
            yield Mutation(f"`{name}` of `{call.tool}` is changed", "calls", _with(replies, turn, replace(reply, calls=spoiled)))


def other(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return value + "x"
        case list():
            return value[:-1] if len(value) > 1 else [*map(other, value)]
        case dict():
            return {k: other(v) for k, v in value.items()}
    return "x"


def _swapped(replies: list[Reply], order: Expected) -> Iterator[Mutation]:
    """Neighbours in an order change places."""
    for turn, reply in enumerate(replies):
        for place in range(len(reply.calls) - 1):
            first, second = reply.calls[place : place + 2]
            pairs = pairwise(order)
            if first.tool != second.tool and any(None not in (_compared(first, [a]), _compared(second, [b])) for a, b in pairs):
                swapped = [*reply.calls[:place], second, first, *reply.calls[place + 2 :]]
                yield Mutation(
                    f"`{second.tool}` comes before `{first.tool}`", "calls", _with(replies, turn, replace(reply, calls=swapped))
                )


def _says(replies: list[Reply], reply: Reply) -> Iterator[Mutation]:
    for part in reply.parts:
        for number, (what, _) in enumerate(_spoiled(part)):
            yield Mutation(what, "answer", [replace(r, parts=[_spoil(p, part, number) for p in r.parts]) for r in replies])


def _spoil(part: Part, wrong: Part, number: int) -> Part:
    """A part as it is with a mistake in another: what says the same is wrong as well."""
    if part is not wrong and (not wrong.text or wrong.text not in part.text):
        return part
    ways = list(_spoiled(part))
    return Part(ways[min(number, len(ways) - 1)][1], part.node) if ways else part


def _misfits(trial: Trial, replies: list[Reply], turn: int, reply: Reply) -> Iterator[Mutation]:
    """A product that must not be recommended in a turn is."""
    assert trial.case is not None
    steps = trial.case["expects"].get("constraints", [])
    names = {**trial.names, **case_values(trial.case, trial)}
    for place, part in enumerate(reply.parts):
        if part.node["op"] != "fits":
            continue
        every = trial.store.products
        before = [p for r in replies[:turn] for q in r.parts if q.node["op"] == "fits" for p in every if p.title == q.text]
        allowed = wishes(steps, turn + 1).allowed(every, names, before[-1] if before else None)
        for product in [p for p in every if p not in allowed and p not in before][:1]:
            parts = [*reply.parts[:place], Part(product.title, part.node), *reply.parts[place + 1 :]]
            yield Mutation(
                f"{product} is recommended in turn {turn + 1}", "answer", _with(replies, turn, replace(reply, parts=parts))
            )


def _spoiled(part: Part) -> Iterator[tuple[str, str]]:
    """What can be wrong with something that is said."""
    if part.node.get("bonus"):
        return
    match part.node["op"]:
        case "asks":
            yield f"`{part.text}` is not asked", part.text.rstrip("?？") + "."
        case "money" | "quantity":
            yield f"instead of {part.text} another number is said", _another_number(part.text)
            yield f"{part.text} is denied", f"not {part.text}" if part.text.isascii() else f"不是{part.text}"
        case "says" | "place" | "choice":
            yield f"`{part.text}` is denied", denied(part.text)
            yield f"`{part.text}` is left out", ""
        case "artefact" | "overlap":
            yield "what is asked for is left out", ""


def denied(text: str) -> str:
    """The negation of a claim."""
    return f"it is not true that: not {text}" if text.isascii() else f"并非{text}"


def _another_number(text: str) -> str:
    """The text with its first digit changed."""
    place = next((i for i, c in enumerate(text) if c.isdigit()), None)
    return text + "1" if place is None else text[:place] + str(int(text[place]) % 9 + 1) + text[place + 1 :]


def _writes(trial: Trial, replies: list[Reply]) -> Iterator[Mutation]:
    """A call that changes something, made once more for another record."""
    for turn, reply in enumerate(replies):
        for call in reply.calls:
            again = _elsewhere(trial, call)
            if again is not None:
                more = [*reply.calls, again]
                yield Mutation(
                    f"`{call.tool}` is called for another record as well",
                    "state",
                    _with(replies, turn, replace(reply, calls=more)),
                )


def _elsewhere(trial: Trial, call: Listed) -> Listed | None:
    """The call with the key of another record for which it works and changes something."""
    tool = trial.store.tools.get(call.tool)
    if tool is None or not tool.data["effect"]:
        return None
    for param in tool.data["params"]:
        kind = param["type"].get("ref") if isinstance(param["type"], dict) else None
        for key in _keys(trial, kind)[:50]:
            made = replace(call, args=call.args | {param["name"]: key})
            if key != call.args.get(param["name"]) and _changes(trial, made):
                return made
    return None


def _keys(trial: Trial, kind: str | None) -> list[str]:
    opening = trial.opening().records
    if kind == "product":
        return [p.id for p in trial.store.products[:50]]
    own = [k for r, k in opening.changed if r == kind]
    return [*own, *opening.tables.keys.get(kind or "", [])]


def _changes(trial: Trial, call: Listed) -> bool:
    state = trial.opening()
    before = state.now()
    outcome = trial.store.call(call.tool, call.args, state)
    return outcome.error is None and (bool(state.records.since(before.records)) or state.cart != before.cart)


def _orders(node: Data) -> Iterator[list[Data]]:
    """The orders that a group of calls asks for."""
    if node.get("op") == "in_order":
        yield node["of"]
    for part in node.get("of", ()) if node.get("op") != "never" else ():
        yield from _orders(part)
