"""Who answers the questions of metrics: the rules that judges bring along, or a model that the user names."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from shopdsl.cli.common import ENDPOINT, USAGE, Trouble, fail_on, open_unit, progress
from shopdsl.cli.scoring import Scoring
from shopdsl.runtime.judges.model import Endpoint, ModelJudge
from shopdsl.runtime.judges.question import Answerer
from shopdsl.runtime.judges.rules import Rules
from shopdsl.runtime.record import RunBroken

HEURISTIC = "heuristic"
KEY = "SHOPDSL_API_KEY"


def answerer(judge: str | None, endpoint: str | None, package: Path | None) -> Callable[[Path], Answerer]:
    """Who answers for a run folder, from a name or a file; Trouble where there is none. Answers of a model are kept in the folder."""
    if judge in (None, HEURISTIC, f"std.{HEURISTIC}"):
        return lambda folder: Rules()
    assert judge is not None
    data = _resolve(judge, package)
    if data["by"] == "rules":
        return lambda folder: Rules()
    _needs_openai()
    served = _endpoint(endpoint)
    return lambda folder: _model(data["model"], served, folder)


def _model(model: dict[str, Any], endpoint: Endpoint, folder: Path) -> ModelJudge:
    try:
        return ModelJudge(model, endpoint, folder)
    except RunBroken as error:
        raise Trouble(str(error), USAGE) from None


def _resolve(judge: str, package: Path | None) -> dict[str, Any]:
    from shopdsl.cli.running import named
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


def _needs_openai() -> None:
    from importlib.util import find_spec

    if find_spec("openai") is None:
        raise Trouble("a model judge needs the package openai; install it with `pip install 'shopdsl[models]'`", USAGE)


def _endpoint(address: str | None) -> Endpoint:
    """Address and key; a key goes only to the address that it was set for."""
    known = os.environ.get(ENDPOINT)
    chosen = address or known
    if not chosen:
        raise Trouble(f"a model judge needs an address: `--endpoint URL`, or the environment variable {ENDPOINT}", USAGE)
    if not _is_address(chosen):
        raise Trouble(f"{chosen!r} is not an address; one is such as http://127.0.0.1:8000/v1", USAGE)
    return Endpoint(chosen, os.environ.get(KEY, "").strip() or None if chosen == known else None)


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return (
            parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and re.search(r"[^!-~]", text) is None
        )
    except ValueError:  # a port that is no number, a bracket that is not closed
        return False


def with_answers(answers: Answerer, score: Callable[[], Scoring]) -> Scoring:
    """Score, ask the model what is not known yet, and score again until nothing waits: an answer may lead to further questions."""
    result = score()
    while isinstance(answers, ModelJudge) and answers.pending:
        click.echo(f"asking {answers.title}: {answers.pending} questions", err=True)
        with progress("asking the judge", answers.pending) as advance:
            answers.fetch(advance)
        result = score()
    return result
