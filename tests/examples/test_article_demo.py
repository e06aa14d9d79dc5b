"""The article's demo: the commands of its page import the case, play the agent, and say that the price was never computed."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from shopdsl.cli import cli
from tests.conftest import ROOT

DEMO = ROOT / "examples" / "article_demo"
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TEXT = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _run(*args: str) -> str:
    done = CliRunner().invoke(cli, list(args))
    assert done.exit_code == 0, f"{args}\n{done.output}"
    return done.stdout


def test_the_demo_of_the_article_fails_its_own_task_and_the_page_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (DEMO / "README.md").read_text("utf-8")
    copy = shutil.copytree(DEMO, tmp_path / "demo", ignore=shutil.ignore_patterns("demo", "build", "runs"))
    monkeypatch.chdir(copy)
    shown = [_run(*shlex.split(line)[1:]) for line in SHELL.findall(page)[0].splitlines()]
    assert all(line in shown[-1].splitlines() for line in TEXT.findall(page)[0].splitlines() if line != "…")
    tasks = json.loads(_run("score", "runs/demo", "--package", "demo", "--format", "json"))["cohorts"]["cases"]["tasks"]
    assert (tasks["success_rate"], tasks["tool_call_accuracy"], tasks["answer_accuracy"]) == (0, 0, 1)
    assert tasks["partial_credit"] == 0.75  # the answer is right, and one of two calls was made
    assert tasks["mean_tool_calls"] == 1


def test_an_agent_that_computes_the_price_succeeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = shutil.copytree(DEMO, tmp_path / "demo", ignore=shutil.ignore_patterns("demo", "build", "runs"))
    monkeypatch.chdir(copy)
    agent = (copy / "agent.yaml").read_text("utf-8")
    (copy / "agent.yaml").write_text(agent.replace('"优惠|价格"', '"优惠|价格|多少钱"'), "utf-8")
    for line in SHELL.findall((DEMO / "README.md").read_text("utf-8"))[0].splitlines():
        _run(*shlex.split(line)[1:])
    tasks = json.loads(_run("score", "runs/demo", "--package", "demo", "--format", "json"))["cohorts"]["cases"]["tasks"]
    assert (tasks["success_rate"], tasks["partial_credit"], tasks["mean_tool_calls"]) == (1, 1, 2)
