"""`shopdsl run`."""

from __future__ import annotations

import re
import sys
from copy import deepcopy
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shopdsl.cli.common import GATE, INCOMPLETE, LONGEST, colour, counted, endpoint_option, judge_option, package_option
from shopdsl.dsl.terminal import clean

if TYPE_CHECKING:
    from shopdsl.cli.jobs import Job
    from shopdsl.cli.judging import Answering
    from shopdsl.cli.playing import Terms
    from shopdsl.runtime.judges.question import Answerer
    from shopdsl.runtime.models.usage import Purse

WORKERS = 4
STOPPED = 130
"""As shells have it for a process that was interrupted."""


def _money(context: click.Context, parameter: click.Parameter, value: str | None) -> Decimal | None:
    try:
        amount = Decimal(value) if value is not None else None
    except InvalidOperation:
        raise click.BadParameter(f"{value!r} is not an amount such as 2.50") from None
    if amount is not None and not (amount.is_finite() and amount > 0):
        raise click.BadParameter(f"{value!r} is not an amount such as 2.50")
    return amount


def _shard(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, int] | None:
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", value or "")
    if value is None:
        return None
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise click.BadParameter(f"{value!r} is not a shard; the first of four is 1/4, the last 4/4")
    return int(found[1]), int(found[2])


@click.command("run")
@click.argument("plan", required=False, type=click.Path(path_type=Path))
@click.option("--agent", "agents", multiple=True, help="An agent: its name, or a file that holds it. Several may be given.")
@click.option("--customer", help="The customer: its name, or a file that holds it.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The run folder, instead of runs/SUITE-AGENT-TIME.")
@click.option("--concurrency", type=click.IntRange(1, 10_000), default=16, show_default=True, help="Trials at once.")
@click.option("--repeat", type=click.IntRange(1, 1000), default=1, show_default=True, help="Play every trial so often.")
@click.option("--resume", type=click.Path(path_type=Path), help="Go on with a run folder.")
@click.option("--limit", type=click.IntRange(1), help="Play only the first N trials.")
@click.option(
    "--trial",
    "trials",
    multiple=True,
    help="Play only this trial (COHORT/NUMBER), or the trials of this case. Several may be given.",
)
@click.option(
    "--shard", callback=_shard, metavar="I/N", help="Play only each N-th trial, from the I-th on; `merge` joins the folders."
)
@click.option(
    "--executor",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Who plays: this process, or the workers of the Ray cluster that RAY_ADDRESS names or that runs here.",
)
@click.option(
    "--workers", type=click.IntRange(1, 10_000), help="Workers of the cluster, of which each plays --concurrency trials at once."
)
@judge_option
@endpoint_option
@click.option("--max-cost", callback=_money, metavar="AMOUNT", help="Stop in order when models have cost so much.")
@click.option("--max-tokens", type=click.IntRange(1), help="Stop in order when models have taken so many tokens.")
@click.option(
    "--dry-run", is_flag=True, help="Print how many calls and tokens are to be expected, and what they cost; play nothing."
)
@click.option("--events", type=click.Path(path_type=Path), help="Append what happens to this file, one JSON object a line.")
@click.option("--otel", is_flag=True, help="Send spans to OpenTelemetry (where, its OTEL_… variables say).")
@click.option("--gate", is_flag=True, help="Exit with 5 if a gate fails.")
@package_option
def command(
    plan: Path | None,
    agents: tuple[str, ...],
    output: Path | None,
    concurrency: int,
    executor: str,
    workers: int | None,
    resume: Path | None,
    judge: str | None,
    endpoint: tuple[str, ...],
    max_cost: Decimal | None,
    max_tokens: int | None,
    dry_run: bool,
    events: Path | None,
    otel: bool,
    gate: bool,
    package: Path | None,
    **wanted: Any,
) -> None:
    """Play the trials of a plan, score them, and print the profile.

    Without arguments: the newest plan in build/, the agent `baseline`, the customer that each cohort names.

    Example: shopdsl run build/paper.plan.jsonl --agent my_agent.yaml --limit 10
    """
    from shopdsl.cli.jobs import resumed
    from shopdsl.cli.judging import answerer, model_of
    from shopdsl.cli.lineup import check_models, check_options, check_stranger, fresh
    from shopdsl.cli.playing import Terms
    from shopdsl.cli.watching import watched
    from shopdsl.runtime.models.usage import Purse

    check_options(resume, executor, workers, gate)
    names = agents or ("std.baseline",)
    jobs = [resumed(resume, agents, wanted["customer"], package)] if resume else fresh(plan, names, output, package, wanted)
    if dry_run:
        _foresee(jobs, model_of(judge, package), resume is not None)
        return
    purse = Purse(max_cost, max_tokens)
    with watched(events, otel) as note:
        answers = answerer(judge, endpoint, package, purse, note)
        if resume is not None:
            check_stranger(jobs[0], endpoint)
        check_models(jobs, answers.model, endpoint, max_cost is not None)
        terms = Terms(concurrency, (workers or WORKERS) if executor == "ray" else None, endpoint, purse, note)
        results = []
        for job in jobs:
            if resume is None:
                job.create()
            results.append(_play(job, terms, answers))
    if not all(complete for complete, _ in results):
        raise SystemExit(INCOMPLETE)
    if gate and not all(passed for _, passed in results):
        raise SystemExit(GATE)


def _foresee(jobs: list[Job], judge: dict[str, Any] | None, begun: bool) -> None:
    """Print what the models of each agent are expected to be asked."""
    from shopdsl.cli.foreseeing import Asked, foresee, show

    for job in jobs:
        asked = Asked(job.agent, job.scripts, judge)
        entries = job.left() if begun else set(job.inventory)
        show(foresee(job.world, (trial for trial, _ in job.trials(entries)), asked), asked)


def _play(job: Job, terms: Terms, answers: Answering) -> tuple[bool, bool]:
    """Play a job and print its profile; is it complete, and did its gates pass? One that was stopped ends the command."""
    from shopdsl.cli.playing import play
    from shopdsl.runtime.manifest import shard_of

    world, before = job.world, deepcopy(terms.purse)
    click.echo(f"plan {world.plan.path} ({world.plan.digest[:12]}), agent {job.agent.data['name']}", err=True)
    try:
        runner = play(job, terms)
    except KeyboardInterrupt:  # a third interrupt: what is played here does not listen
        click.echo(f"interrupted; go on with `{job.again}`", err=True)
        raise SystemExit(STOPPED) from None
    _spent("agent and customer", terms.purse, before)
    if runner.stopped is not None:
        click.echo(f"stopped: {runner.stopped}", err=True)
        click.echo(f"{len(job.done())} of {job.count} trials are recorded; go on with `{job.again}`", err=True)
        raise SystemExit(STOPPED if runner.cancelled else INCOMPLETE)
    if runner.lost:
        click.echo(
            f"warning: {counted(runner.lost, 'trial')} lost, the last one to: {clean(runner.last_loss)[:LONGEST]}", err=True
        )
        click.echo(f"go on with `{job.again}`, which plays them again", err=True)
        if not job.done():
            return False, False
    if (shard := shard_of(job.manifest)) is not None:
        click.echo(f"shard {shard} is recorded in {job.folder}; join all of them with `shopdsl merge`", err=True)
        return job.is_complete(), True
    before = deepcopy(terms.purse)
    try:
        result = _profile(job, answers(job.folder))
    except KeyboardInterrupt:
        click.echo(f"interrupted; all trials are recorded, `shopdsl score {job.folder}` scores them", err=True)
        raise SystemExit(STOPPED) from None
    _spent("judge", terms.purse, before)
    return result


def _spent(who: str, purse: Purse, before: Purse) -> None:
    """Say what models were asked for and what they cost, if any were."""
    usage, cost = purse.since(before)
    if usage.requests:
        figures = f"{counted(usage.requests, 'request')}, {usage.input:,} tokens read, {usage.output:,} written, cost {cost:.4f}"
        click.echo(f"models, for {who}: {figures}", err=True)


def _profile(job: Job, answers: Answerer) -> tuple[bool, bool]:
    """Print the profile of a finished run; is it complete, and did its gates pass?"""
    from shopdsl.cli.judging import with_answers
    from shopdsl.cli.scoring import scored, warn
    from shopdsl.runtime.report.terminal import profile

    result = with_answers(answers, lambda: scored(job.folder, job.world, answerer=answers))
    scores = result.scores
    click.echo(profile(result.agent, result.judge, scores, colour()), nl=False)
    click.echo(f"\nrecords in {job.folder}", err=True)
    warn(result)
    lost = sum(score.lost for score in scores.values())
    if lost:
        click.echo(f"warning: {counted(lost, 'trial')} without a score; `{job.again}` plays those that have no record", err=True)
    sys.stdout.flush()
    unasked = getattr(answers, "stopped", "")
    if unasked:
        click.echo(
            f"warning: the judge was not asked everything: {unasked}; `shopdsl score {job.folder}` asks the rest", err=True
        )
    return job.is_complete() and not lost and not unasked, all(g["passed"] is not False for s in scores.values() for g in s.gates)
