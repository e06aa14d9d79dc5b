"""The live table of a run: trials done, running, lost, how they ended, tokens, cost, time left."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from shopdsl.runtime.watch import Note

PER_SECOND = 4
INTERRUPTED = "no further trial begins, those that run are played to their end; interrupt again to stop at once"


class Tally:
    """What the events of a run add up to."""

    def __init__(self) -> None:
        self.agent, self.total, self.running, self.lost, self.retries = "", 0, 0, 0, 0
        self.ends: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()
        self.cost = Decimal(0)
        self.began = time.monotonic()
        self.why = ""

    def note(self, event: dict[str, Any]) -> None:
        """Count one event."""
        match event["event"]:
            case "run_started":
                self.agent, self.total = event["agent"], event["left"]
            case "trial_started":
                self.running += 1
            case "trial_finished":
                self.running -= 1
                self.ends[event["reason"]] += 1
            case "trial_lost":
                self.running -= 1
                self.lost += 1
            case "request":
                self.tokens[event["role"]] += event["usage"].get("input", 0) + event["usage"].get("output", 0)
                self.cost += Decimal(event["cost"])
            case "retry":
                self.retries += 1
            case "run_stopping":
                self.why = event["why"]

    @property
    def done(self) -> int:
        return self.ends.total()

    def left(self) -> str:
        """The time that the rest will take, if it goes on as it went."""
        if not self.done:
            return "…"
        seconds = (time.monotonic() - self.began) / self.done * max(0, self.total - self.done - self.lost)
        return f"{int(seconds // 3600)}:{int(seconds // 60) % 60:02}:{int(seconds) % 60:02}"

    def table(self) -> RenderableType:
        """All of it."""
        table = Table(show_header=False, box=None, pad_edge=False)
        table.add_row(self.agent, ProgressBar(total=max(1, self.total), completed=self.done + self.lost, width=40))
        table.add_row("trials", f"{self.done} of {self.total} done, {self.running} running, {self.lost} lost, {self.left()} left")
        if self.ends:
            table.add_row("ends", ", ".join(f"{n} {reason}" for reason, n in self.ends.most_common()))
        if self.tokens or self.retries:
            spent = ", ".join(f"{n:,} {role}" for role, n in sorted(self.tokens.items()))
            table.add_row("tokens", f"{spent or 0}; cost {self.cost:.4f}; {self.retries} requests tried again")
        if self.why:
            table.add_row("ending", Text(INTERRUPTED if self.why == "interrupted" else self.why))
        return table


@contextmanager
def live() -> Iterator[Note]:
    """A table on stderr that is drawn anew while the block lasts."""
    tally = Tally()
    with Live(get_renderable=tally.table, console=Console(stderr=True), refresh_per_second=PER_SECOND, transient=False):
        yield tally.note
