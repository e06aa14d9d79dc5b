"""The page about shops: its package is proved and played, and prices are those that it derives."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from shopdsl.cli import cli
from shopdsl.compiler.shape import schema
from tests.docs.pages import blocks, page, rows, written


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The page's cases as the oracle played them, by number."""
    monkeypatch.chdir(written("shops.md", tmp_path / "tool_rental"))
    for command in (["compile"], ["run", "--agent", "oracle", "-o", "out"]):
        done = CliRunner().invoke(cli, command, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        assert re.findall(r"\[[EW]\d+\]", done.output) == []
    assert re.findall(r"Tasks done +↑\? ([01]\.\d+)", done.output) == ["1.000"]
    lines = (Path("out") / "records.jsonl").read_text("utf-8").splitlines()
    return {r["trial"].partition("/")[2]: r for r in map(json.loads, lines)}


def _calls(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (e for e in record["events"] if e["type"] == "call")


def test_the_working_of_the_page_is_that_of_the_shop(records: dict[str, Any]) -> None:
    (call,) = _calls(records["0"])
    said = [f"{w['what']} {w['target']} {w['amount']} {w['note']}" for w in call["result"]["working"]]
    assert [s.split() for s in said] == [line.split() for line in blocks("shops.md", "text")[0].splitlines()]
    assert call["result"]["total"] == 56 - 5.6 - 5 == 45.4 < 56 - 10
    assert "45.40" in page("shops.md")


def test_a_rental_of_the_page_is_paid_and_told(records: dict[str, Any]) -> None:
    (call,) = _calls(records["1"])
    assert call["result"]["rental_id"] == "R2"
    assert {(record, key) for record, key, _ in call["records"]} == {("person", "P2"), ("rental", "R2")}


def test_what_comes_back_changes_lists_maps_and_fields(records: dict[str, Any]) -> None:
    (call,) = _calls(records["2"])
    made = {key: data for _, key, data in call["records"]}
    assert made["P1"]["notes"] == ["damaged: T2"]
    assert made["P1"]["phones"] == {"home": "555-0101", "work": "555-0199"}
    assert (made["R1"]["status"], made["R1"]["damage"]) == ("back", "the fence")


def test_the_page_names_every_key_of_a_promotion() -> None:
    known = schema("common")["definitions"]["promotions"]["additionalProperties"]["properties"]
    assert {row[0].strip("`") for row in rows("shops.md", "Prices")} >= set(known)
