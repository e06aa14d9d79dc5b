"""`shopdsl merge`."""

from __future__ import annotations

from pathlib import Path

import click

from shopdsl.cli.common import INCOMPLETE, USAGE, Trouble, counted


@click.command("merge")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The folder of the whole run.")
def command(folders: tuple[Path, ...], output: Path) -> None:
    """Join the shards of a run into one run folder, the same as if it had been played in one place.

    Shards may lack trials, or hold one twice if its records are equal; what is missing is played with `run --resume`.

    Example: shopdsl merge runs/shard_1 runs/shard_2 -o runs/whole
    """
    from shopdsl.runtime.manifest import RunBroken
    from shopdsl.runtime.merge import merge

    try:
        missing = merge(folders, output)
    except RunBroken as error:
        raise Trouble(str(error), USAGE) from None
    click.echo(f"records in {output}", err=True)
    if missing:
        click.echo(f"{counted(missing, 'trial')} missing; `shopdsl run --resume {output}` plays what is", err=True)
        raise SystemExit(INCOMPLETE)
