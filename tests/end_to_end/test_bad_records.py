"""Records that cannot be used are named on stderr, count as lost and widen the bounds; the rest is scored as if they had not been played."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from shopdsl.cli import cli
from tests.errors.test_errors import _standard_package_is_read_once  # noqa: F401  # one read of `std` for all scorings

PLAYED = 6
Record = dict[str, Any]
Edit = Callable[[list[Record]], list[Any]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, plan: Path) -> Path:
    """A run of the first trials."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert invoke("run", plan, "-o", folder, "--limit", PLAYED).exit_code == 0
    return folder


def invoke(*arguments: Any) -> Result:
    """The command line in this process; whatever happens, nobody sees a traceback."""
    result = CliRunner().invoke(cli, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.stderr
    return result


def edited(whole: Path, folder: Path, edit: Edit) -> Path:
    """A copy of the run whose records were edited; what an edit gives as text is a line as it stands."""
    shutil.copytree(whole, folder)
    path = folder / "records.jsonl"
    found = edit([json.loads(line) for line in path.read_text("utf-8").split("\n") if line])
    lines = (r if isinstance(r, str) else json.dumps(r) for r in found)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return folder


def score(folder: Path) -> tuple[dict[str, Any], str]:
    """What `score --format json` says of the only cohort, and what stands on stderr. The exit code is that of success."""
    done = invoke("score", folder, "--format", "json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)["cohorts"]["daily"], done.stderr


def setting(at: int, *path: Any, to: Any) -> Edit:
    """An edit of one value in one record; `...` takes the key out."""

    def edit(records: list[Record]) -> list[Any]:
        place: Any = records[at]
        for key in path[:-1]:
            place = place[key]
        if to is ...:
            del place[path[-1]]
        else:
            place[path[-1]] = to
        return records

    return edit


def with_cart(units: Any) -> Edit:
    """An edit of how many units the first cart holds."""

    def edit(records: list[Record]) -> list[Any]:
        cart = next(e["cart"] for e in records[0]["events"] if e.get("cart"))
        cart[next(iter(cart))] = units
        return records

    return edit


CANNOT_BE_READ = ["daily/0 cannot be read", "edited, damaged, or written by a newer shopdsl"]
NOT_A_RECORD = ["records.jsonl:1: this line is not a record"]
BAD: dict[str, tuple[Edit, list[str]]] = {
    "a line that is no JSON": (lambda records: ["{broken", *records[1:]], NOT_A_RECORD),
    "a line that is another value": (lambda records: ["[]", *records[1:]], NOT_A_RECORD),
    "no task": (setting(0, "task", to=...), NOT_A_RECORD),
    "events of a wrong type": (setting(0, "events", to={}), NOT_A_RECORD),
    "an end without a reason": (setting(0, "end", to={}), NOT_A_RECORD),
    "another task": (setting(0, "task", to="0" * 24), ["daily/0 belongs to another plan"]),
    "another cohort": (setting(0, "cohort", to="weekly"), ["daily/0 belongs to another plan"]),
    "a trial that the plan does not have": (setting(0, "trial", to="daily/900"), ["daily/900 belongs to another plan"]),
    "an event of an unknown kind": (setting(0, "events", 0, "type", to="dance"), [*CANNOT_BE_READ, "dance"]),
    "an event without its kind": (setting(0, "events", 0, "type", to=...), NOT_A_RECORD),
    "an event that is no mapping": (setting(0, "events", 0, to="hello"), NOT_A_RECORD),
    "an item that the trial does not have": (setting(0, "events", 0, "asked", to=[99]), CANNOT_BE_READ),
    "a text that is a number": (setting(0, "events", 0, "text", to=7), NOT_A_RECORD),
    "frustration that is a text": (setting(0, "events", 0, "frustration", to="high"), NOT_A_RECORD),
    "results that are no list": (setting(0, "events", 1, "finds", to="P0001"), NOT_A_RECORD),
    "a cart of many units of nothing": (with_cart(float("inf")), CANNOT_BE_READ),
    "a cart of texts": (with_cart("many"), CANNOT_BE_READ),
    "directives that are no list": (setting(0, "events", 0, "directives", to=3), NOT_A_RECORD),
    "a ceiling that is no list": (setting(0, "ceiling", to=3), CANNOT_BE_READ),
    "ranks that are texts": (setting(0, "ceiling", to=["first"]), CANNOT_BE_READ),
    "a repeat that was not to be played": (setting(0, "repeat", to=7), ["daily/0", "not one of this run"]),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_record_is_named_and_the_rest_is_scored(whole: Path, tmp_path: Path, name: str) -> None:
    edit, words = BAD[name]
    found, said = score(edited(whole, tmp_path / "run", edit))
    rest, _ = score(edited(whole, tmp_path / "rest", lambda records: records[1:]))
    problems = [line for line in said.splitlines() if "could not be told" not in line]
    assert len(problems) == 1
    assert problems[0].startswith("warning: ")
    assert [w for w in words if w not in problems[0]] == []
    assert found == rest
    assert found["lost"] == 1


def test_the_bounds_are_those_of_the_lost_trials_at_their_worst_and_best(whole: Path, tmp_path: Path) -> None:
    all_of_them, _ = score(whole)
    found, _ = score(edited(whole, tmp_path / "run", lambda records: ["{}", "{}", *records[2:]]))
    assert (all_of_them["lost"], found["lost"]) == (0, 2)
    before, after = all_of_them["metrics"]["bought"], found["metrics"]["bought"]
    assert before["least"] == before["value"] == before["most"]
    known = after["value"] * (PLAYED - 2)
    assert after["n"] == PLAYED - 2
    assert (after["least"], after["most"]) == (pytest.approx(known / PLAYED), pytest.approx((known + 2) / PLAYED))
    assert after["least"] <= before["value"] <= after["most"]


def test_a_record_that_stands_twice_counts_once(whole: Path, tmp_path: Path) -> None:
    found, said = score(edited(whole, tmp_path / "run", lambda records: [*records, records[0]]))
    assert "two records of trial daily/0; the second is left out" in said
    assert found == score(whole)[0]


def test_a_trial_that_was_not_to_be_played_does_not_count(whole: Path, tmp_path: Path, plan: Path) -> None:
    """It stands in the plan, and the run was limited to others."""
    assert invoke("run", plan, "-o", tmp_path / "other", "--trial", f"daily/{PLAYED}").exit_code == 0
    other = json.loads((tmp_path / "other" / "records.jsonl").read_text("utf-8"))
    found, said = score(edited(whole, tmp_path / "run", lambda records: [*records, other]))
    assert f"daily/{PLAYED}" in said
    assert "not one of this run" in said
    assert found == score(whole)[0]


def test_a_cut_last_line_is_a_trial_that_is_lost(whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "run"))
    path = folder / "records.jsonl"
    path.write_bytes(path.read_bytes()[:-100])
    assert score(folder)[0]["lost"] == 1


def test_of_many_bad_records_ten_are_named_and_the_others_counted(whole: Path, tmp_path: Path) -> None:
    _, said = score(edited(whole, tmp_path / "run", lambda records: [*records, *["{}"] * 25]))
    assert said.count("this line is not a record") == 10
    assert "and 15 more records that cannot be used" in said


def test_without_any_record_nothing_has_a_value_and_everything_is_lost(whole: Path, tmp_path: Path) -> None:
    found, _ = score(edited(whole, tmp_path / "run", lambda records: []))
    assert found["lost"] == PLAYED
    assert {m["value"] for m in found["metrics"].values()} == {None}


def test_the_report_names_what_it_passes_over(whole: Path, tmp_path: Path) -> None:
    folder = edited(whole, tmp_path / "run", BAD["an event of an unknown kind"][0])
    done = invoke("report", folder)
    assert done.exit_code == 0
    assert "daily/0 cannot be read" in done.stderr
    assert "1 trials are lost" in done.stdout


def test_a_damaged_line_is_not_gone_on_with(whole: Path, tmp_path: Path) -> None:
    folder = edited(whole, tmp_path / "run", lambda records: ["{broken", *records[1:]])
    before = (folder / "records.jsonl").read_bytes()
    done = invoke("run", "--resume", folder)
    assert done.exit_code == 2
    assert "records.jsonl:1: this line is not a record" in done.stderr
    assert (folder / "records.jsonl").read_bytes() == before


@pytest.mark.parametrize("verb", [["score"], ["report"], ["run", "--resume"]])
def test_a_run_of_a_newer_version_is_refused(whole: Path, tmp_path: Path, verb: list[str]) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "run"))
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    (folder / "manifest.json").write_text(json.dumps(manifest | {"format": 2}), "utf-8")
    done = invoke(*verb, folder)
    assert done.exit_code == 2
    assert "has records of format 2, and this shopdsl reads 1" in done.stderr


@pytest.mark.parametrize("verb", [["score"], ["report"], ["run", "--resume"]])
def test_a_folder_without_a_run_is_named(tmp_path: Path, verb: list[str]) -> None:
    done = invoke(*verb, tmp_path)
    assert done.exit_code == 2
    assert f"{tmp_path} holds no run" in done.stderr


def test_a_folder_without_records_is_named(whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "run"))
    (folder / "records.jsonl").unlink()
    done = invoke("score", folder)
    assert done.exit_code == 2
    assert f"cannot read {folder / 'records.jsonl'}" in done.stderr


def test_the_records_of_another_plan_are_refused_with_their_plan(whole: Path, tmp_path: Path, plan: Path) -> None:
    """The plan beside the records is not the one that the manifest names."""
    folder = Path(shutil.copytree(whole, tmp_path / "run"))
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    (folder / "manifest.json").write_text(json.dumps(manifest | {"plan": "0" * 64}), "utf-8")
    done = invoke("score", folder)
    assert done.exit_code == 2
    assert "is not the one that was played" in done.stderr
