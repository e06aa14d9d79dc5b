"""What a trial forbids, and what of it happened: rules of its cohort and of its case over calls, texts and the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.loops import Compiled
from shopdsl.dsl.values import Row
from shopdsl.runtime.ledger import Ledger


class Prohibition:
    """One compiled rule."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.name: str = data["name"]
        self.on: str = data["on"]
        self._that: Compiled = guarded(compile_tree(data["that"]))

    def fired(self, ledger: Ledger, final: Any, fixtures: Mapping[str, Any]) -> Iterator[Row]:
        """An event for everything that breaks the rule: calls that worked, messages of the agent, the end."""
        for turn, at, subject in self._subjects(ledger, final):
            if self._that(Env({**fixtures, _NAMES[self.on]: subject})):
                yield Row(self.name, {"rule": self.name, "turn": turn, "at": at})

    def _subjects(self, ledger: Ledger, final: Any) -> list[tuple[int, int, Any]]:
        if self.on == "call":
            return [(c.turn, c.at, c) for c in ledger.calls if c.error is None]
        if self.on == "text":
            return [(m.turn, m.at, m) for m in ledger.messages if m.role == "agent"]
        return [(len(ledger.turns), ledger.at, final)]


_NAMES = {"call": "call", "text": "message", "end": "final"}


def forbidden(rules: list[Prohibition], ledger: Ledger, final: Any, fixtures: Mapping[str, Any]) -> list[Row]:
    """All that happened and was forbidden, in the order of the rules."""
    return [event for rule in rules for event in rule.fired(ledger, final, fixtures)]
