"""What the atoms of a case look at: the calls, the messages and the state of one trial, and the names of the case."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shopdsl.dsl.entities import Entities
from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.runtime.expect.likeness import alike
from shopdsl.runtime.expect.listed import Listed, listed_calls
from shopdsl.runtime.expect.naming import naming
from shopdsl.runtime.ledger import Call, End, Ledger, Message
from shopdsl.runtime.world import Trial

MOST = 20_000
"""So many characters of a message are looked at."""
Records = dict[tuple[str, str], Any]


@dataclass
class Scene:
    """One trial; `everything` gives the names that metrics know, for conditions."""

    trial: Trial
    ledger: Ledger
    names: dict[str, Any]
    everything: Callable[[], dict[str, Any]]

    @property
    def locale(self) -> str:
        assert self.trial.case is not None
        return str(self.trial.case["locale"])

    @cached_property
    def listed(self) -> list[Listed]:
        """The calls that the case lists."""
        assert self.trial.case is not None
        return listed_calls(self.trial.case["expects"]["groups"].get("calls"), self.names)

    @property
    def end(self) -> End:
        """The state in which the task ended: a harmless request after it is not part of it."""
        return self.ledger.before_twin or End(self.ledger.cart, self.ledger.order, self.ledger.records)

    @cached_property
    def calls(self) -> list[Call]:
        """What the agent called."""
        return [c for c in self.ledger.calls if not c.twin]

    @cached_property
    def messages(self) -> list[Message]:
        """What the agent said."""
        return [m for m in self.ledger.messages if m.role == "agent" and not m.twin]

    @property
    def acted(self) -> bool:
        """Did the agent call or say anything? What it only left alone is no merit otherwise."""
        return bool(self.calls) or any(m.text.strip() for m in self.messages)

    def within(self, turn: Any) -> list[Message]:
        """The agent's messages: all, those of one turn, or the last one."""
        if turn == "last":
            return self.messages[-1:]
        return [m for m in self.messages if turn in (None, m.turn)]

    def texts(self, turn: Any) -> list[str]:
        """What these messages say."""
        return [m.text for m in self.within(turn)]

    def is_long(self, text: str) -> bool:
        """Is a text longer than what is looked at, once it is folded?"""
        return len(text) > MOST or (not text.isascii() and len(unicodedata.normalize("NFKC", text)) > MOST)

    def too_long(self, turn: Any) -> bool:
        """Is one of these messages?"""
        return any(map(self.is_long, self.texts(turn)))

    def value(self, tree: Any) -> Any:
        """An expression over the names of the case."""
        return guarded(compile_tree(tree))(Env(dict(self.names), None, self.trial.store))

    def holds(self, tree: Any) -> bool:
        """A condition over all that metrics know."""
        return bool(guarded(compile_tree(tree))(Env({**self.everything(), **self.names}, None, self.trial.store)))

    def called(self, tree: Any) -> list[list[str]]:
        """The names of what a tree gives: for each accepted thing the ways to call it."""
        value = self.value(tree)
        return [naming(v) for v in (value if isinstance(value, list) else [value])]

    @cached_property
    def opening(self) -> Entities:
        """The records with which the trial began."""
        return self.trial.opening().records

    @cached_property
    def after_listed(self) -> Records:
        """The records after the calls that the case lists."""
        state = self.trial.opening()
        for call in self.listed:
            tool = self.trial.store.tools.get(call.tool)
            if tool is not None and tool.data["effect"]:  # the others change nothing, and may need a search engine
                self.trial.store.call(call.tool, call.args, state)
        return state.records.changed

    def data(self, records: Records, key: tuple[str, str]) -> Any:
        """A record in some state, or None."""
        if key in records:
            return records[key]
        return self.opening.tables.data.get(key[0], {}).get(key[1])

    def differing(self, records: Records, other: Records) -> list[tuple[str, str]]:
        """The records that are not the same in two states."""
        return sorted(k for k in {*records, *other} if not alike(_whole(self.data(records, k)), _whole(self.data(other, k))))

    def worked(self, tools: list[str]) -> list[Call]:
        """Calls of some tools (none: of any) that were not refused."""
        return [c for c in self.calls if c.error is None and (not tools or c.tool in tools)]


def _whole(data: Any) -> Any:
    """A record without the fields that are none: in a sparse one they may be absent as well."""
    return {k: v for k, v in data.items() if v is not None} if isinstance(data, dict) else data
