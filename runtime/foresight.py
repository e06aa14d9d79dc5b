"""What the models of a run will probably be asked, before anything is: for `--dry-run`, and for the first trials of a budget.

It is thought that every wish comes out without delay, and that the agent makes the calls that beats oblige it to, one an answer. An agent that repeats
itself takes more, one that calls tools side by side less. The figures below are tokens, measured on runs of `std` with the oracle.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from shopdsl.dsl.pacing import messages
from shopdsl.runtime.models.usage import Usage, guessed
from shopdsl.runtime.world import Trial

CUSTOMER, ANSWER, CALL, RESULT = 25, 50, 40, 250
INSTRUCTIONS, FIELDS = 700, 120
"""What a model customer reads beside the conversation, and its five fields."""
QUESTION, VERDICT = 500, 60
MOST_CALLS = 2
"""Of the duties of a beat the later ones are often met already."""


@dataclass(frozen=True)
class Shape:
    """A trial in numbers: messages of the customer, calls of the agent, wanted items, and what the agent is told at the start, in tokens."""

    messages: int
    calls: int
    items: int
    briefing: int


def shape(trial: Trial) -> Shape:
    """What is to be expected of a trial."""
    briefing = guessed(trial.system) + guessed(json.dumps(trial.store.schemas()))
    if said := len(trial.data.get("script", {}).get("messages", ())):
        return Shape(said, said, len(trial.data["items"]), briefing)
    calls = sum(max(1, len(b["items"])) * min(MOST_CALLS, len(trial.beats[b["beat"]]["expects"])) for b in trial.itinerary)
    return Shape(messages(trial.itinerary, trial.reveal["limits"]), calls, len(trial.data["items"]), briefing)


def of_agent(shape: Shape) -> Usage:
    """Each answer reads all that was said and found before it."""
    usage, read = Usage(), shape.briefing
    each, more = divmod(shape.calls, max(1, shape.messages))
    for message in range(shape.messages):
        read += CUSTOMER
        for _ in range(each + (message < more)):
            usage.add(Usage(1, read, CALL))
            read += CALL + RESULT
        usage.add(Usage(1, read, ANSWER))
        read += ANSWER
    return usage


def of_customer(shape: Shape) -> Usage:
    """One call a message, which reads all messages before it."""
    usage = Usage()
    for message in range(shape.messages):
        usage.add(Usage(1, INSTRUCTIONS + message * (CUSTOMER + ANSWER), FIELDS))
    return usage


def of_judge(shape: Shape, questions: Iterable[str]) -> Usage:
    """`questions` are what each judge that metrics ask is about; one that two metrics put alike is put once."""
    times = {
        "trial": 1,
        "message": shape.messages,
        "turn": shape.messages,
        "call": shape.calls,
        "item": shape.items,
        "beat": shape.messages,
    }
    n = sum(times[about] for about in questions)
    return Usage(n, n * QUESTION, n * VERDICT)


@dataclass
class Foreseen:
    """What is expected of some trials, by who is asked: role, and name of the model."""

    trials: int = 0
    usage: dict[tuple[str, str], Usage] = field(default_factory=dict)

    def add(self, who: tuple[str, str], usage: Usage) -> None:
        """One more trial's."""
        self.usage.setdefault(who, Usage()).add(usage)


def asked_about(header: dict[str, Any], cohort: str) -> list[str]:
    """What the judges are about that the metrics of a cohort ask, each judge once."""
    judges = {ask[1] for metric in header["metrics"].values() if cohort in metric["for"] for ask in metric["ask"]}
    return sorted(header["judges"][j]["about"] for j in judges)
