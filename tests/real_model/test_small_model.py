"""A real model on loopback in all three roles: the commands of the example's page, one after the other."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, Shop, records

EXAMPLE = ROOT / "examples" / "small_model"
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.real_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the example without what earlier tries left in it."""
    ignored = shutil.ignore_patterns("build", "runs", "report", "events.jsonl", "__pycache__")
    return Path(shutil.copytree(EXAMPLE, tmp_path / "small_model", ignore=ignored))


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    """Where the model is served."""
    command = [sys.executable, str(folder / "serve.py"), "--threads", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.stdin.close()
            assert server.wait(30) == 0


def _commands() -> list[list[str]]:
    text = (EXAMPLE / "README.md").read_text("utf-8")
    lines = (shlex.split(line) for block in SHELL.findall(text) for line in block.splitlines())
    return [line for line in lines if line[:1] == ["shopdsl"]]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_model_is_agent_customer_and_judge_from_the_specs_to_the_report(folder: Path, address: str, shop: Shop) -> None:
    shown: dict[str, str] = {}
    for command in _commands():
        done = shop(*command[1:], cwd=folder, env={"SHOPDSL_ENDPOINT": address})
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        shown[command[1]] = done.stdout
        if command[1] == "run":
            answers = (folder / "runs/small/answers.jsonl").read_bytes()
    assert list(shown) == ["compile", "run", "score", "report", "show"]

    requests = [e for e in _lines(folder / "events.jsonl") if e["event"] == "request"]
    assert {e["role"] for e in requests} == {"agent", "customer", "judge"}
    assert all(e["usage"]["input"] > 0 and e["usage"]["output"] > 0 for e in requests)

    played = records(folder / "runs/small")
    assert played.keys() == {"pocket/0", "pocket/1"}
    for record in played.values():
        said = [e for e in record["events"] if e["type"] == "customer"]
        assert said
        assert all(e["by"] in ("model", "script") and len(e["checks"]) in (1, 2, 3) for e in said)
        for role in ("agent", "customer"):
            made = [e for e in requests if (e["role"], e.get("trial")) == (role, record["trial"])]
            assert record["usage"][role]["requests"] == len(made)
    assert not (folder / "runs/small/lost.jsonl").exists()

    assert (folder / "runs/small/answers.jsonl").read_bytes() == answers, "score or report asked again"
    assert answers.count(b"\n") == sum(e["role"] == "judge" for e in requests)
    assert "judge model smollm2-135m-instruct" in shown["run"]
    assert re.search(r"Answered +↑\?", shown["score"])
    assert (folder / "report" / "index.html").is_file()
    assert "customer" in shown["show"]
