"""What the verbs share: finding the package, printing findings, progress, exit codes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shopdsl.compiler.unit import Unit
    from shopdsl.dsl.diagnostics import Sink

ERRORS, USAGE, BUG, INCOMPLETE, GATE = 1, 2, 3, 4, 5

package_option = click.option(
    "--package", "package", type=click.Path(path_type=Path), help="The package, instead of the nearest folder with shopdsl.yaml."
)

ENDPOINT = "SHOPDSL_ENDPOINT"
judge_option = click.option(
    "--judge",
    help="Who answers the questions of metrics: a judge with `by` (its name, or a file that holds it). [default: heuristic]",
)
endpoint_option = click.option(
    "--endpoint",
    multiple=True,
    help=f"Where models are served, OpenAI-compatible: URL, or MODEL=URL for one of them. Several may be given. [default: {ENDPOINT}]",
)


LONGEST = 2_000
"""What is longer was not written by us, and says nothing more after that."""


class Trouble(click.ClickException):
    """Something the user can mend; one line, and an exit code."""

    def __init__(self, message: str, code: int = ERRORS) -> None:
        super().__init__(message)
        self.exit_code = code  # type: ignore[misc]  # click declares it for the class; every trouble has its own

    def show(self, file: Any = None) -> None:
        from shopdsl.dsl.terminal import clean

        text = clean(self.message)
        click.echo(f"error: {text if len(text) <= LONGEST else text[:LONGEST] + '…'}", err=True)


def package_folder(package: Path | None) -> Path:
    """The folder of the package at hand: the one named, the nearest upwards, else the standard package."""
    from shopdsl.compiler.packages import MANIFEST, nearest_package, standard_folder

    if package is None:
        return nearest_package(Path.cwd()) or standard_folder()
    if not (package / MANIFEST).is_file():
        raise Trouble(f"{package} is not a package: it has no {MANIFEST}", USAGE)
    return package


def open_unit(package: Path | None, extra: Iterable[Path] = ()) -> tuple[Unit, Sink]:
    """The workspace at hand, read; findings are in the sink."""
    from shopdsl.compiler.packages import load
    from shopdsl.compiler.unit import Unit
    from shopdsl.dsl.diagnostics import Sink

    sink = Sink()
    return Unit(load(package_folder(package), sink, tuple(extra)), sink), sink


def fail_on(sink: Sink) -> None:
    """Print what was found; stop where there are errors."""
    from shopdsl.dsl.diagnostics.render import text

    found = sink.all()
    if found:
        click.echo(text(found), err=True, nl=False)
    if sink.has_errors:
        count = sum(d.is_error for d in found)
        click.echo(f"{count} error{'s' if count != 1 else ''}", err=True)
        raise SystemExit(ERRORS)


def counted(n: int, name: str) -> str:
    """A number of things, in words."""
    return f"{n:,} {name}" + ("" if n == 1 else "s")


def emit(data: Any) -> None:
    """JSON on stdout."""
    click.echo(json.dumps(data, indent=1, ensure_ascii=False))


def colour() -> bool:
    """Is stdout a terminal that wants colours?"""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


@contextmanager
def progress(label: str, length: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal, nothing in a pipe; it is called with how much is done."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    with click.progressbar(length=length, label=label, file=sys.stderr) as bar:
        yield lambda done: bar.update(done - bar.pos)


def report_bug(error: Exception) -> None:
    """Say that this is ours, and keep what a maintainer needs."""
    import traceback

    text = "".join(traceback.format_exception(error))
    click.echo(f"error: shopdsl made a mistake: {type(error).__name__}: {error}", err=True)
    if os.environ.get("SHOPDSL_DEBUG"):
        click.echo(text, err=True)
    else:
        click.echo("Set SHOPDSL_DEBUG=1 to see where, and please report it.", err=True)
