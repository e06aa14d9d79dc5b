"""`shopdsl compile`."""

from __future__ import annotations

from pathlib import Path

import click

from shopdsl.cli.common import Trouble, emit, fail_on, open_unit, package_option, progress


@click.command("compile")
@click.argument("suite", required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The plan, instead of build/SUITE.plan.jsonl.")
@package_option
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How the result is printed.")
def command(suite: str | None, output: Path | None, package: Path | None, format_: str) -> None:
    """Check, draw and prove a suite, and write its plan.

    Without arguments: the default suite of the package in this folder, else of `std`.

    Example: shopdsl compile paper -o paper.plan.jsonl
    """
    from shopdsl.cli.proving import prove_cases
    from shopdsl.compiler.pipeline import compile_plan, find_suite

    unit, sink = open_unit(package)
    document = find_suite(unit, suite)
    if document is None:
        fail_on(sink)
        raise SystemExit(1)
    path = output or Path("build") / f"{document.name}.plan.jsonl"
    if output is None and path.parent.is_symlink():
        raise Trouble(f"{path.parent} is a link; name the plan with -o")
    try:
        with progress("drawing trials", 100) as advance:
            summary = compile_plan(
                unit, document, path, lambda done, of: advance(100 * done // of), lambda plan, made: prove_cases(unit, plan, made)
            )
    except OSError as error:
        raise Trouble(f"cannot write {path}: {error.strerror}") from None
    fail_on(sink)
    assert summary is not None
    if format_ == "json":
        emit({"plan": summary.digest, "file": str(path), "trials": summary.trials})
        return
    click.echo(f"plan    {summary.digest}")
    click.echo(f"file    {path}")
    for cohort, count in summary.trials.items():
        click.echo(f"cohort  {cohort}: {count} trials, at most {summary.messages[cohort]:,} customer messages an agent")
