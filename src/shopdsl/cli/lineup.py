"""All that `run` finds out before anything is played or written: which jobs there are, and whether each can be begun."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shopdsl.cli.common import USAGE, Trouble
from shopdsl.cli.endpoints import check_named, check_prices, served
from shopdsl.cli.jobs import Job, Wish, below, new_job
from shopdsl.runtime.manifest import RunBroken, check_free
from shopdsl.runtime.models.usage import Purse

SETTLED = {"plan": "PLAN", "output": "-o", "repeat": "--repeat", "limit": "--limit", "trials": "--trial", "shard": "--shard"}
"""Options that say what is played, which a run folder knows."""


def check_options(resume: Path | None, executor: str, workers: int | None, gate: bool) -> None:
    """Trouble where options mean nothing together."""
    if workers is not None and executor == "local":
        raise Trouble(
            "--workers are those of a cluster; say --executor ray, or choose with --concurrency how many trials play at once",
            USAGE,
        )
    context = click.get_current_context()
    source = click.core.ParameterSource.COMMANDLINE
    given = [shown for name, shown in SETTLED.items() if context.get_parameter_source(name) == source]
    if gate and "--shard" in given:
        raise Trouble(
            "a shard has no score, so --gate means nothing for it; score the whole run, which `shopdsl merge` makes", USAGE
        )
    if resume is not None and given:
        message = "--resume plays what is left of the folder, as it was settled when the run began; leave out"
        raise Trouble(f"{message} {', '.join(given)}", USAGE)


def fresh(
    plan: Path | None, agents: tuple[str, ...], output: Path | None, package: Path | None, wanted: dict[str, Any]
) -> list[Job]:
    """One job an agent, each with a folder of its own; Trouble where two share one, or a folder holds a run already."""
    path = plan or newest()
    folders = [output / _called(agent) if output and len(agents) > 1 else output for agent in agents]
    jobs = [new_job(Wish(path, agent, **wanted), folder, package) for agent, folder in zip(agents, folders, strict=True)]
    seen: set[Path] = set()
    for job in jobs:
        if job.folder in seen:
            raise Trouble(f"two agents would be recorded in {job.folder}; give their documents or files different names", USAGE)
        try:
            check_free(job.folder)
        except RunBroken as error:
            raise Trouble(str(error), USAGE) from None
        if runs := below(job.folder):
            raise Trouble(
                f"{job.folder} holds the runs {', '.join(runs)}; name another folder, for example {job.folder / _called(job.agent.data['name'])}",
                USAGE,
            )
        seen.add(job.folder)
    return jobs


def _called(agent: str) -> str:
    """An agent's folder: the name of its document, or of its file."""
    return Path(agent).stem if Path(agent).suffix in (".yaml", ".yml") else agent.removeprefix("std.")


def newest() -> Path:
    """The plan that was compiled last."""
    plans = sorted(Path("build").glob("*.plan.jsonl"), key=lambda p: p.stat().st_mtime) if Path("build").is_dir() else []
    if not plans:
        raise Trouble("there is no plan in build/; run `shopdsl compile` first", USAGE)
    return plans[-1]


def check_stranger(job: Job, options: tuple[str, ...]) -> None:
    """A run folder may come from somebody else: its customer asks a model only where the user says so, here and now."""
    voices = [s.voice.model for s in job.scripts.values() if s.voice]
    if voices and job.manifest["customer_argument"] is None and not options:
        model = voices[0]
        message = (
            f"the customer of this run asks the model `{model['model']}`; a folder may come from somebody else, so say where"
        )
        raise Trouble(f"{message} with `--endpoint {model['name']}=URL` (the environment is not enough)", USAGE)


def check_models(jobs: list[Job], judge: dict[str, Any] | None, options: tuple[str, ...], limited: bool) -> None:
    """Trouble where a model of a job has no address, an address no model, a price does not fit the others, or the client library is missing."""
    players = [m for job in jobs for m in job.asked.models().values()]
    asked = [*players, *([judge] if judge else [])]
    check_named(options, asked)
    check_prices(asked, limited)
    served(players, "a model", options, Purse())
