"""`shopdsl report`."""

from __future__ import annotations

from pathlib import Path

import click

from shopdsl.cli.common import colour


@click.command("report")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
def command(folders: tuple[Path, ...]) -> None:
    """Print the profile of one run or more.

    Example: shopdsl report runs/mine
    """
    from shopdsl.cli.scoring import agent_name, scored
    from shopdsl.runtime.report.terminal import profile

    for folder in folders:
        click.echo(profile(agent_name(folder), scored(folder), colour()), nl=False)
