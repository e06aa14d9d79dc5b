"""Does a trial late in a large suite cost what an early one does, in time and in memory?"""

from __future__ import annotations

import time

from measure import bound, compiled, figure, package, peak_megabytes, title

TRIALS, WINDOW = 100_000, 1_000
SPECS = f"""
kind: cohort
name: general
extends: std.general
trials: {TRIALS}
---
kind: suite
name: many
seed: 2609
cohorts: [general]
rubrics: {{general: std.general}}
"""


class Watch:
    """Time and memory at the borders of the two windows; `cpu` leaves out what other processes took."""

    def __init__(self) -> None:
        self.wall: dict[int, float] = {}
        self.cpu: dict[int, float] = {}
        self.memory: dict[int, float] = {}
        self._borders = {1, WINDOW, 2 * WINDOW, TRIALS - WINDOW, TRIALS}

    def __call__(self, done: int, of: int) -> None:
        if done in self._borders:
            self.wall[done], self.cpu[done] = time.perf_counter(), time.process_time()
            self.memory[done] = peak_megabytes()

    def trial(self, first: int, clock: dict[int, float]) -> float:
        """Milliseconds a trial in the window that begins after `first`."""
        return (clock[first + WINDOW] - clock[first]) / WINDOW * 1000


def main() -> None:
    """Compile one large suite with a clock at hand."""
    title(f"compile: a suite of {TRIALS:,} trials; a trial as the plan has it, checks and catalog aside")
    watch = Watch()
    started = time.perf_counter()
    with package(SPECS) as folder:
        size = compiled(folder, "many", folder / "many.plan.jsonl", watch).stat().st_size
    whole = time.perf_counter() - started
    early, late = (watch.trial(first, watch.cpu) for first in (WINDOW, TRIALS - WINDOW))
    figure(f"trials {WINDOW + 1:,} to {2 * WINDOW:,}, CPU time a trial", early, "ms")
    figure(f"the last {WINDOW:,}, CPU time a trial", late, "ms")
    figure(
        "the last / the early ones, wall time", watch.trial(TRIALS - WINDOW, watch.wall) / watch.trial(WINDOW, watch.wall), "x"
    )
    figure("before the first trial (checks, catalog)", watch.wall[1] - started, "s")
    figure("the plan", size / 1e6, "MB")
    figure("peak memory at the end", watch.memory[TRIALS], "MB")
    bound("the last / the early ones, CPU time", late / early, 1.2)
    bound("growth of peak memory from the early trials to the last", watch.memory[TRIALS] - watch.memory[2 * WINDOW], 50, "MB")
    bound("the whole", whole / 60, 10, "min")


if __name__ == "__main__":
    main()
