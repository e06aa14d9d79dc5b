"""What is wrong with the trials of a cohort: each rule at each place once, with the first trial that broke it and how many others did."""

from __future__ import annotations

from typing import Any

from shopdsl.dsl.diagnostics import Code, Sink
from shopdsl.dsl.source import Span


class Failures:
    """Collects findings over trials; `trials` are those that failed."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], list[Any]] = {}
        self.trials: set[str] = set()

    def report(self, trial: str, code: Code, message: str, span: Span, help: str) -> None:
        self._found.setdefault((code.id, str(span)), [code, message, span, help, []])[4].append(trial)
        self.trials.add(trial)

    def flush(self, sink: Sink) -> None:
        for code, message, span, help, trials in self._found.values():
            others = len(set(trials)) - 1
            more = f" (and {others} more of the first {len(self.trials)} that failed)" if others else ""
            sink.add(code, f"trial {trials[0]}: {message}{more}", span, help)
