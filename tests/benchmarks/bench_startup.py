"""How soon the tool answers, in units of a bare `import click`."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import bound, figure, medians, process, title, tool

TIMES = 21


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


if __name__ == "__main__":
    main()
