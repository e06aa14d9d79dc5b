"""What is found of an expectation: does it hold, how far, and why not."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

Data = dict[str, Any]
MOST = 3
"""So many alternatives that do not hold are told."""


@dataclass(frozen=True)
class Check:
    """One atom of a case in one trial, as metrics see it; `score` is from 0 to 1, `at` the event that decided it."""

    group: str
    kind: str
    what: str
    ok: bool
    score: float
    weight: float = 1.0
    bonus: bool = False
    reason: str = ""
    at: int | None = None


@dataclass
class Found:
    """A part of an expectation: does it hold, its partial credit, and its atoms."""

    ok: bool
    score: float
    checks: list[Check] = field(default_factory=list)

    @property
    def reasons(self) -> list[str]:
        """Why it does not hold."""
        return [] if self.ok else [c.reason for c in self.checks if not c.ok and not c.bonus and c.reason]


def all_of(parts: list[tuple[Found, Data]]) -> Found:
    """Every part that is no bonus holds; the score is their weighted mean, and what bonuses add, at most 1."""
    owed = [(f, float(d.get("weight", 1))) for f, d in parts if not d.get("bonus")]
    extra = sum(f.score * float(d.get("weight", 1)) for f, d in parts if d.get("bonus"))
    total = sum(w for _, w in owed)
    score = sum(f.score * w for f, w in owed) / total if total else 1.0
    gained = extra / total if total else extra
    return Found(all(f.ok for f, _ in owed), min(1.0, score + gained), [c for f, _ in parts for c in f.checks])


def any_of(parts: list[tuple[Found, Data]]) -> Found:
    """One part holds; the others are no fault. Where none does, the nearest stands for all of them, with a reason for each."""
    best = max((f for f, _ in parts), key=lambda f: (f.ok, f.score))
    place = next((i for i, c in enumerate(best.checks) if not c.ok and not c.bonus), None)
    if best.ok or place is None:
        return best
    told = [f.reasons[0] for f, _ in parts if f.reasons]
    more = [f"{len(told) - MOST} more"] if len(told) > MOST else []
    checks = list(best.checks)
    checks[place] = replace(checks[place], reason="; or: ".join([*told[:MOST], *more]))
    return Found(False, best.score, checks)


def at_least(parts: list[tuple[Found, Data]], n: int) -> Found:
    """So many parts hold; the score is the mean of the n best."""
    ranked = sorted((f for f, _ in parts), key=lambda f: (f.ok, f.score), reverse=True)
    held = [f for f in ranked if f.ok]
    checks = [c for f in (held[:n] if len(held) >= n else [f for f, _ in parts]) for c in f.checks]
    return Found(len(held) >= n, sum(f.score for f in ranked[:n]) / n, checks)
