"""`shopdsl score`."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import click

from shopdsl import __version__
from shopdsl.cli.common import Trouble, colour, emit, endpoint_option, judge_option, package_option


@click.command("score")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--suite", help="Score with the metrics and rubrics of this suite, as its specs are now.")
@click.option("--evidence", "view", default="full", help="Score with only what this view keeps: see `shopdsl evidence`.")
@click.option("--format", "format_", type=click.Choice(["text", "json", "csv"]), default="text", help="How scores are printed.")
@click.option(
    "--metric", "wanted", multiple=True, help="Only this metric. Several may be given; a model judge is asked for no other."
)
@judge_option
@endpoint_option
@package_option
def command(
    folder: Path,
    suite: str | None,
    view: str,
    format_: str,
    wanted: tuple[str, ...],
    judge: str | None,
    endpoint: tuple[str, ...],
    package: Path | None,
) -> None:
    """Score the records of a run again, with metrics as the specs are now.

    The specs are those of the package at hand if it has the suite that was run, else those in the plan.

    Example: shopdsl score runs/mine --format json
    """
    from shopdsl.cli.judging import answerer, with_answers
    from shopdsl.cli.scoring import scored, scoring_now, warn
    from shopdsl.dsl.records import VIEWS
    from shopdsl.runtime.manifest import RunBroken, read_manifest
    from shopdsl.runtime.report.terminal import profile
    from shopdsl.runtime.score import as_data

    if view not in VIEWS:
        raise Trouble(f"there is no view `{view}`; there are: {', '.join(VIEWS)}", 2)
    try:
        manifest = read_manifest(folder)
    except RunBroken as error:
        raise Trouble(str(error), 2) from None
    now = scoring_now(suite, manifest["suite"], package)
    answers = answerer(judge, endpoint, package)(folder)
    result = with_answers(answers, lambda: scored(folder, None, now, view, answers, wanted))
    warn(result)
    scores = result.scores
    if format_ == "json":
        versions = {
            "shopdsl": __version__,
            "agent": {"name": result.agent, "code": manifest.get("code", {}), "models": manifest.get("models", {})},
            "suite": result.scorer.examiner.world.header["suite"],
            "packages": result.scorer.examiner.world.header["sources"],
        }
        emit(as_data(manifest["plan"], result.agent, result.judge, scores) | {"versions": versions})
    elif format_ == "csv":
        _csv(scores)
    else:
        click.echo(profile(result.agent, result.judge, scores, colour(), view), nl=False)


def _csv(scores: dict[str, Any]) -> None:
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["cohort", "group", "metric", "kind", "value", "low", "high", "least", "most", "n", "n/a", "unscored"])
    for cohort in scores.values():
        for m in cohort.metrics.values():
            figures = ["" if x is None else f"{x:.6f}" for x in (m.value, m.low, m.high, m.least, m.most)]
            out.writerow([cohort.name, m.group, m.name, m.kind, *figures, m.n, m.not_applicable, m.unscored])
