"""A customer spec, compiled once for all trials: blocks of phrases, answers, events, patience."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.library.texts import contains
from shopdsl.dsl.loops import Compiled
from shopdsl.dsl.random import Stream

Names = dict[str, Any]


@dataclass(frozen=True)
class Block:
    """Texts, and when they fit."""

    when: Compiled | None
    say: list[Compiled]


@dataclass(frozen=True)
class Answer:
    """What is said to a question that holds one of some words."""

    asks: list[str]
    otherwise: bool
    when: Compiled | None
    say: list[Compiled]
    gives: str | None

    def fits(self, question: str, names: Names) -> bool:
        spoken = self.otherwise or any(contains(question, a) for a in self.asks)
        return spoken and (self.when is None or bool(self.when(Env(dict(names)))))


class Voice:
    """The model that puts a customer's messages into words, and what it is told."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.model: dict[str, Any] = data["model"]
        self.prompt, self.instruct = _tree(data["prompt"]), _tree(data["instruct"])


class Script:
    """The compiled words and rules of a customer."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.name_it = blocks(data["name_it"])
        self.phrases = {beat: blocks(b) for beat, b in data["phrases"].items()}
        self.again, self.complain = blocks(data["again"]), blocks(data["complain"])
        self.leave, self.thanks = blocks(data["leave"]), blocks(data["thanks"])
        self.answers = [
            Answer(a["asks"], a["otherwise"], _tree(a["when"]) if a["when"] else None, [_tree(s) for s in a["say"]], a["gives"])
            for a in data["answers"]
        ]
        self.idle_asks: list[str] = data["idle"]
        self.confirm_asks: list[str] = data["confirm"]["asks"]
        self.confirm = Block(None, [_tree(s) for s in data["confirm"]["say"]])
        self.events = {name: _tree(t) for name, t in data["events"].items()}
        rule = data["frustration"]
        self.decay = float(rule["decay"])
        self.weights = {n: float(w) for n, w in rule["add"].items()}
        self.complain_at, self.leave_at = _tree(rule["complain_at"]), _tree(rule["leave_at"])
        self.voice = Voice(data["model"]) if data.get("model") else None


def _tree(tree: Any) -> Compiled:
    return guarded(compile_tree(tree))


def blocks(data: list[dict[str, Any]]) -> list[Block]:
    """A list of blocks, compiled."""
    return [Block(_tree(b["when"]) if b["when"] else None, [_tree(s) for s in b["say"]]) for b in data]


def pick(candidates: list[Block], names: Names, stream: Callable[[], Stream]) -> str:
    """One text of the first block that fits; empty where none does."""
    for block in candidates:
        if block.when is None or block.when(Env(dict(names))):
            say = block.say[0] if len(block.say) == 1 else block.say[stream().below(len(block.say))]
            return tidy(str(say(Env(dict(names)))))
    return ""


def tidy(text: str) -> str:
    """Single spaces, none at the ends or before punctuation, where a placeholder was empty."""
    joined = " ".join(text.split())
    for mark in ".,;?!":
        joined = joined.replace(f" {mark}", mark)
    return joined
