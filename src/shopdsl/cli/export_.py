"""`shopdsl export`."""

from __future__ import annotations

from pathlib import Path

import click

from shopdsl.cli.common import endpoint_option, judge_option, package_option


@click.command("export")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--to", "form", type=click.Choice(["parquet", "inspect"]), required=True, help="What is written.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The file that is written.")
@click.option("--suite", help="Score with the metrics of this suite, as its specs are now.")
@judge_option
@endpoint_option
@package_option
def command(
    folder: Path,
    form: str,
    output: Path,
    suite: str | None,
    judge: str | None,
    endpoint: tuple[str, ...],
    package: Path | None,
) -> None:
    """Write the records of a run, and their metrics, for other tools.

    parquet: a table with one row a trial, and beside it FILE.events.parquet with one row an event.
    inspect: a log of Inspect AI, one sample a trial, for `inspect view`.
    Metrics are those that `shopdsl score` gives.

    Example: shopdsl export runs/mine --to parquet -o mine.parquet
    """
    from shopdsl.cli.exporting import Source, export, target

    places = target(folder, form, output)
    export(Source(folder, suite, judge, endpoint, package), form, places)
    for place in places:
        click.echo(str(place))
