"""What a right agent does in a case, made from what the case expects: the listed calls first, then what is to be said, turn by turn."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.library.answers import closed
from shopdsl.dsl.values import Failed, Money, show
from shopdsl.runtime.expect.constraints import wishes
from shopdsl.runtime.expect.listed import Data, Listed, as_given, listed_calls
from shopdsl.runtime.expect.naming import naming
from shopdsl.runtime.expect.solve import case_values
from shopdsl.runtime.world import Trial

RETRIES = 9
"""So often a right agent tries again where a tool has a fault."""


@dataclass(frozen=True)
class Part:
    """Something that is said, and the expectation that it is for."""

    text: str
    node: Data


@dataclass(frozen=True)
class Reply:
    """What the agent does in one turn."""

    calls: list[Listed] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)

    @property
    def say(self) -> str:
        """What it says."""
        return "\n".join(p.text for p in self.parts)


def right_replies(trial: Trial) -> list[Reply]:
    """A reply for every message: the case's `reference` where it has one, else what is expected."""
    case = trial.case
    assert case is not None
    names = {**trial.names, **case_values(case, trial)}
    if case.get("reference"):
        return [_given(reply, names, trial) for reply in case["reference"]]
    turns = len(trial.data["script"]["messages"])
    groups = case["expects"]["groups"]
    replies = [Reply() for _ in range(turns)]
    calls = [replace(c, args=_whole(trial, c, names)) for c in listed_calls(groups.get("calls"), names)]
    replies[0] = Reply(calls)
    parts = said(groups["answer"], names, trial) if "answer" in groups else []
    if "assertions" in groups:
        parts += [(Part(text, {"op": "assertion"}), None) for text in groups["assertions"]["texts"]]
    for part, turn in parts:
        place = turns if turn in (None, "last") else min(turn, turns)
        replies[place - 1].parts.append(part)
    _recommend(trial, replies, names)
    polite = "好的。" if case["locale"].startswith("zh") else "Certainly."
    return [r if r.parts else Reply(r.calls, [Part(polite, {"op": "polite"})]) for r in replies]


def _recommend(trial: Trial, replies: list[Reply], names: dict[str, Any]) -> None:
    """Name in each turn that has to fit the constraints a product that may be recommended then."""
    assert trial.case is not None
    steps = trial.case["expects"].get("constraints", [])
    shown = None
    for turn, reply in enumerate(replies, 1):
        for place, part in enumerate(reply.parts):
            if part.node["op"] == "fits":
                found = wishes(steps, turn).allowed(trial.store.products, names, shown)
                pick = _first(found, steps, turn, trial, names)
                reply.parts[place] = Part(naming(pick)[0] if pick else _nothing(trial), part.node)
                shown = pick or shown


def _first(found: list[Any], steps: list[Any], turn: int, trial: Trial, names: dict[str, Any]) -> Any:
    """Of the products that fit one after which the next turn can still be met; else the first."""
    after = [p for p in found if wishes(steps, turn + 1).allowed(trial.store.products, names, p)]
    return (after or found or [None])[0]


def _nothing(trial: Trial) -> str:
    assert trial.case is not None
    return "没有合适的可以推荐。" if trial.case["locale"].startswith("zh") else "There is nothing that I can recommend."


def _given(reply: Data, names: dict[str, Any], trial: Trial) -> Reply:
    env = Env(dict(names), None, trial.store)
    calls = [
        Listed("", c["tool"], {k: as_given(guarded(compile_tree(t))(env)) for k, t in c["with"].items()}) for c in reply["calls"]
    ]
    return Reply(calls, [Part(str(guarded(compile_tree(reply["say"]))(env)), {"op": "reference"})])


def _whole(trial: Trial, call: Listed, names: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call, with those that the case leaves open: the only thing of the kind that the case has."""
    tool = trial.store.tools.get(call.tool)
    made = dict(call.args)
    for param in tool.data["params"] if tool else ():
        if param["name"] in made or param["optional"]:
            continue
        match param["type"]:
            case {"ref": kind} if (only := _only(trial, kind)) is not None:
                made[param["name"]] = only
            case {"list": {"ref": kind}} if (only := _only(trial, kind)) is not None:
                made[param["name"]] = [only]
            case {"one_of": [first, *_]}:
                made[param["name"]] = first
    return made


def _only(trial: Trial, kind: str) -> str | None:
    """The key of the only record, or product, that the case brings along; else of the only one that the store has."""
    if kind == "product":
        ids = [p.id for p in trial.fixtures.values()] or [p.id for p in trial.store.products[:2]]
    else:
        opening = trial.opening().records
        ids = [k for r, k in opening.changed if r == kind] or opening.tables.keys.get(kind, [])[:2]
    return ids[0] if len(ids) == 1 else None


def said(node: Data, names: dict[str, Any], trial: Trial) -> list[tuple[Part, Any]]:
    """What is to be said for an expectation, and in which turn; of alternatives the first."""
    match node["op"]:
        case "all" if node.get("bonus"):
            return [
                (replace(p, node=p.node | {"bonus": True}), turn) for part in node["of"] for p, turn in said(part, names, trial)
            ]
        case "all":
            return [p for part in node["of"] for p in said(part, names, trial)]
        case "any":
            first = node["of"][0] | ({"bonus": True} if node.get("bonus") else {})
            return said(first, names, trial)
        case "at_least":
            return [p for part in node["of"][: node["n"]] for p in said(part, names, trial)]
        case "grounded":
            return said(node["claim"], names, trial)
    text = _text(node, names, trial)
    return [(Part(text, node), node.get("turn"))] if text else []


def _text(node: Data, names: dict[str, Any], trial: Trial) -> str:
    def value(tree: Any) -> Any:
        return guarded(compile_tree(tree))(Env(dict(names), None, trial.store))

    chinese = trial.case is not None and trial.case["locale"].startswith("zh")
    match node["op"]:
        case "money":
            amount = value(node["value"])
            if not isinstance(amount, Money):
                raise Failed("the amount that is expected cannot be computed")
            return show(amount)
        case "quantity":
            return f"{node['value']} {node['unit']}".strip()
        case "says":
            return closed(str(node["text"]))
        case "place":
            return str(node["text"])
        case "choice":
            right = value(node["right"])
            first = (right or [None])[0] if isinstance(right, list) else right
            return naming(first)[0] if first is not None else ""
        case "none":
            return _nothing(trial)
        case "fits":
            return "…"
        case "asks":
            about = closed(node["of"][0]) if node["of"] else ("您要哪一种" if chinese else "Which one")
            return f"{about}？" if chinese else f"{about}?"
        case "overlap":
            things = [v for tree in node["of"] for v in _many(value(tree))]
            return ("、" if chinese else "; ").join(naming(v)[0] for v in things)
        case "artefact":
            return json.dumps(_nested({path: _jsonable(value(tree)) for path, tree in node["has"].items()}), ensure_ascii=False)
    return ""


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _jsonable(value: Any) -> Any:
    return float(value.amount) if isinstance(value, Money) else value


def _nested(flat: dict[str, Any]) -> Any:
    """`{"a.b": 1}` as `{"a": {"b": 1}}`."""
    result: dict[str, Any] = {}
    for path, value in flat.items():
        place = result
        *way, last = path.split(".")
        for step in way:
            place = place.setdefault(step, {})
        place[last] = value
    return result
