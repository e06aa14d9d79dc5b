"""`shopdsl report`."""

from __future__ import annotations

from pathlib import Path

import click

from shopdsl.cli.common import USAGE, Trouble, colour


@click.command("report")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", "out", type=click.Path(path_type=Path), help="Write HTML pages to this folder instead.")
@click.option("--evidence", "view", default="full", help="Score with only what this view keeps: see `shopdsl evidence`.")
def command(folders: tuple[Path, ...], out: Path | None, view: str) -> None:
    """Print the profile of one run or more, or write a report that a browser shows.

    Each folder is a run, or holds runs, one an agent. A report compares agents on the trials of one plan; its pages need no network.

    Example: shopdsl report runs/mine runs/theirs -o report
    """
    from shopdsl.cli.scoring import agent_name, scored
    from shopdsl.dsl.vocabulary import VIEWS
    from shopdsl.runtime.report.terminal import profile

    if view not in VIEWS:
        raise Trouble(f"there is no view `{view}`; there are: {', '.join(VIEWS)}", USAGE)
    if out is not None:
        _pages(folders, out, view)
        return
    for folder in folders:
        click.echo(profile(agent_name(folder), scored(folder, view=view), colour()), nl=False)


def _pages(folders: tuple[Path, ...], out: Path, view: str) -> None:
    from shopdsl.dsl.plan import PlanError
    from shopdsl.runtime.record import RunBroken
    from shopdsl.runtime.report.html.write import write_report

    try:
        written = write_report(folders, out, view)
    except (RunBroken, PlanError) as error:
        raise Trouble(str(error), USAGE) from None
    click.echo(f"report {written.index} ({written.trials} trials)")
