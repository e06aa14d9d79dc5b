"""Writes the records of a run for other tools: whole files or none, with the metrics that `score` gives."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from shopdsl.cli.common import USAGE, Trouble
from shopdsl.cli.judging import answerer, with_answers
from shopdsl.cli.scoring import Scoring, scored, scoring_now, warn
from shopdsl.dsl.plan import PlanError, open_plan
from shopdsl.runtime.examine import Examiner, Look, readable
from shopdsl.runtime.judges.rules import Rules
from shopdsl.runtime.manifest import FILES, PLAN, RECORDS, RunBroken, read_manifest
from shopdsl.runtime.record import read_records
from shopdsl.runtime.score import Scorer
from shopdsl.runtime.world import World, undamaged

ENDINGS = {"parquet": (".parquet",), "inspect": (".eval", ".json")}
NEEDS = {"parquet": ("pyarrow", "analysis"), "inspect": ("inspect_ai", "inspect")}

Take = Callable[[Look], Callable[[], None]]
"""Makes of a record what is to be written, or raises RunBroken; what it gives writes it."""


@dataclass(frozen=True)
class Source:
    """A run folder, and whose metrics are asked about its records."""

    folder: Path
    suite: str | None = None
    judge: str | None = None
    endpoint: tuple[str, ...] = ()
    package: Path | None = None

    def opened(self) -> tuple[dict[str, Any], Examiner]:
        """The manifest of the run, and who looks at its records; Trouble where the folder cannot be used."""
        try:
            manifest = read_manifest(self.folder)
            now = scoring_now(self.suite, manifest["suite"], self.package)
            answers = answerer(self.judge, self.endpoint, self.package)(self.folder)
            if not isinstance(answers, Rules):
                with_answers(answers, lambda: scored(self.folder, None, now, answerer=answers))
            world = World(open_plan(self.folder / PLAN))
            if world.plan.digest != manifest["plan"]:
                raise RunBroken(f"the plan in {self.folder} is not the one that was played")
            with undamaged(world.plan):
                return manifest, Examiner(world, now, answerer=answers)
        except (RunBroken, PlanError) as error:
            raise Trouble(str(error), USAGE) from None


def target(folder: Path, form: str, output: Path) -> list[Path]:
    """The files that an export writes; Trouble where it cannot."""
    package, extra = NEEDS[form]
    if find_spec(package) is None:
        raise Trouble(f"this needs the package {package}; install it with `pip install 'shopdsl[{extra}]'`", USAGE)
    if output.suffix not in ENDINGS[form]:
        raise Trouble(f"{output} does not end with {' or '.join(ENDINGS[form])}, as a file for {form} does", USAGE)
    if output.name in FILES and output.resolve().parent == folder.resolve():
        raise Trouble(f"{output} is a file of the run itself; name another one", USAGE)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Trouble(f"cannot make the folder {output.parent}: {error.strerror}", USAGE) from None
    return [output] if form == "inspect" else [output, output.with_name(f"{output.stem}.events{output.suffix}")]


def export(source: Source, form: str, places: list[Path]) -> None:
    """Write the files; records that cannot be used are named on stderr, and passed over."""
    manifest, examiner = source.opened()
    scorer = Scorer(examiner, manifest["trials"], manifest["repeat"])
    with _whole(places) as partial:
        problems = (_tables if form == "parquet" else _log)(source.folder, manifest, scorer, partial)
    warn(Scoring(manifest, scorer, scorer.scores, problems))


@contextmanager
def _whole(places: list[Path]) -> Iterator[list[Path]]:
    """Files beside these, which take their places when all of them are written."""
    partial = [p.with_name(f".{p.stem}.{os.getpid()}.part{p.suffix}") for p in places]
    try:
        yield partial
        for made, place in zip(partial, places, strict=True):
            os.replace(made, place)
    except OSError as error:
        raise Trouble(f"cannot write {places[0]}: {error.strerror or error}", USAGE) from None
    finally:
        for made in partial:
            made.unlink(missing_ok=True)


def _tables(folder: Path, manifest: dict[str, Any], scorer: Scorer, places: list[Path]) -> list[str]:
    from shopdsl.runtime.tables import Tables

    about = {"plan": manifest["plan"], "suite": manifest["suite"], "agent": str(manifest["agent"]["name"])}
    tables = Tables.at(places[0], places[1], scorer.examiner, about | {"judge": scorer.examiner.answerer.title})
    problems = _each(folder, scorer, tables.take)
    tables.close()
    return problems


def _log(folder: Path, manifest: dict[str, Any], scorer: Scorer, places: list[Path]) -> list[str]:
    from inspect_ai.log import write_eval_log

    from shopdsl.runtime.inspect_.log import RunLog

    log = RunLog(manifest, scorer.examiner)
    problems = _each(folder, scorer, log.take)
    write_eval_log(log.finished(scorer.result(), (folder / RECORDS).stat().st_mtime), places[0])
    return problems


def _each(folder: Path, scorer: Scorer, take: Take) -> list[str]:
    """Every record of the run, once; what is wrong with those that cannot be used."""
    problems: list[str] = []
    for record in read_records(folder, problems):
        try:
            look = scorer.examiner.look(record)
            with readable(look.trial.id):
                seen, write = scorer.examiner.summary(look), take(look)
            scorer.take(seen)
        except RunBroken as error:
            problems.append(str(error))
        else:
            write()
    return problems
