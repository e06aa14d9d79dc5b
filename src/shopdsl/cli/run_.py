"""`shopdsl run`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shopdsl.cli.common import GATE, INCOMPLETE, USAGE, Trouble, colour, endpoint_option, judge_option, package_option, progress

if TYPE_CHECKING:
    from shopdsl.runtime.judges.question import Answerer


@click.command("run")
@click.argument("plan", required=False, type=click.Path(path_type=Path))
@click.option("--agent", "agents", multiple=True, help="An agent: its name, or a file that holds it. Several may be given.")
@click.option("--customer", help="The customer: its name, or a file that holds it.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The run folder, instead of runs/SUITE-AGENT-TIME.")
@click.option("--concurrency", type=click.IntRange(1, 1000), default=16, show_default=True, help="Trials at once.")
@click.option("--repeat", type=click.IntRange(1, 1000), default=1, show_default=True, help="Play every trial so often.")
@click.option("--resume", type=click.Path(path_type=Path), help="Go on with a run folder.")
@click.option("--limit", type=click.IntRange(1), help="Play only the first N trials.")
@click.option("--trial", "trials", multiple=True, help="Play only this trial (COHORT/NUMBER). Several may be given.")
@judge_option
@endpoint_option
@click.option("--gate", is_flag=True, help="Exit with 5 if a gate fails.")
@package_option
def command(
    plan: Path | None,
    agents: tuple[str, ...],
    customer: str | None,
    output: Path | None,
    concurrency: int,
    repeat: int,
    resume: Path | None,
    limit: int | None,
    trials: tuple[str, ...],
    judge: str | None,
    endpoint: str | None,
    gate: bool,
    package: Path | None,
) -> None:
    """Play the trials of a plan, score them, and print the profile.

    Without arguments: the newest plan in build/, the agent `baseline`, the customer that each cohort names.

    Example: shopdsl run build/paper.plan.jsonl --agent my_agent.yaml --limit 10
    """
    from shopdsl.cli.judging import answerer
    from shopdsl.cli.running import Job, play, resumed

    answers = answerer(judge, endpoint, package)
    jobs = (
        [resumed(resume, agents, customer, package)]
        if resume
        else list(_jobs(plan, agents or ("std.baseline",), customer, output, repeat, limit, trials, package))
    )
    passed = complete = True
    for job in jobs:
        assert isinstance(job, Job)
        click.echo(f"plan {job.world.plan.path} ({job.world.plan.digest[:12]}), agent {job.agent.data['name']}", err=True)
        with progress(f"playing {job.agent.data['name']}", job.count) as advance:
            play(job, concurrency, advance)
        done, gates = _profile(job, answers(job.folder))
        complete, passed = complete and done, passed and gates
    if not complete:
        raise SystemExit(INCOMPLETE)
    if gate and not passed:
        raise SystemExit(GATE)


def _jobs(
    plan: Path | None,
    agents: tuple[str, ...],
    customer: str | None,
    output: Path | None,
    repeat: int,
    limit: int | None,
    trials: tuple[str, ...],
    package: Path | None,
) -> Iterator[Any]:
    from shopdsl.cli.running import new_job

    path = plan or _newest()
    for agent in agents:
        folder = output / Path(agent).stem if output and len(agents) > 1 else output
        yield new_job(path, agent, customer, folder, repeat, limit, trials, package)


def _newest() -> Path:
    plans = sorted(Path("build").glob("*.plan.jsonl"), key=lambda p: p.stat().st_mtime) if Path("build").is_dir() else []
    if not plans:
        raise Trouble("there is no plan in build/; run `shopdsl compile` first", USAGE)
    return plans[-1]


def _profile(job: Any, answers: Answerer) -> tuple[bool, bool]:
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
        click.echo(
            f"warning: {lost} trials are lost; `shopdsl run --resume {job.folder}` plays those that have no record", err=True
        )
    sys.stdout.flush()
    return job.is_complete() and not lost, all(g["passed"] for s in scores.values() for g in s.gates)
