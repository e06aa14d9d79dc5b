"""`shopdsl report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shopdsl.cli.common import USAGE, Trouble, colour, endpoint_option, judge_option, package_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from shopdsl.cli.scoring import Scoring
    from shopdsl.runtime.judges.question import Answerer
    from shopdsl.runtime.report.html.data import Run
    from shopdsl.runtime.world import World

    Score = Callable[[Path, World | None], Scoring]


@click.command("report")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", "out", type=click.Path(path_type=Path), help="Write HTML pages to this folder instead.")
@click.option("--evidence", "view", default="full", help="Score with only what this view keeps: see `shopdsl evidence`.")
@judge_option
@endpoint_option
@package_option
def command(
    folders: tuple[Path, ...], out: Path | None, view: str, judge: str | None, endpoint: tuple[str, ...], package: Path | None
) -> None:
    """Print the profile of one run or more, or write a report that a browser shows.

    Each folder is a run, or holds runs, one an agent. A report compares agents on the trials of one plan; its pages need no network.
    Metrics are those of the package at hand if it has the suite that was run, else those in the plan.

    Example: shopdsl report runs/mine runs/theirs -o report
    """
    from shopdsl.cli.judging import answerer
    from shopdsl.cli.scoring import played_suite, scoring_now
    from shopdsl.cli.trusting import between_splits, validation
    from shopdsl.dsl.records import VIEWS
    from shopdsl.runtime.report.terminal import profile

    if view not in VIEWS:
        raise Trouble(f"there is no view `{view}`; there are: {', '.join(VIEWS)}", USAGE)
    answers = answerer(judge, endpoint, package)

    specs: dict[str, dict[str, Any] | None] = {}

    def score(folder: Path, world: World | None) -> Scoring:
        suite = played_suite(folder)
        if suite not in specs:
            specs[suite] = scoring_now(None, suite, package)
        return _scored(folder, world, specs[suite], view, answers(folder))

    if out is not None:
        _pages(folders, out, score)
        return
    results = []
    for folder in folders:
        results.append(result := score(folder, None))
        click.echo(profile(result.agent, result.judge, result.scores, colour(), view), nl=False)
    plans = dict.fromkeys(r.manifest["plan"] for r in results)
    for plan in plans if view == "full" else ():
        for line in validation([r for r in results if r.manifest["plan"] == plan]):
            click.echo(line)
    for line in between_splits(results) if view == "full" else ():
        click.echo(line)


def _pages(given: tuple[Path, ...], out: Path, score: Score) -> None:
    from shopdsl.runtime.manifest import RunBroken
    from shopdsl.runtime.report.html.data import one_plan, run_folders
    from shopdsl.runtime.report.html.write import usable, write_report

    try:
        usable(out)
        folders = run_folders(given)
        one_plan(folders)
        written = write_report(_runs(folders, score), out)
    except RunBroken as error:
        raise Trouble(str(error), USAGE) from None
    click.echo(f"report {written.index} ({written.trials} trials)")


def _runs(folders: list[Path], score: Score) -> list[Run]:
    from shopdsl.runtime.report.html.data import Run

    runs: list[Run] = []
    for folder in folders:
        result = score(folder, runs[0].scorer.examiner.world if runs else None)
        runs.append(Run(result.agent, folder, result.scorer, result.scores))
    return runs


def _scored(folder: Path, world: World | None, now: dict[str, Any] | None, view: str, answering: Answerer) -> Scoring:
    """A run, scored with metrics as the specs are now; a model judge is asked what it has not answered yet."""
    from shopdsl.cli.judging import with_answers
    from shopdsl.cli.scoring import scored, warn

    result = with_answers(answering, lambda: scored(folder, world, now, view, answering))
    warn(result)
    return result
