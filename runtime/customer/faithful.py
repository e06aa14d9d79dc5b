"""Was the simulated customer faithful: did each message say what it was directed to, and nothing that had not been released?

Source: arXiv 2609.16093, section 3.4 (directives reach the customer in real time); which checks there are is ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shopdsl.dsl.library.texts import contains
from shopdsl.runtime.world import Trial


@dataclass(frozen=True)
class Unfaithful:
    """A message of the customer (`at`) and what is wrong with it."""

    at: int
    why: str


def unfaithful(trial: Trial, record: dict[str, Any]) -> list[Unfaithful]:
    """Everything that is wrong with the customer's messages of a record, in their order."""
    said: list[str] = record["says"]
    titles = [i.product.title for i in trial.items()]
    asked: set[int] = set()
    found: list[Unfaithful] = []
    for at, event in enumerate(record["events"]):
        if event["type"] != "customer":
            continue
        asked |= set(event["asked"])
        problems = (*unsaid(event.get("said", []), event["directives"]), *unreleased(event["text"], said, titles, asked))
        found += [Unfaithful(at, why) for why in problems]
    return found


def unsaid(said: list[bool], directives: list[str]) -> Iterator[str]:
    """What a message was directed to say and does not."""
    for holds, directive in zip(said, directives, strict=False):
        if not holds:
            yield f"it does not say what it was directed to: {directive}"


def unreleased(text: str, said: list[str], titles: list[str], asked: set[int]) -> Iterator[str]:
    """An item that has not come out must not be named, unless one that has come out is called the same."""
    out = [said[i] for i in asked if i < len(said)]
    for i, title in enumerate(titles):
        if i in asked:
            continue
        names = [title, *([said[i]] if i < len(said) else [])]
        if any(contains(text, name) and not any(contains(other, name) for other in out) for name in names):
            yield f"it names {title}, which has not been released"
