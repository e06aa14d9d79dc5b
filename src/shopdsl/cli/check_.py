"""`shopdsl check`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shopdsl import __version__
from shopdsl.cli.common import ERRORS, emit, package_option


@click.command("check")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@package_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "github", "sarif"]),
    default="text",
    help="How findings are printed.",
)
@click.option("--strict", is_flag=True, help="Warnings fail as well.")
def command(paths: tuple[Path, ...], package: Path | None, format_: str, strict: bool) -> None:
    """Report every finding of a package or of files; nothing is written.

    Example: shopdsl check --format github
    """
    from shopdsl.cli.checking import findings

    rows, text = findings(paths, package)
    if format_ == "json":
        emit([{k: v for k, v in r.items() if k != "path"} for r in rows])
    elif format_ == "github":
        from shopdsl.dsl.diagnostics.render import github

        click.echo(github(rows), nl=False)
    elif format_ == "sarif":
        from shopdsl.dsl.diagnostics.render import sarif

        click.echo(sarif(rows, __version__), nl=False)
    else:
        click.echo(text, nl=False)
        click.echo(_summary(rows), err=True)
    failed = [r for r in rows if strict or r["severity"] == "error"]
    raise SystemExit(ERRORS if failed else 0)


def _summary(rows: list[dict[str, Any]]) -> str:
    errors = sum(r["severity"] == "error" for r in rows)
    warnings = len(rows) - errors
    if not rows:
        return "no findings"
    return f"{errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}"
