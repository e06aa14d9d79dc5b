"""What a view keeps decides exactly the metrics that the compiler says, and gives them the value that the full record gives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shopdsl.dsl.records import VIEWS
from tests.conftest import ROOT

SPECS = """
kind: cohort
name: shoppers
extends: general
store: general_lexical
trials: 10
---
kind: cohort
name: probes
extends: refusal
store: general_lexical
cases: [rp01, rp06]
---
kind: suite
name: small
seed: 5
cohorts: [shoppers, probes]
rubrics: {shoppers: general, probes: refusal}
---
kind: metric
name: any_search_hit
group: search
better: higher
value: mean(any(p in s.results for p in target) for s in searches)
"""
MANIFEST = "shopdsl: 1\npackage: small\nversion: 0.1.0\nrequires: {}\ndefault_suite: small\n"
Values = dict[tuple[str, str], dict[str, Any]]


def _shopdsl(*args: str, cwd: Path) -> str:
    command = [sys.executable, "-m", "shopdsl.cli", *args]
    done = subprocess.run(command, cwd=cwd, env=dict(os.environ), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with the metrics of `std` and one more, and a run of it."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "shopdsl.yaml").write_text(MANIFEST, "utf-8")
    (folder / "small.yaml").write_text(SPECS, "utf-8")
    _shopdsl("compile", cwd=folder)
    _shopdsl("run", "-o", "run", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def decided(package: Path) -> dict[str, set[str]]:
    """The metrics that each view decides, as the tool says."""
    said = json.loads(_shopdsl("evidence", "--format", "json", cwd=package))
    return {view: set(names) for view, names in said["views"].items()}


def _scored(package: Path, view: str) -> Values:
    said = json.loads(_shopdsl("score", "run", "--evidence", view, "--format", "json", cwd=package))
    return {(c, name): metric for c, about in said["cohorts"].items() for name, metric in about["metrics"].items()}


@pytest.fixture(scope="module")
def full(package: Path) -> Values:
    return _scored(package, "full")


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_tells_what_it_decides_and_nothing_else(
    package: Path, decided: dict[str, set[str]], full: Values, view: str
) -> None:
    for (cohort, name), metric in _scored(package, view).items():
        whole = full[cohort, name]
        if name in decided[view]:
            assert metric == whole, name
        else:
            assert (metric["value"], metric["n"], metric["unscored"]) == (None, 0, 0), name


def test_the_full_record_tells_nearly_every_metric(full: Values) -> None:
    told = {name for (_, name), metric in full.items() if metric["value"] is not None}
    assert len({name for _, name in full}) == 45
    assert len(told) > 40


def test_a_metric_that_forgets_when_wishes_came_out_is_decided_without_it(decided: dict[str, set[str]]) -> None:
    assert "any_search_hit" in decided["transcript_and_calls"]
    assert "active_search_hit_at_k" not in decided["state_and_transcript"]


# the page


def test_the_page_says_what_the_command_says(tmp_path: Path) -> None:
    said = json.loads(_shopdsl("evidence", "paper", "--format", "json", cwd=tmp_path))
    page = (ROOT / "docs" / "evidence.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| ")]
    table = {row[1].strip("`"): row[5:] for row in rows if len(row) == 5 + len(VIEWS) and row[0] != "group" and "-" not in row[0]}
    marks = {name: ["●" if name in said["views"][view] else "" for view in VIEWS] for name in said["metrics"]}
    assert table == marks
    for view, names in said["views"].items():
        assert [f"`{view}`", VIEWS[view], f"{len(names)} of {len(marks)}"] in rows
