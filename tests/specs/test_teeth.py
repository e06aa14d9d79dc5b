"""Metrics have teeth: every metric of the standard package has a mutant that must worsen it, and `shopdsl test` finds one that does not notice.

The proof of the standard package itself is a run of `shopdsl test --package specs`; here stands a package that is small enough to be spoiled.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.conftest import ROOT, Shop, records

TEETH = """
kind: metric
name: too_much
title: Too much
group: outcome
better: lower
for: [daily]
value: min(1, size(final.cart - target) / size(target))
---
kind: mutant
name: doubles
of: oracle
rewrite:
  - {when: call.role == "add", set: {quantity: call.quantity * 2}}
must_worsen: [bought, too_much]
---
kind: mutant
name: stays
of: oracle
rewrite:
  - {when: call.class == "commit", drop: true}
must_worsen: [bought]
must_keep: [too_much]
---
kind: mutant
name: sometimes_doubles
of: oracle
rewrite:
  - {when: call.role == "add" and chance(50%), set: {quantity: call.quantity * 2}}
"""
METRICS = "metrics: [bought]"


def _documents(folder: Path) -> list[dict[str, Any]]:
    """All documents of a folder of specs."""
    yaml = YAML(typ="safe")
    return [dict(d) for path in sorted(folder.glob("*.yaml")) for d in yaml.load_all(path.read_text("utf-8")) if d]


METRIC_NAMES = {d["name"] for d in _documents(ROOT / "specs" / "metrics") if d["kind"] == "metric"}
MUTANTS = {d["name"]: d for d in _documents(ROOT / "specs" / "mutants")}


def test_a_mutant_must_worsen_every_metric_of_the_standard_package() -> None:
    noticed = {metric for mutant in MUTANTS.values() for metric in mutant.get("must_worsen", [])}
    assert METRIC_NAMES - noticed == set()


def test_the_mutant_without_a_habit_must_keep_every_metric() -> None:
    assert set(MUTANTS["untouched"]["must_keep"]) == METRIC_NAMES
    assert "must_worsen" not in MUTANTS["untouched"]


def test_every_mutant_says_which_metrics_it_leaves_alone() -> None:
    assert [name for name, mutant in MUTANTS.items() if not mutant.get("must_keep")] == []
    assert [n for n, m in MUTANTS.items() if set(m["must_keep"]) & set(m.get("must_worsen", []))] == []


@pytest.fixture
def teeth(corner: Path) -> Path:
    """The small package with a second metric, and mutants that both of its metrics have to notice."""
    shop = corner / "shop.yaml"
    shop.write_text(shop.read_text("utf-8").replace(METRICS, "metrics: [bought, too_much]"), "utf-8")
    (corner / "teeth.yaml").write_text(TEETH.lstrip(), "utf-8")
    return corner


def _edit(teeth: Path, old: str, new: str) -> int:
    """Change the one place of a text; the number of its line."""
    path = teeth / "teeth.yaml"
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")
    return text[: text.index(old)].count("\n") + 1


def test_metrics_that_notice_pass(shop: Shop, teeth: Path) -> None:
    done = shop("test", "--sample", "1", cwd=teeth)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 mutants, 4 values: 4 passed, 0 failed" in done.stdout


def test_a_metric_that_no_longer_notices_is_named_with_file_and_line(shop: Shop, teeth: Path) -> None:
    line = _edit(teeth, "must_worsen: [bought, too_much]", "must_worsen: [bought, too_much]  # both")
    _edit(teeth, "size(final.cart - target)", "size(target - final.cart)")
    done = shop("test", "--sample", "1", cwd=teeth)
    assert done.returncode == 1
    assert f"FAILED teeth.yaml:{line} doubles: too_much is " in done.stdout
    assert "and worse is expected" in done.stdout
    assert done.stdout.count("FAILED") == 1


def test_a_metric_that_notices_what_it_should_not_is_named(shop: Shop, teeth: Path) -> None:
    line = _edit(teeth, "must_keep: [too_much]", "must_keep: [too_much]  # nothing is bought")
    _edit(teeth, "value: min(", "value: 1 if final.order == none else min(")
    done = shop("test", "--sample", "1", cwd=teeth)
    assert done.returncode == 1
    assert f"FAILED teeth.yaml:{line} stays: too_much is 0.000, spoiled 1.000, in daily, and no worse is expected" in done.stdout


def test_a_metric_that_no_mutant_must_worsen_is_told(shop: Shop, teeth: Path) -> None:
    _edit(teeth, "must_worsen: [bought, too_much]", "must_worsen: [bought]")
    done = shop("test", "--sample", "1", cwd=teeth)
    assert done.returncode == 0
    assert "no mutant must worsen: too_much" in done.stderr


def _adds(record: dict[str, Any]) -> dict[str, int]:
    """What was put into the cart, by product."""
    calls = [e["args"] for e in record["events"] if e.get("tool") == "add_to_cart" and not e["error"]]
    return {c["product_id"]: c["quantity"] for c in calls}


def test_a_mutant_plays_like_any_agent_and_the_same_every_time(shop: Shop, teeth: Path) -> None:
    assert shop("compile", cwd=teeth).returncode == 0
    for agent, out in (("oracle", "oracle"), ("doubles", "doubles"), ("sometimes_doubles", "one"), ("sometimes_doubles", "two")):
        done = shop("run", "--agent", agent, "--limit", "6", "-o", out, cwd=teeth)
        assert done.returncode == 0, done.stderr
    oracle, doubles, one, two = (records(teeth / name) for name in ("oracle", "doubles", "one", "two"))
    assert {t: _adds(r) for t, r in doubles.items()} == {t: {p: 2 * n for p, n in _adds(r).items()} for t, r in oracle.items()}
    assert {t: r["events"] for t, r in one.items()} == {t: r["events"] for t, r in two.items()}
    shares = [_adds(one[t])[p] / n for t, r in oracle.items() for p, n in _adds(r).items() if p in _adds(one[t])]
    assert set(shares) == {1, 2}
