"""How soon the tool answers, in units of a bare `import click`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import bound, figure, medians, process, title, tool

TIMES = 21
READINGS = 5


def main() -> None:
    """Start each program many times, in turns."""
    import shopdsl.specs

    title("start-up: processes, from nothing to their end")
    specs = Path(next(iter(shopdsl.specs.__path__)))
    with TemporaryDirectory(prefix="shopdsl-bench-") as cache:
        check = (tool(), "check", "--package", str(specs))
        process(*check, environment={"SHOPDSL_CACHE": cache})  # fills the cache: what is measured is a second run
        unit, help_, warm = medians(
            [
                lambda: process(sys.executable, "-c", "import click"),
                lambda: process(tool(), "--help"),
                lambda: process(*check, environment={"SHOPDSL_CACHE": cache}),
            ],
            TIMES,
        )
    for name, value in (
        ("python -c 'import click'", unit),
        ("shopdsl --help", help_),
        ("shopdsl check --package specs, warm", warm),
    ):
        figure(name, value * 1000, "ms")
    bound("--help / import click", help_ / unit, 2)
    bound("check, warm / import click", warm / unit, 20)
    _reading(specs)


def _reading(specs: Path) -> None:
    """Read the standard package with an empty cache, and again from the cache, in turns."""
    show = (tool(), "show", "paper", "--kind", "suite", "--package", str(specs))
    with TemporaryDirectory(prefix="shopdsl-bench-") as cache:

        def first() -> None:
            shutil.rmtree(cache)
            process(*show, environment={"SHOPDSL_CACHE": cache})

        cold, warm = medians([first, lambda: process(*show, environment={"SHOPDSL_CACHE": cache})], READINGS)
    figure("shopdsl show paper, first", cold * 1000, "ms")
    figure("shopdsl show paper, again", warm * 1000, "ms")
    bound("show, again / first", warm / cold, 0.35)


if __name__ == "__main__":
    main()
