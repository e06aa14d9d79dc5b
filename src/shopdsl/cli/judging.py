"""Who answers the questions of metrics: the rules that judges bring along, or a model that the user names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from shopdsl.cli.common import USAGE, Trouble, counted, fail_on, open_unit, progress
from shopdsl.cli.endpoints import served
from shopdsl.cli.scoring import Scoring
from shopdsl.runtime.judges.model import ModelJudge
from shopdsl.runtime.judges.question import Answerer
from shopdsl.runtime.judges.rules import Rules
from shopdsl.runtime.manifest import RunBroken
from shopdsl.runtime.models.clients import Models
from shopdsl.runtime.models.usage import Purse
from shopdsl.runtime.watch import Note, unwatched

HEURISTIC = "heuristic"


@dataclass(frozen=True)
class Answering:
    """Who answers, for any run folder: a model, whose answers are kept in the folder, or rules."""

    model: dict[str, Any] | None
    models: Models

    def __call__(self, folder: Path) -> Answerer:
        """The answerer of a run folder; Trouble where it cannot be used."""
        if self.model is None:
            return Rules()
        try:
            return ModelJudge(self.model, self.models, folder)
        except RunBroken as error:
            raise Trouble(str(error), USAGE) from None


def answerer(
    judge: str | None, endpoint: tuple[str, ...], package: Path | None, purse: Purse | None = None, note: Note = unwatched
) -> Answering:
    """Who answers the questions of metrics, from a name or a file; Trouble where there is none."""
    model = model_of(judge, package)
    return Answering(model, served([model] if model else [], "a model judge", endpoint, purse or Purse(), note))


def model_of(judge: str | None, package: Path | None) -> dict[str, Any] | None:
    """The model that answers, or None where rules do; Trouble where there is no such judge."""
    if judge in (None, HEURISTIC, f"std.{HEURISTIC}"):
        return None
    assert judge is not None
    model: dict[str, Any] | None = _resolve(judge, package)["model"]
    return model


def _resolve(judge: str, package: Path | None) -> dict[str, Any]:
    from shopdsl.cli.casting import named
    from shopdsl.compiler.kinds.judge import Answerer as Compiled
    from shopdsl.compiler.kinds.judge import compile_judge

    files = [Path(judge)] if Path(judge).suffix in (".yaml", ".yml") else []
    if files and not files[0].is_file():
        raise Trouble(f"there is no file {judge}", USAGE)
    unit, sink = open_unit(package, files)
    document = named(unit, "judge", judge)
    made = unit.compiled(compile_judge, document) if document else None
    fail_on(sink)
    if made is None:
        raise Trouble(f"there is no judge `{judge}`; those that answer: {', '.join(_answering(unit))}", USAGE)
    if not isinstance(made, Compiled):
        raise Trouble(f"the judge `{judge}` is a question; name one with `by`, such as `{HEURISTIC}`", USAGE)
    return made.data


def _answering(unit: Any) -> list[str]:
    """The judges with `by`, as they are known at hand; the others are questions."""
    space = unit.workspace
    known = ((n, space.find("judge", n, space.main.name)) for n in space.names("judge", space.main.name))
    return [name for name, document in known if document and unit.body(document).get("by") is not None]


def with_answers(answers: Answerer, score: Callable[[], Scoring]) -> Scoring:
    """Score, ask the model what is not known yet, and score again until nothing waits: an answer may lead to further questions."""
    result = score()
    while isinstance(answers, ModelJudge) and answers.pending:
        click.echo(f"asking {answers.title}: {counted(answers.pending, 'question')}", err=True)
        with progress("asking the judge", answers.pending) as advance:
            answers.fetch(advance)
        result = score()
    return result
