"""One finding, and the sink that collects all findings of a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.diagnostics.codes import Code
from shopdsl.dsl.source import Span


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What is wrong, where, and how to mend it; `help` is one sentence or empty."""

    code: Code
    message: str
    span: Span | None = None
    help: str = ""

    @property
    def is_error(self) -> bool:
        return self.code.id.startswith("E")


UNREAD = (codes.YAML_SYNTAX, codes.NOT_UTF8, codes.TOO_LARGE, codes.TOO_DEEP, codes.TAB, codes.UNREADABLE)
FOLLOWS = (codes.UNRESOLVED, codes.CASES_AND_DRAWS)


class Sink:
    """Collects diagnostics; the same finding at the same place is kept once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], Diagnostic] = {}

    def add(self, code: Code, message: str, span: Span | None = None, help: str = "") -> None:
        key = (code.id, message, str(span))
        self._found.setdefault(key, Diagnostic(code, message, span, help))

    def all(self) -> list[Diagnostic]:
        """Every finding, by file and place.

        Where a file could not be read, names that lead nowhere are not told: they may stand in it."""
        found = self._found.values()
        lost = any(d.code in UNREAD for d in found)
        return sorted((d for d in found if not lost or d.code not in FOLLOWS), key=_order)

    @property
    def has_errors(self) -> bool:
        return any(d.is_error for d in self._found.values())


def _order(found: Diagnostic) -> tuple[str, int, str, str]:
    span = found.span
    return (span.source.path if span else "", span.start if span else -1, found.code.id, found.message)


def nearest(name: str, candidates: Iterable[str]) -> str:
    """«did you mean …?» with the candidate most like `name`, or an empty text where none is near."""
    known = list(dict.fromkeys(candidates))
    if len(name) > 60 or len(known) > 400:  # looking for the nearest of many costs more than it helps
        return ""
    matches = get_close_matches(name.lower(), known, n=1, cutoff=0.6)
    return f"did you mean `{matches[0]}`?" if matches else ""
