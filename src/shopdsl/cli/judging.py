"""Who answers the questions of metrics: the rules that judges bring along, or a model that the user names."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shopdsl.cli.common import ENDPOINT, USAGE, Trouble, fail_on, open_unit, progress
from shopdsl.cli.scoring import Scoring
from shopdsl.runtime.judges.model import Endpoint, ModelJudge
from shopdsl.runtime.judges.question import Answerer
from shopdsl.runtime.judges.rules import Rules

HEURISTIC = "heuristic"
KEY = "SHOPDSL_API_KEY"
ROUNDS = 5
"""So often an answer may lead to further questions."""


def answerer(judge: str | None, endpoint: str | None, package: Path | None, folder: Path) -> Answerer:
    """Who answers, from a name or a file; Trouble where there is none. Answers of a model are kept in the run's folder."""
    if judge in (None, HEURISTIC, f"std.{HEURISTIC}"):
        return Rules()
    assert judge is not None
    data = _resolve(judge, package)
    if data["by"] == "rules":
        return Rules()
    _needs_openai()
    return ModelJudge(data["model"], _endpoint(endpoint), folder)


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
        names = ", ".join(unit.workspace.names("judge", unit.workspace.main.name))
        raise Trouble(f"there is no judge `{judge}`; there are: {names}", USAGE)
    if not isinstance(made, Compiled):
        raise Trouble(f"the judge `{judge}` is a question; name one with `by`, such as `{HEURISTIC}`", USAGE)
    return made.data


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
    if not chosen.startswith(("http://", "https://")):
        raise Trouble(f"{chosen} is not an address; it begins with http:// or https://", USAGE)
    return Endpoint(chosen, os.environ.get(KEY) if chosen == known else None)


def with_answers(answers: Answerer, score: Callable[[], Scoring]) -> Scoring:
    """Score, ask the model what is not known yet, and score again until nothing waits."""
    result = score()
    for _ in range(ROUNDS):
        if not isinstance(answers, ModelJudge) or not answers.pending:
            break
        with progress("asking the judge", answers.pending) as advance:
            answers.fetch(advance)
        result = score()
    return result
