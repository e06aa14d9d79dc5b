"""`shopdsl replay`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shopdsl.cli.common import USAGE, Trouble, counted, emit, fail_on, open_unit

if TYPE_CHECKING:
    from shopdsl.compiler.unit import Unit


@click.command("replay")
@click.argument("package", required=False, type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How results are printed.")
def command(package: Path | None, format_: str) -> None:
    """Play the calls that every case of a package lists, against the case's own state.

    Shown is what was refused, and which records differ at the end.

    Example: shopdsl replay my_cases --format json
    """
    from shopdsl.dsl.terminal import clean

    unit, sink = open_unit(package)
    results = replayed(unit)
    if sink.has_errors:
        fail_on(sink)
    if format_ == "json":
        emit(results)
        return
    for name, result in results.items():
        changed = ", ".join([*result["changed"], *(["the cart"] if "cart" in result else [])]) or "nothing"
        click.echo(f"{clean(name)}: {counted(len(result['calls']), 'call')}, changed: {clean(changed)}")
        for call, message in result["errors"]:
            click.echo(f"  {clean(call)} was refused: {clean(message)}")


def replayed(unit: Unit) -> dict[str, Any]:
    """What every case of a package gives, by the id under which it was imported, else by name."""
    from shopdsl.compiler.check import check
    from shopdsl.compiler.kinds.cohort import compile_cohort
    from shopdsl.compiler.kinds.suite import Suite
    from shopdsl.compiler.pipeline import write_plan

    main = unit.workspace.main.name
    check(unit, main)
    made = [unit.compiled(compile_cohort, d) for d in unit.documents("cohort", main)]
    cohorts = [c for c in made if c.cases]
    if not cohorts:
        raise Trouble("no cohort of this package lists cases", USAGE)
    suite = Suite("replay", 0, cohorts, {}, cohorts[0].document)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replay.plan.jsonl"
        return _play(path) if write_plan(unit, suite, path) else {}


def _play(path: Path) -> dict[str, Any]:
    from shopdsl.dsl.plan import open_plan
    from shopdsl.runtime.replay import replay
    from shopdsl.runtime.shop.engines import equip
    from shopdsl.runtime.world import World

    world = World(open_plan(path))
    encoder = equip(world)
    try:
        cases = [(t.case, t) for t in world.trials() if t.case is not None]
        return {case["id"] or case["name"]: replay(trial, encoder) for case, trial in cases}
    finally:
        if encoder is not None:
            encoder.close()
