"""What a reader finds in a sentence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """A field and a value, where they stand, what the record says; `deniable` where a negation before it turns it round."""

    start: int
    end: int
    field: str
    said: str
    truth: str
    deniable: bool = True
