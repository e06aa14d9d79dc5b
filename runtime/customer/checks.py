"""What code checks of a message that a model wrote for the customer, before the agent sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shopdsl.dsl.catalog import Catalog
from shopdsl.dsl.items import Item
from shopdsl.dsl.library.texts import words
from shopdsl.runtime.customer.answering import Said
from shopdsl.runtime.customer.faithful import unreleased, unsaid

MOST_MOVED = 4
"""Frustration moves by no more from one message to the next."""
QUOTED = 8
"""So many words of its instructions in a row may stand in a message."""
_ID = re.compile(r"[\w-]{3,}")


@dataclass(frozen=True)
class Bounds:
    """What a message must keep to: the frustration before it, when the customer may leave, what has come out (`out`) and what comes out with it
    (`released` holds both), what it is told to say.
    """

    frustration: float
    complain_at: float
    leave_at: float
    waiting: bool
    out: frozenset[int]
    released: frozenset[int]
    directives: list[str]
    brief: str


def problems(said: Said, held: list[bool], bounds: Bounds, items: list[Item], catalog: Catalog) -> list[str]:
    """Everything that is wrong with a message; `held` tells of each directive whether the message says it."""
    text = said.message
    leaves = said.stop is not None or said.frustration >= bounds.leave_at
    found = [] if leaves else list(unsaid(held, bounds.directives))
    if not text and said.stop is None:
        found.append("the message is empty")
    # who leaves asks for nothing any more: what was to come out with the message does not
    known = bounds.out if leaves else bounds.released
    found += unreleased(text, [i.say for i in items], [i.product.title for i in items], set(known))
    found += (
        f"it holds the product number {id}, which a customer does not know" for id in _ID.findall(text) if id in catalog.by_id
    )
    if _quotes(text, bounds.brief, [items[i].say for i in bounds.released]):
        found.append(f"it quotes more than {QUOTED} words of its instructions")
    return [*found, *_frustration(said, bounds)]


def _frustration(said: Said, bounds: Bounds) -> Iterator[str]:
    if abs(said.frustration - bounds.frustration) > MOST_MOVED:
        yield f"frustration moves from {bounds.frustration:g} to {said.frustration}, and by at most {MOST_MOVED} from one message to the next"
    if said.stop == "frustrated" and said.frustration < bounds.leave_at:
        yield f"it leaves as frustrated at {said.frustration}, and may from {bounds.leave_at:g} on"
    if said.stop == "gave_up" and not (bounds.waiting and said.frustration >= bounds.complain_at):
        yield f"it gives up at {said.frustration}, and may from {bounds.complain_at:g} on, where nothing new is to be said"


def _quotes(text: str, brief: str, names: list[str]) -> bool:
    """Do more words in a row stand in the brief? What things are called has to be said, and ends such a row."""
    runs, spoken = _without(brief, names), words(text)
    rows = {tuple(run[i : i + QUOTED + 1]) for run in runs for i in range(len(run) - QUOTED)}
    return any(tuple(spoken[i : i + QUOTED + 1]) in rows for i in range(len(spoken) - QUOTED))


def _without(brief: str, names: list[str]) -> list[list[str]]:
    """The words of the brief, line by line and cut where it names something."""
    pieces = [" ".join(words(line)) for line in brief.splitlines()]
    for name in sorted((" ".join(words(n)) for n in names), key=len, reverse=True):
        pieces = [part for piece in pieces for part in (f" {piece} ".split(f" {name} ") if name else [piece])]
    return [piece.split() for piece in pieces]
