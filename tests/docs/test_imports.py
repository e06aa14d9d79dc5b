"""The page about imports: its JSON is imported, compiled and done, and the tool says what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from shopdsl.cli import cli
from tests.docs.pages import blocks


def _shopdsl(*args: str) -> Result:
    done = CliRunner().invoke(cli, args, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the import of the page's file says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.json").write_text(blocks("imports.md", "json")[0], "utf-8")
    return _shopdsl("import", "cases", "cases.json", "-o", "mine").output


def test_the_cases_of_the_page_are_imported_and_can_be_done(said: str) -> None:
    assert sorted(said.splitlines()) == sorted(blocks("imports.md", "text")[0].splitlines())
    assert re.findall(r"\[[EW]\d+\]", _shopdsl("compile", "--package", "mine").output) == []
    done = _shopdsl("run", "build/cases.plan.jsonl", "--agent", "oracle", "-o", "out")
    assert re.findall(r"Tasks done +↑\? ([01]\.\d+)", done.output) == ["1.000"]


def test_the_replay_of_the_page_is_that_of_the_tool(said: str) -> None:
    assert said
    assert _shopdsl("replay", "mine").output == blocks("imports.md", "text")[1]
