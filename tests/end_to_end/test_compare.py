"""Two runs compared: the trials that both played, cohort by cohort, and what cannot be compared is said."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CORNER, Shop, compile_to

CLI = [sys.executable, "-m", "shopdsl.cli"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, plan: Path) -> Path:
    """A folder with runs of the baseline and of the oracle."""
    folder = tmp_path_factory.mktemp("runs")
    for agent in ("baseline", "oracle"):
        subprocess.run([*CLI, "run", plan, "--agent", agent, "-o", folder / agent], check=True, capture_output=True)
    return folder


@pytest.fixture
def copies(runs: Path, tmp_path: Path) -> Path:
    """Copies of both runs in the folder of the test, to be changed."""
    for agent in ("baseline", "oracle"):
        shutil.copytree(runs / agent, tmp_path / agent)
    return tmp_path


def compared(shop: Shop, *folders: str | Path) -> dict[str, Any]:
    done = shop("compare", *folders, "--format", "json")
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def keep(run: Path, *numbers: int) -> None:
    """Leave only the records of these trials."""
    lines = (run / "records.jsonl").read_text("utf-8").splitlines(keepends=True)
    wanted = {f"daily/{i}" for i in numbers}
    (run / "records.jsonl").write_text("".join(line for line in lines if json.loads(line)["trial"] in wanted), "utf-8")


def test_two_agents_on_one_plan(shop: Shop, runs: Path) -> None:
    data = compared(shop, runs / "baseline", runs / "oracle")
    assert (data["a"]["name"], data["b"]["folder"], data["same_plan"]) == ("baseline", str(runs / "oracle"), True)
    daily = data["cohorts"]["daily"]
    bought = daily["metrics"]["bought"]
    assert set(bought) == {"a", "b", "difference", "low", "high", "n", "p", "p_adjusted", "better"}
    assert set(daily["score"]) == {"a", "b", "difference", "low", "high"}
    assert (daily["trials"], daily["lost"], bought["n"], bought["better"]) == (20, {"a": 0, "b": 0}, 20, "b")
    assert bought["p"] < 0.001 < bought["p_adjusted"] < 0.01
    assert 0 < bought["low"] < bought["difference"] == bought["b"] - bought["a"] < bought["high"] < 1
    assert daily["metrics"]["over_purchase"]["difference"] < 0  # less of it is better
    assert daily["metrics"]["over_purchase"]["better"] == "b"
    assert data["comparisons"] == sum(m["p"] is not None for m in daily["metrics"].values())


def test_the_figures_are_those_of_score_where_all_trials_have_them(shop: Shop, runs: Path) -> None:
    daily = compared(shop, runs / "baseline", runs / "oracle")["cohorts"]["daily"]
    for name in ("baseline", "oracle"):
        own = json.loads(shop("score", runs / name, "--format", "json", "--package", CORNER).stdout)["cohorts"]["daily"]
        side = "a" if name == "baseline" else "b"
        assert daily["score"][side] == own["score"]
        full = [m for m, value in own["metrics"].items() if value["n"] == 20 and daily["metrics"][m]["n"] == 20]
        assert len(full) > 10
        assert [daily["metrics"][m][side] for m in full] == pytest.approx([own["metrics"][m]["value"] for m in full])


def test_the_text_names_groups_in_order_and_how_many_comparisons_were_made(shop: Shop, runs: Path) -> None:
    done = shop("compare", runs / "baseline", runs / "oracle")
    lines = done.stdout.splitlines()
    assert "agent baseline" in lines[0]
    assert "General shopping (daily) — 20 trials played in both" in lines
    places = [lines.index(group) for group in ("outcome", "cart", "search", "tools", "pacing")]
    assert places == sorted(places)
    bought = next(line for line in lines if line.startswith("  Bought"))
    assert bought.endswith("b is better *")
    table = lines[places[0] : places[-1]]
    assert len({line.index("[") for line in table if "[" in line}) == 1
    assert "41 comparisons; were both alike, about 2.1 would differ" in lines[-1]
    assert "by chance" in lines[-1]


def test_a_run_compared_with_itself_does_not_differ(shop: Shop, runs: Path) -> None:
    data = compared(shop, runs / "baseline", runs / "baseline")
    metrics = [m for m in data["cohorts"]["daily"]["metrics"].values() if m["n"]]
    assert {(m["difference"], m["low"], m["high"], m["p"], m["better"]) for m in metrics} == {(0, 0, 0, 1, "-")}
    assert "the same run: every difference is 0" in shop("compare", runs / "baseline", runs / "baseline").stdout


def test_neither_the_order_of_records_nor_the_hash_seed_changes_a_comparison(shop: Shop, runs: Path, copies: Path) -> None:
    path = copies / "baseline" / "records.jsonl"
    path.write_text("".join(reversed(path.read_text("utf-8").splitlines(keepends=True))), "utf-8")
    before = compared(shop, runs / "baseline", runs / "oracle")
    done = shop("compare", "baseline", "oracle", "--format", "json", env={"PYTHONHASHSEED": "77"})
    assert json.loads(done.stdout)["cohorts"] == before["cohorts"]


def test_trials_lost_in_either_run_are_counted_and_left_out(shop: Shop, copies: Path) -> None:
    keep(copies / "baseline", *range(18))
    keep(copies / "oracle", *range(1, 20))
    daily = compared(shop, "baseline", "oracle")["cohorts"]["daily"]
    assert (daily["trials"], daily["lost"]) == (17, {"a": 2, "b": 1})
    assert daily["metrics"]["bought"]["n"] == 17
    assert "17 trials played in both; lost and not compared: 2 in a, 1 in b" in shop("compare", "baseline", "oracle").stdout


def test_repeats_of_a_trial_are_one_pair(shop: Shop, tmp_path: Path, runs: Path, plan: Path) -> None:
    assert shop("run", plan, "-o", "twice", "--repeat", "2", "--limit", "4").returncode == 0
    data = compared(shop, "twice", runs / "baseline")
    assert data["not_compared"] == {"only_a": 0, "only_b": 16, "another_task": 0}
    bought = data["cohorts"]["daily"]["metrics"]["bought"]
    assert (bought["n"], bought["difference"]) == (4, 0)
    assert "trials not compared: 16 only in b" in shop("compare", "twice", runs / "baseline").stdout


def test_of_two_plans_the_trials_with_one_task_are_compared(shop: Shop, tmp_path: Path, corner: Path, runs: Path) -> None:
    path = corner / "shop.yaml"
    path.write_text(
        path.read_text("utf-8").replace("trials: 20", "trials: 25").replace("title: Bought", "title: Got it"), "utf-8"
    )
    compile_to(corner, tmp_path / "more.plan.jsonl")
    assert shop("run", "more.plan.jsonl", "-o", "more").returncode == 0
    data = compared(shop, runs / "baseline", "more")
    assert (data["same_plan"], data["not_compared"]) == (False, {"only_a": 0, "only_b": 5, "another_task": 0})
    assert data["cohorts"]["daily"]["trials"] == 20
    text = shop("compare", runs / "baseline", "more").stdout
    assert "the plans differ; the 20 trials with the same task in both are compared" in text
    assert "  Bought ↑" in text
    assert "Got it" in shop("compare", "more", runs / "baseline").stdout


def test_runs_that_cannot_be_compared_get_one_clear_line(
    shop: Shop, tmp_path: Path, corner: Path, runs: Path, copies: Path
) -> None:
    path = corner / "shop.yaml"
    path.write_text(path.read_text("utf-8").replace("seed: 7", "seed: 8"), "utf-8")
    compile_to(corner, tmp_path / "seed.plan.jsonl")
    assert shop("run", "seed.plan.jsonl", "-o", "seed", "--limit", "2").returncode == 0
    keep(copies / "oracle")
    manifest = copies / "baseline" / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8").replace('"suite": "daily"', '"suite": "weekly"'), "utf-8")
    (tmp_path / "empty").mkdir()
    for folder, words in {
        "nowhere": "nowhere holds no run",
        "empty": "empty holds no run",
        "seed": "no trial in common: none has the same task in both",
        "baseline": "of the suite `daily`, baseline of `weekly`",
        "oracle": "no trial in common: none was played to its end in both",
    }.items():
        done = shop("compare", runs / "baseline", folder)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ")
        assert words in done.stderr
        assert done.stderr.count("\n") == 1
