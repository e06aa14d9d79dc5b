"""The rule metrics of the standard package: their names, groups and directions, and that spec tests tell good from bad."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from shopdsl.compiler.packages import standard_folder
from tests.conftest import Shop

LISTED = Path(__file__).with_name("rule_metrics.txt")
MAX_LINES = 4
"""A metric is a formula that a reader takes in at a glance; parts of it get names in `let`."""


def listed() -> dict[str, tuple[str, str]]:
    """Group and direction by name, as the data file beside this test has them."""
    lines = LISTED.read_text("utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {name: (group, better) for name, group, better in rows}


@cache
def standard_metrics() -> dict[str, Mapping[str, Any]]:
    """The metric documents of the standard package, as they are written."""
    yaml = YAML(typ="safe", pure=True)
    files = sorted(standard_folder().rglob("*.yaml"))
    documents = [
        d
        for f in files
        if "kind: metric" in f.read_text("utf-8")
        for d in yaml.load_all(f.read_text("utf-8"))
        if isinstance(d, dict)
    ]
    return {d["name"]: d for d in documents if d.get("kind") == "metric"}


def expected_values(shop: Shop) -> dict[str, set[float]]:
    """What spec tests of the standard package expect of each metric, without the cases in which it does not apply."""
    rows = json.loads(shop("test", "--format", "json").stdout)
    values: dict[str, set[float]] = {}
    for row in rows:
        if row["expected"] != "none":
            values.setdefault(row["metric"], set()).add(float(row["expected"]))
    return values


def is_rule(metric: Mapping[str, Any]) -> bool:
    """A rule metric asks no judge."""
    return "ask" not in metric


def test_the_rule_metrics_are_the_listed_ones() -> None:
    found = {n: (m["group"], m["better"]) for n, m in standard_metrics().items() if is_rule(m)}
    assert len(listed()) == 30
    assert found == listed()


def test_spec_tests_see_every_metric_good_and_bad(shop: Shop) -> None:
    values = expected_values(shop)
    assert {name for name in listed() if len(values.get(name, ())) < 2} == set()


@pytest.mark.parametrize("name", sorted(listed()))
def test_values_are_short(name: str) -> None:
    value = str(standard_metrics()[name]["value"])
    assert len(value.strip().splitlines()) <= MAX_LINES
