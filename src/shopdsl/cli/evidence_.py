"""`shopdsl evidence`."""

from __future__ import annotations

from pathlib import Path

import click

from shopdsl.cli.common import emit, fail_on, open_unit, package_option


@click.command("evidence")
@click.argument("suite", required=False)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How it is printed.")
@package_option
def command(suite: str | None, format_: str, package: Path | None) -> None:
    """Which metric of a suite needs which evidence, and which metrics each view decides.

    Example: shopdsl evidence paper
    """
    from shopdsl.compiler.header import scoring
    from shopdsl.compiler.kinds.suite import compile_suite
    from shopdsl.compiler.pipeline import find_suite
    from shopdsl.dsl.records import EVIDENCE, VIEWS

    unit, sink = open_unit(package)
    document = find_suite(unit, suite)
    made = scoring(unit, unit.compiled(compile_suite, document)) if document else {"metrics": {}}
    fail_on(sink)
    needs = {name: m["evidence"] for name, m in made["metrics"].items()}
    views = {view: [n for n, e in needs.items() if set(e) <= set(letters)] for view, letters in VIEWS.items()}
    if format_ == "json":
        emit({"metrics": {n: list(e) for n, e in needs.items()}, "views": views})
        return
    for letter, meaning in EVIDENCE.items():
        click.echo(f"{letter}  {meaning}")
    click.echo()
    for name, letters in sorted(needs.items()):
        click.echo(f"{name:<28} {letters}")
    click.echo()
    for view, names in views.items():
        click.echo(f"{view:<22} {VIEWS[view]:<9} decides {len(names)} of {len(needs)}")
