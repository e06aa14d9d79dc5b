"""How many beats of an itinerary one message takes: the compiler budgets with the rule by which the controller releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

MAX_TURNS = 10_000
"""No conversation has more customer messages, whatever a spec or a plan says."""


def message_end(beats: Sequence[Mapping[str, Any]], start: int, limits: Mapping[str, Any]) -> int:
    """The end of the run of beats that the next message takes, from `start`.

    A beat with a guard ends its message; `beats_per_message` and, for beats that make something due, `adds_per_message` bound it.
    """
    end, dues = start, 0
    while end < len(beats) and end - start < limits["beats_per_message"]:
        beat = beats[end]
        if beat["due"]:
            dues += 1
            if dues > limits["adds_per_message"] and end > start:
                break
        end += 1
        if beat["guard"] is not None:
            break
    return end


def messages(beats: Sequence[Mapping[str, Any]], limits: Mapping[str, Any]) -> int:
    """How many messages an itinerary takes if every guard holds at once."""
    place = count = 0
    while place < len(beats):
        place = message_end(beats, place, limits)
        count += 1
    return count
