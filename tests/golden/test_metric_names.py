"""The metrics of the standard package: names, groups, directions, kinds and cohorts, and that spec tests tell good from bad."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from shopdsl.compiler.header import scoring
from shopdsl.compiler.kinds.suite import compile_suite
from shopdsl.compiler.packages import load, standard_folder
from shopdsl.compiler.unit import Unit, text
from shopdsl.dsl.diagnostics import Sink
from tests.conftest import Shop

LISTED = Path(__file__).with_name("metrics.txt")
MAX_LINES = 4
"""A metric is a formula that a reader takes in at a glance; parts of it get names in `let`."""


def listed() -> dict[str, tuple[str, str, str, tuple[str, ...]]]:
    """Group, direction, kind and cohorts by name, as the data file beside this test has them."""
    lines = LISTED.read_text("utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {name: (group, better, kind, tuple(cohorts.split(","))) for name, group, better, kind, cohorts in rows}


@cache
def unit() -> Unit:
    sink = Sink()
    return Unit(load(standard_folder(), sink), sink)


@cache
def metrics() -> dict[str, Any]:
    """The metrics of the suite `paper`, compiled."""
    suite = unit().workspace.find("suite", "paper", "std")
    assert suite is not None
    made: dict[str, Any] = scoring(unit(), unit().compiled(compile_suite, suite))["metrics"]
    return made


def test_the_metrics_of_the_paper_are_the_listed_ones() -> None:
    found = {n: (m["group"], m["better"], m["kind"], tuple(m["for"])) for n, m in metrics().items()}
    assert len(found) == 44
    assert found == listed()


def test_thirty_are_rules_nine_hybrids_five_ask_a_model() -> None:
    kinds = [m["kind"] for m in metrics().values()]
    assert (kinds.count("rule"), kinds.count("hybrid"), kinds.count("model")) == (30, 9, 5)


def test_spec_tests_see_every_metric_good_and_bad(shop: Shop) -> None:
    rows = json.loads(shop("test", standard_folder() / "metrics", "--format", "json").stdout)
    values: dict[str, set[float]] = {}
    for row in rows:
        if row["expected"] != "none":
            values.setdefault(row["metric"], set()).add(float(row["expected"]))
    assert {name for name in listed() if len(values.get(name, ())) < 2} == set()


@pytest.mark.parametrize("name", sorted(listed()))
def test_values_are_short(name: str) -> None:
    document = unit().workspace.find("metric", name, "std")
    assert document is not None
    assert len(text(unit().body(document).get("value")).strip().splitlines()) <= MAX_LINES
