"""A new metric scores an old run; views restrict; scores have the shape that scripts rely on."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import CORNER, Shop
from tests.golden.test_metric_names import listed

METRIC = """
---
kind: metric
name: polite
title: Polite answers
group: manners
better: higher
for: [daily]
value: mean(contains(m.text, "your cart") for m in agent_messages)
"""


def test_a_metric_written_after_the_run_scores_it(shop: Shop, tmp_path: Path, corner: Path) -> None:
    assert shop("compile", cwd=corner).returncode == 0
    assert shop("run", "-o", tmp_path / "run", cwd=corner).returncode == 0
    before = (tmp_path / "run" / "records.jsonl").read_bytes()
    path = corner / "shop.yaml"
    path.write_text(
        path.read_text("utf-8").replace("outcome: 1}\nmetrics: [bought]", "outcome: 1, manners: 1}\nmetrics: [bought, polite]")
        + METRIC,
        "utf-8",
    )
    done = shop("score", tmp_path / "run", "--format", "json", cwd=corner)
    assert done.returncode == 0, done.stderr
    cohort = json.loads(done.stdout)["cohorts"]["daily"]
    assert {"bought", "polite", "under_action"} < set(cohort["metrics"])
    found = cohort["metrics"]["polite"]
    assert set(found) == {"value", "low", "high", "n", "n/a", "unscored", "least", "most", "kind", "unit"}
    assert found["least"] == found["value"] == found["most"], "nothing is lost or unscored"
    assert found["kind"] == "rule"
    assert 0 < found["low"] <= found["value"] <= found["high"] < 1
    assert found["n"] + found["n/a"] == 20
    mean = (cohort["metrics"]["bought"]["value"] + found["value"]) / 2
    assert abs(cohort["score"] - mean) < 1e-9
    assert sum(cohort["ends"].values()) == 20
    assert (tmp_path / "run" / "records.jsonl").read_bytes() == before


def test_a_view_gives_values_for_just_what_it_decides(shop: Shop, tmp_path: Path, plan: Path) -> None:
    assert shop("run", plan, "-o", "run", "--limit", "3").returncode == 0
    by_view = {}
    for view in ("final_cart", "transcript", "full"):
        data = json.loads(shop("score", "run", "--evidence", view, "--format", "json", "--package", CORNER).stdout)
        by_view[view] = data["cohorts"]["daily"]["metrics"]["bought"]
    assert by_view["full"]["n"] == by_view["final_cart"]["n"] == 3
    assert by_view["transcript"] == {
        "value": None, "low": None, "high": None, "n": 0, "n/a": 3, "unscored": 0, "least": None, "most": None, "kind": "rule",
        "unit": "",
    }  # fmt: skip


def test_a_metric_out_of_range_is_unscored_and_named(shop: Shop, tmp_path: Path, corner: Path) -> None:
    path = corner / "shop.yaml"
    path.write_text(
        path.read_text("utf-8").replace("value: final.order != none and final.cart == target", "value: 7 * len(turns)"), "utf-8"
    )
    assert shop("compile", cwd=corner).returncode == 0
    done = shop("run", "-o", tmp_path / "run", "--limit", "2", cwd=corner)
    assert done.returncode == 0, done.stderr
    assert "outside of 0 to 1" in done.stderr
    assert "2 unscored" in done.stdout


def test_a_failed_gate_has_an_exit_code_of_its_own(shop: Shop, tmp_path: Path, corner: Path) -> None:
    path = corner / "shop.yaml"
    gate = "weights: {outcome: 1}\ngates: [{metric: bought, require: value > 0.99, else: blocked}]"
    path.write_text(path.read_text("utf-8").replace("weights: {outcome: 1}", gate), "utf-8")
    assert shop("compile", cwd=corner).returncode == 0
    failed = shop("run", "--gate", "--limit", "5", cwd=corner)
    assert failed.returncode == 5
    assert "BLOCKED" in failed.stdout
    assert shop("run", "--limit", "5", cwd=corner).returncode == 0
    assert shop("run", "--gate", "--agent", "oracle", "--limit", "5", cwd=corner).returncode == 0


def test_the_counts_of_the_views(shop: Shop) -> None:
    data = json.loads(shop("evidence", "paper", "--format", "json").stdout)
    rules = {name for name, (_, _, kind, _) in listed().items() if kind == "rule"}
    counts = {view: len(rules & set(names)) for view, names in data["views"].items()}
    assert counts == {
        "final_cart": 8,
        "transcript": 0,
        "transcript_and_calls": 2,
        "state": 10,
        "state_and_transcript": 12,
        "full": 30,
    }
    assert data["metrics"]["under_action"] == ["F", "T"]
