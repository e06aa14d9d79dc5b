"""What must hold of the bytes of a plan: they depend on what the specs mean, and on nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import CORNER, Shop, compile_to, trials


def _edit(package: Path, *pairs: tuple[str, str]) -> Path:
    path = package / "shop.yaml"
    text = path.read_text("utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, "utf-8")
    return package


@pytest.mark.parametrize("seed", ["0", "1", "4711"])
def test_same_digest_under_any_hash_seed_and_in_any_folder(shop: Shop, tmp_path: Path, plan: Path, seed: str) -> None:
    done = shop(
        "compile", "--package", CORNER, "-o", tmp_path / "x" / "p.plan.jsonl", "--format", "json", env={"PYTHONHASHSEED": seed}
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "x" / "p.plan.jsonl").read_bytes() == plan.read_bytes()
    assert json.loads(done.stdout)["trials"] == {"daily": 20}


def test_comments_layout_and_order_of_keys_mean_nothing(corner: Path, tmp_path: Path, plan: Path) -> None:
    _edit(
        corner,
        ("name: corner\nextends: std.general\nsize: 400\n", "size: 400   # small\nextends: std.general\n\nname: corner\n"),
        ("search: {engine: lexical}", "search:\n  engine: lexical"),
        ("group: outcome\nbetter: higher\n", "better: higher\ngroup: outcome\n"),
    )
    (corner / "shop.yaml").rename(corner / "renamed.yaml")
    compile_to(corner, tmp_path / "p.plan.jsonl")
    assert (tmp_path / "p.plan.jsonl").read_bytes() == plan.read_bytes()


def test_a_constant_changes_the_plan(corner: Path, tmp_path: Path, plan: Path) -> None:
    compile_to(_edit(corner, ("trials: 20", "trials: 20\ndraw: {turn_budget: 4 + 3 * len(target)}")), tmp_path / "p.plan.jsonl")
    before, after = trials(plan), trials(tmp_path / "p.plan.jsonl")
    assert [t["turn_budget"] for t in before] != [t["turn_budget"] for t in after]
    assert [t["items"] for t in before] == [t["items"] for t in after]


def test_a_new_line_moves_no_other_draw(corner: Path, tmp_path: Path, plan: Path) -> None:
    compile_to(
        _edit(corner, ("trials: 20", "trials: 20\ndraw: {mood: 'choice([1, 2, 3])', luck: 'uniform(0, 1)'}")),
        tmp_path / "p.plan.jsonl",
    )
    before, after = trials(plan), trials(tmp_path / "p.plan.jsonl")
    assert {"mood", "luck"} <= set(after[0]["drawn"])
    for old, new in zip(before, after, strict=True):
        assert {k: old[k] for k in ("items", "persona", "beats", "turn_budget", "reveal")} == {
            k: new[k] for k in old if k in new and k not in ("drawn", "task", "trial", "cohort", "number", "score", "seed")
        }
        assert old["drawn"] == {k: v for k, v in new["drawn"].items() if k in old["drawn"]}


def test_more_trials_leave_the_first_ones_as_they_were(corner: Path, tmp_path: Path, plan: Path) -> None:
    compile_to(_edit(corner, ("trials: 20", "trials: 30")), tmp_path / "p.plan.jsonl")
    assert trials(tmp_path / "p.plan.jsonl")[:20] == trials(plan)


def test_a_new_metric_keeps_every_task(corner: Path, tmp_path: Path, plan: Path) -> None:
    text = (corner / "shop.yaml").read_text("utf-8")
    metric = "---\nkind: metric\nname: spoke\ngroup: outcome\nbetter: higher\nfor: [daily]\nvalue: len(turns) > 1\n"
    (corner / "shop.yaml").write_text(text + metric, "utf-8")
    compile_to(corner, tmp_path / "p.plan.jsonl")
    before, after = trials(plan), trials(tmp_path / "p.plan.jsonl")
    assert [t["task"] for t in before] == [t["task"] for t in after]
    assert before[0]["score"] != after[0]["score"]


def test_a_plan_holds_no_floats(plan: Path) -> None:
    def refuse(text: str) -> float:
        raise AssertionError(f"a float in the plan: {text}")

    for line in plan.read_text("utf-8").split("\n"):
        if line:
            json.loads(line, parse_float=refuse)
