"""`shopdsl import`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import click

from shopdsl.cli.common import USAGE, Trouble, counted, open_unit


@click.group("import")
def command() -> None:
    """Write the tasks and data of others as specs.

    Example: shopdsl import tau2 data/tau2_retail -o retail
    """


_output = click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The folder of the new package.")


@command.command("tau2")
@click.argument("folder", type=click.Path(path_type=Path))
@_output
def tau2(folder: Path, output: Path) -> None:
    """The retail domain of tau2-bench: a folder with db.json, tasks.json and policy.md.

    Example: shopdsl import tau2 data/tau2_retail -o retail
    """
    from shopdsl.compiler.importers.tau2 import Replayed, import_tau2
    from shopdsl.compiler.importers.writing import ImportFailed

    fresh(output)
    try:
        with tempfile.TemporaryDirectory() as draft:
            import_tau2(folder, Path(draft), Replayed())
            results = _replayed(Path(draft))
        idle = frozenset(task for task, result in results.items() if not result["changed"])
        refused = frozenset(call for result in results.values() for call, _ in result["errors"])
        done = import_tau2(folder, output, Replayed(idle, refused))
    except ImportFailed as error:
        raise Trouble(str(error), USAGE) from None
    writes = {name for name, tool in _tools("tau2_retail").items() if tool["effect"]}
    pointless = [task for task in sorted(idle) if any(tool in writes for tool, _ in results[task]["calls"])]
    for note in [*done.left, *(f"task {t}: its listed calls change nothing, so that doing nothing passes" for t in pointless)]:
        click.echo(note, err=True)
    click.echo(
        f"{counted(done.cases, 'case')} and {counted(done.records, 'record')} in {output}; next: shopdsl check --package {output}"
    )


@command.command("cases")
@click.argument("file", type=click.Path(path_type=Path))
@_output
def cases(file: Path, output: Path) -> None:
    """Cases in JSON or YAML, with case_id, category, user_utterances, initial_state, available_tools, expected_tool_calls, expected_answer, success_rule.

    Example: shopdsl import cases cases.json -o my_cases
    """
    from shopdsl.compiler.importers.cases import import_cases
    from shopdsl.compiler.importers.writing import ImportFailed
    from shopdsl.dsl.terminal import clean

    fresh(output)
    try:
        done = import_cases(file, output, frozenset(_tools("service_desk")))
    except ImportFailed as error:
        raise Trouble(str(error), USAGE) from None
    for note in done.left:
        click.echo(clean(note), err=True)
    click.echo(f"{counted(done.cases, 'case')} in {output}; next: shopdsl compile --package {output}")


def fresh(folder: Path) -> None:
    """Refuse a folder that holds something: nothing of an author is overwritten."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Trouble(f"{folder} is there already, and not empty; name a new folder with -o", USAGE)


def _replayed(package: Path) -> dict[str, Any]:
    """What the listed calls of every task do."""
    from shopdsl.cli.replay_ import replayed

    unit, _ = open_unit(package)
    return replayed(unit)


def _tools(toolset: str) -> dict[str, Any]:
    """The tools of a toolset of `std`."""
    from shopdsl.compiler.kinds.toolset import compile_toolset
    from shopdsl.compiler.packages import standard_folder

    unit, _ = open_unit(standard_folder())
    document = next(d for d in unit.documents("toolset") if d.name == toolset)
    tools: dict[str, Any] = unit.compiled(compile_toolset, document).data["tools"]
    return tools
