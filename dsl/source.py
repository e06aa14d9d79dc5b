"""Source texts and places in them: every message of the compiler points through a `Span`."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Source:
    """The text of one file; `path` is how people see it (relative to its package)."""

    path: str
    text: str

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1, columns in characters."""
        line = bisect_right(self._starts, offset) - 1
        return line + 1, offset - self._starts[line] + 1

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return len(self._starts)

    def start(self, number: int) -> int:
        """Where a line (from 1) begins."""
        return self._starts[number - 1]

    def line(self, number: int) -> str:
        """The text of a line (from 1), without its end."""
        start = self._starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : len(self.text) if end < 0 else end].rstrip("\r")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` (included) to `end` (excluded) of a source."""

    source: Source
    start: int
    end: int

    @property
    def place(self) -> tuple[int, int, int, int]:
        """Line, column, end line and end column, from 1."""
        line, column = self.source.position(self.start)
        end_line, end_column = self.source.position(max(self.start, self.end))
        return line, column, end_line, end_column

    def __str__(self) -> str:
        line, column = self.source.position(self.start)
        return f"{self.source.path}:{line}:{column}"
