"""The command line as people and scripts use it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from shopdsl.cli import VERBS, cli
from shopdsl.compiler.shape import AUXILIARY, kinds, schema
from tests.conftest import CORNER, Shop

BROKEN = """\
kind: metric
name: first
group: outcome
better: higher
value: final.crt == target
---
kind: metric
name: second
group: outcome
betterr: higher
better: higher
value: end.reason == "frustated"
"""


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    (tmp_path / "broken.yaml").write_text(BROKEN, "utf-8")
    return tmp_path / "broken.yaml"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(verb: str) -> None:
    done = CliRunner().invoke(cli, [verb, "--help"])
    assert done.exit_code == 0
    assert f"Example: shopdsl {verb}" in done.output


def test_all_findings_are_reported_in_one_run(shop: Shop, broken: Path) -> None:
    done = shop("check", broken, "--format", "json")
    rows = json.loads(done.stdout)
    assert done.returncode == 1
    assert [r["code"] for r in rows] == ["E0303", "E0201", "E0310"]
    assert [(r["line"], r["column"], r["end_column"]) for r in rows] == [(5, 14, 17), (10, 1, 8), (12, 22, 33)]
    assert set(rows[0]) == {"code", "severity", "file", "line", "column", "end_line", "end_column", "message", "help"}
    assert "did you mean `cart`?" in rows[0]["help"]


def test_findings_for_github_and_as_sarif(shop: Shop, broken: Path) -> None:
    github = shop("check", "broken.yaml", "--format", "github").stdout.splitlines()
    assert len(github) == 3
    assert github[0].startswith("::error file=broken.yaml,line=5,col=14,endLine=5,endColumn=17,title=E0303::")
    sarif = json.loads(shop("check", broken, "--format", "sarif").stdout)
    assert sarif["version"] == "2.1.0"
    result = sarif["runs"][0]["results"][1]
    assert (result["ruleId"], result["level"]) == ("E0201", "error")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 10


def test_a_second_check_says_the_same_from_its_cache(shop: Shop, broken: Path, tmp_path: Path) -> None:
    env = {"SHOPDSL_CACHE": str(tmp_path / "kept")}
    first, second = (shop("check", broken, env=env) for _ in range(2))
    assert first.stdout == second.stdout != ""
    broken.write_text(BROKEN.replace("crt", "cart").replace("betterr", "title").replace("frustated", "frustrated"), "utf-8")
    assert shop("check", broken, env=env).stdout.count("error") == 0


def test_a_file_of_a_package_shows_only_its_own_findings(shop: Shop, corner: Path) -> None:
    (corner / "one.yaml").write_text(BROKEN.partition("---")[0], "utf-8")
    (corner / "two.yaml").write_text("kind: metric\nname: other\ngroup: x\nbetter: higher\nvalue: nothing\n", "utf-8")
    rows = json.loads(shop("check", corner / "one.yaml", "--format", "json").stdout)
    assert {r["file"] for r in rows if r["severity"] == "error"} == {"one.yaml"}
    assert len({r["file"] for r in json.loads(shop("check", "--format", "json", cwd=corner).stdout)}) == 2


def test_strict_fails_on_warnings(shop: Shop, corner: Path) -> None:
    (corner / "more.yaml").write_text(
        "kind: metric\nname: lonely\ngroup: alone\nbetter: higher\nvalue: len(turns) > 1\n", "utf-8"
    )
    assert shop("check", cwd=corner).returncode == 0
    assert shop("check", "--strict", cwd=corner).returncode == 1


def test_the_standard_package_has_no_findings(shop: Shop) -> None:
    done = shop("check", "--strict")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("kind", [*kinds(), *AUXILIARY])
def test_schemas_are_schemas(kind: str) -> None:
    from jsonschema import Draft7Validator

    Draft7Validator.check_schema(schema(kind))
    done = CliRunner().invoke(cli, ["schema", kind])
    assert json.loads(done.output) == schema(kind)


def test_show_merges_and_explains(shop: Shop, plan: Path) -> None:
    shown = shop("show", "daily", "--kind", "cohort", "--package", CORNER).stdout
    assert "trials: 20" in shown
    assert "1 + mod(trial, 10)" in shown
    trial = shop("show", plan, "daily/3").stdout
    assert "turn_budget: " in trial
    assert "std/cohorts/shopping.yaml:" in trial
    assert "itinerary" in trial
    assert json.loads(shop("show", plan, "daily/3", "--format", "json").stdout)["trial"] == "daily/3"
    assert "did you mean `daily`?" in shop("show", "dayly", "--package", CORNER).stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["chekc"], "Did you mean 'check'?"),
        (["explain", "E9999"], "there is no diagnostic"),
        (["schema", "metrik"], "did you mean `metric`?"),
        (["compile", "papr"], "did you mean `paper`?"),
        (["run"], "there is no plan in build/"),
        (["score", "nowhere"], "holds no run"),
        (["check", "--package", "nowhere"], "is not a package"),
        (["run", "--resume", "nowhere"], "holds no run"),
    ],
)
def test_mistakes_on_the_command_line_get_one_clear_line(shop: Shop, args: list[str], words: str) -> None:
    done = shop(*args)
    assert done.returncode in (1, 2)
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_output_into_a_closed_pipe_is_no_mistake(tmp_path: Path) -> None:
    import subprocess

    done = subprocess.run(
        f"{sys.executable} -m shopdsl.cli explain | head -1",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("E0101")
    assert "Traceback" not in done.stderr
    assert "mistake" not in done.stderr


def test_json_of_compile(shop: Shop, tmp_path: Path) -> None:
    done = json.loads(shop("compile", "--package", CORNER, "-o", tmp_path / "p.jsonl", "--format", "json").stdout)
    assert done["trials"] == {"daily": 20}
    assert done["file"] == str(tmp_path / "p.jsonl")
    assert len(done["plan"]) == 64
    assert (tmp_path / "p.map.json").exists()


def test_null_takes_a_key_out_of_what_is_extended(shop: Shop, corner: Path) -> None:
    path = corner / "shop.yaml"
    draws = (
        "draw: {breadth: null, categories: null, wanted: null, basket: 'sample(p for p in store.products if p.in_stock, k=2)'}"
    )
    path.write_text(path.read_text("utf-8").replace("trials: 20", f"trials: 20\n{draws}"), "utf-8")
    assert shop("compile", cwd=corner).returncode == 0
    shown = shop("show", "daily", "--kind", "cohort", cwd=corner).stdout
    assert "basket: sample" in shown.replace("'", "").replace('"', "")
    assert "wanted" not in shown
    trial = json.loads(shop("show", "build/daily.plan.jsonl", "daily/0", "--format", "json", cwd=corner).stdout)
    assert sorted(trial["drawn"]) == ["basket", "difficulty", "tier"]


def test_show_of_a_run_prints_the_conversation_and_its_metrics(shop: Shop, tmp_path: Path, plan: Path) -> None:
    assert shop("run", plan, "--agent", "oracle", "-o", "run", "--limit", "3").returncode == 0
    shown = shop("show", "run", "daily/2").stdout
    assert shown.startswith("trial daily/2: purchase_complete\ncustomer  ")
    assert '    > checkout {"confirm": true}' in shown
    assert "bought                       1.000" in shown
    assert "no record of the trial daily/9" in shop("show", "run", "daily/9").stderr


@pytest.mark.parametrize(
    ("value", "near"),
    [
        ('any(b.kind == "ad" for b in beats)', "add"),
        ('any(c.role == "serch" for c in calls)', "search"),
        ('any(c.class == "retrival" for c in calls)', "retrieval"),
        ('any(c.tool in {"chekout"} for c in calls)', "checkout"),
        ('reveal == "bach"', "batch"),
        ('tier == "complexx"', "complex"),
    ],
)
def test_texts_of_a_closed_list_are_checked(shop: Shop, tmp_path: Path, value: str, near: str) -> None:
    metric = f"kind: metric\nname: m\ngroup: outcome\nbetter: higher\nfor: [general]\nvalue: '{value}'\n"
    (tmp_path / "m.yaml").write_text(metric, "utf-8")
    done = shop("check", "m.yaml")
    assert "E0310" in done.stdout
    assert f"did you mean `{near}`?" in done.stdout
