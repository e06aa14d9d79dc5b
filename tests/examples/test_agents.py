"""The agents of the documentation play: as a program, as a function and as a server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Shop, records


@pytest.fixture
def folder(tmp_path: Path, shop: Shop) -> Path:
    """A copy of the example, compiled."""
    source = ROOT / "examples" / "agents"
    copy = Path(shutil.copytree(source, tmp_path / "agents", ignore=shutil.ignore_patterns("build", "runs", "__pycache__")))
    done = shop("compile", cwd=copy)
    assert done.returncode == 0, done.stderr
    return copy


@pytest.mark.parametrize("agent", ["by_command", "by_callable"])
def test_an_agent_of_the_example_plays(folder: Path, shop: Shop, agent: str) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # the command of the example is `python`
    done = shop("run", "--agent", agent, "--limit", "2", "-o", "out", cwd=folder, env={"PATH": path})
    assert done.returncode == 0, done.stderr
    found = records(folder / "out")
    assert len(found) == 2
    assert {r["end"]["reason"] for r in found.values()} <= {"purchase_complete", "budget_exhausted", "frustrated"}
    assert all(any(e.get("tool") == "add_to_cart" and not e["error"] for e in r["events"]) for r in found.values())


def test_a_server_of_the_example_plays(folder: Path, shop: Shop) -> None:
    server = subprocess.Popen(
        [sys.executable, "agent_http.py"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert server.stdout is not None
        assert server.stdout.readline().startswith("listening")
        done = shop("run", "--agent", "by_http", "--limit", "2", "-o", "out", cwd=folder)
    finally:
        server.kill()
        server.wait()
    assert done.returncode == 0, done.stderr
    found = records(folder / "out")
    assert len(found) == 2
    assert all(any(e.get("tool") == "add_to_cart" and not e["error"] for e in r["events"]) for r in found.values())


@pytest.mark.parametrize("name", ["agent_command.py", "agent_callable.py", "agent_http.py"])
def test_the_page_shows_the_code_that_runs(name: str) -> None:
    page = (ROOT / "docs" / "agents.md").read_text("utf-8")
    shown = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert (ROOT / "examples" / "agents" / name).read_text("utf-8") in shown
