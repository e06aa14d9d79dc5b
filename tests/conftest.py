"""What tests share: the small package `corner`, its plan, and the command line in a folder of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORNER = ROOT / "tests" / "packages" / "corner"


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests neither read nor write the user's cache, and never ask a network."""
    os.environ["SHOPDSL_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    os.environ["HF_HUB_OFFLINE"] = "1"


@pytest.fixture
def corner(tmp_path: Path) -> Path:
    """A copy of the small package, to be changed."""
    return Path(shutil.copytree(CORNER, tmp_path / "corner"))


Shop = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """Run `shopdsl` in a process of its own; keyword `cwd` is the folder, `env` adds to the environment."""

    def run(*args: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "shopdsl.cli", *map(str, args)],
            cwd=cwd or tmp_path,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plan of the small package, compiled once."""
    path = tmp_path_factory.mktemp("plan") / "daily.plan.jsonl"
    compile_to(CORNER, path)
    return path


def compile_to(package: Path, path: Path) -> str:
    """Compile a package's default suite in this process; the plan's digest."""
    from shopdsl.compiler.packages import load
    from shopdsl.compiler.pipeline import compile_plan, find_suite
    from shopdsl.compiler.unit import Unit
    from shopdsl.dsl.diagnostics import Sink
    from shopdsl.dsl.diagnostics.render import text

    sink = Sink()
    unit = Unit(load(package, sink), sink)
    suite = find_suite(unit, None)
    assert suite is not None, text(sink.all())
    summary = compile_plan(unit, suite, path)
    assert summary is not None, text(sink.all())
    return summary.digest


def trials(path: Path) -> list[dict[str, Any]]:
    """The trials of a plan on disk."""
    return [data for line in path.read_text("utf-8").split("\n") if line and "trial" in (data := json.loads(line))]


def records(folder: Path) -> dict[str, dict[str, Any]]:
    """The records of a run folder, by trial."""
    lines = (folder / "records.jsonl").read_text("utf-8").split("\n")
    return {r["trial"]: r for line in lines if line for r in [json.loads(line)]}
