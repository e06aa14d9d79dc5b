"""What the benchmarks share: figures, bounds, timing of calls and of processes, packages in a temporary folder."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from statistics import median
from tempfile import TemporaryDirectory

MANIFEST = "shopdsl: 1\npackage: bench\nversion: 0.1.0\n"
KILOBYTES = 1024 if sys.platform == "darwin" else 1
"""`ru_maxrss` is in bytes on macOS, in kilobytes elsewhere."""


def title(text: str) -> None:
    """Head of a benchmark's output."""
    print(f"\n== {text}", flush=True)


def figure(name: str, value: float, unit: str) -> None:
    """One measured figure; it has no bound."""
    print(f"   {name:<66}{value:>12,.3f} {unit}", flush=True)


def bound(name: str, value: float, most: float, unit: str = "x") -> None:
    """A figure that has a bound, and whether it is met. A missed bound is told, and fails nothing."""
    verdict = "met" if value <= most else "MISSED"
    print(f" * {name:<66}{value:>12,.3f} {unit:<3} bound {most:g}: {verdict}", flush=True)


def floor(name: str, value: float, least: float, unit: str = "x") -> None:
    """A figure that must not be less than its bound, and whether that is so."""
    verdict = "met" if value >= least else "MISSED"
    print(f" * {name:<66}{value:>12,.3f} {unit:<3} bound {least:g} at least: {verdict}", flush=True)


def skipped(name: str, why: str) -> None:
    """A comparison that cannot be made here."""
    print(f" - {name}: skipped, {why}", flush=True)


def seconds(call: Callable[[], object]) -> float:
    """Wall time of one call."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def together(calls: Sequence[Callable[[], object]], times: int) -> list[list[float]]:
    """Wall times of calls that take turns, so that a slow spell of the machine meets all of them."""
    rows = [[seconds(call) for call in calls] for _ in range(times)]
    return [list(column) for column in zip(*rows, strict=True)]


def medians(calls: Sequence[Callable[[], object]], times: int) -> list[float]:
    """The median wall time of each call."""
    return [median(column) for column in together(calls, times)]


def fastest(calls: Sequence[Callable[[], object]], times: int) -> list[float]:
    """The least wall time of each call: what the work takes where nobody disturbs it."""
    return [min(column) for column in together(calls, times)]


def tool() -> str:
    """The `shopdsl` of this Python."""
    found = which("shopdsl", path=sysconfig.get_path("scripts"))
    if found is None:
        raise SystemExit(f"shopdsl is not installed for {sys.executable}")
    return found


def process(*command: str, environment: dict[str, str] | None = None, folder: Path | None = None) -> str:
    """Run a program to its end; its output, or the end of the benchmark with what it said."""
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(environment or {})}, cwd=folder)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def peak_megabytes() -> float:
    """The most memory that this process has held so far."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KILOBYTES / 1024


@contextmanager
def package(specs: str) -> Iterator[Path]:
    """A package of one file in a folder that goes away."""
    with TemporaryDirectory(prefix="shopdsl-bench-") as name:
        folder = Path(name)
        (folder / "shopdsl.yaml").write_text(MANIFEST, "utf-8")
        (folder / "specs.yaml").write_text(specs, "utf-8")
        yield folder


def compiled(folder: Path, suite: str, path: Path, progress: Callable[[int, int], None] | None = None) -> Path:
    """The plan of a suite of a package, made at a path by the compiler's own functions."""
    from shopdsl.compiler.packages import load
    from shopdsl.compiler.pipeline import compile_plan, find_suite
    from shopdsl.compiler.unit import Unit
    from shopdsl.dsl.diagnostics import Sink, render

    sink = Sink()
    unit = Unit(load(folder, sink, ()), sink)
    document = find_suite(unit, suite)
    if document is None or compile_plan(unit, document, path, progress) is None:
        raise SystemExit(render.text(sink.all()))
    return path
