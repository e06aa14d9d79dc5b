"""Expressions and what they give: a new case is a new folder with `input.yaml`, a list of expressions, and `expected.txt`.

UPDATE_EXPECTED=1 writes `expected.txt` anew: look at the difference before you keep it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from shopdsl.dsl.check import Checker
from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.lower import lower
from shopdsl.dsl.parse import ParseError, parse_expression
from shopdsl.dsl.values import Failed
from shopdsl.dsl.vocabulary import Scope

FOLDERS = sorted((Path(__file__).parent / "expressions").iterdir())


def outcome(text: str) -> str:
    """What an expression gives, with its type; or the first thing that is wrong with it."""
    found: list[str] = []
    try:
        parsed = parse_expression(text)
    except ParseError as error:
        return f"error at {error.offset}: {error.message}"
    kind = Checker(Scope({}), lambda code, message, at, help: found.append(f"{code.id} at {at[0]}: {message}")).infer(parsed)
    if found:
        return found[0]
    try:
        value = guarded(compile_tree(lower(parsed, Scope({}))))(Env({}))
    except Failed as error:
        return f"{kind}, fails: {error}"
    if isinstance(value, frozenset):
        value = f"{{{', '.join(map(repr, sorted(value)))}}}"
    return f"{kind}: {value}"


@pytest.mark.parametrize("folder", FOLDERS, ids=[f.name for f in FOLDERS])
def test_expressions(folder: Path) -> None:
    expressions = YAML(typ="base").load((folder / "input.yaml").read_text("utf-8"))
    found = "".join(f"{text}\n    {outcome(text)}\n" for text in expressions)
    expected = folder / "expected.txt"
    if os.environ.get("UPDATE_EXPECTED") == "1":
        expected.write_text(found, "utf-8")
    assert found == expected.read_text("utf-8")
