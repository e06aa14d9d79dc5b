"""Injected faults: the same for the same seed, as often as the spec says, a real wait; and addresses that no agent may reach."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.puppets import Scripts, Stage, calls, records, run, stage

SHOP = """\
kind: toolset
name: desk
penalties: {{write: {{unnecessary: 1, missing: 1, wrong: 1}}, lookup: {{unnecessary: .1, missing: .1, wrong: .1}}}}
records: {{box: {{key: box_id, table: boxes, fields: {{box_id: text, count: int}}}}}}
tools:
  look: {{class: lookup, role: look, doc: Look., params: {{id: {{ref: box, as: box}}}}, result: box.count}}
  take: {{class: write, role: take, doc: Take., params: {{id: {{ref: box, as: box}}}}, effect: box.count -= 1, result: box.count}}
---
kind: store
name: desk
toolset: desk
currency: USD
products: {{thing: {{id: T1, title: A thing, category: things, price: $1.00}}}}
records: {{box: {{b1: {{count: 10}}}}}}
{faults}
---
kind: cohort
name: cases
extends: business
store: desk
cases: {{split: regression}}
---
kind: suite
name: cases
seed: {seed}
cohorts: [cases]
rubrics: {{cases: business}}
"""
CASE = """\
kind: case
name: {name}
utterances: [{name}]
{faults}
forbid: [{{name: never, text: 'contains(message.text, "zzzz")'}}]
"""
DOWN = "The service is not available. Try again later."
LOOK: list[Any] = ["look", {"id": "b1"}]
TAKE: list[Any] = ["take", {"id": "b1"}]


def shop(folder: Path, name: str, cases: dict[str, tuple[str, list[Any]]], faults: str = "", seed: int = 3) -> Stage:
    """A compiled package: by case its faults and the calls that are made in it."""
    scripts: Scripts = {case: [[made]] for case, (_, made) in cases.items()}
    specs = [SHOP.format(faults=faults, seed=seed), *(CASE.format(name=n, faults=f) for n, (f, _) in cases.items())]
    made = stage(folder, name, "---\n".join(specs), scripts)
    done = made.compile()
    assert done.exit_code == 0, done.output
    return made


def errors(made: Stage, folder: Path) -> dict[str, list[str | None]]:
    """What each call of a case that was played met."""
    found = records(folder)
    return {case: [e["error"] for e in calls(found[trial])] for case, trial in made.trials().items() if trial in found}


CASES: dict[str, tuple[str, list[Any]]] = {
    "always": ("faults: [{tool: look}]", [LOOK, TAKE, LOOK]),
    "once": ("faults: [{tool: take, times: 1, error: Busy.}]", [TAKE, TAKE, TAKE, LOOK]),
    "twice": ("faults: [{tool: take, times: 2, error: Busy.}]", [TAKE, LOOK, TAKE, TAKE]),
    "any_tool": ("faults: [{times: 2}]", [LOOK, TAKE, LOOK]),
    "one_after_the_other": (
        "faults: [{tool: look, times: 1, error: First.}, {tool: look, times: 1, error: Second.}]",
        [LOOK, LOOK, LOOK],
    ),
    "none": ("", [LOOK, TAKE]),
    "by_no_chance": ("faults: [{chance: 0}]", [LOOK] * 30),
    "by_every_chance": ("faults: [{chance: 100%, error: Busy.}]", [LOOK] * 30),
    "unknown_tool": ("faults: [{tool: look, times: 1}]", [["nosuch", {}], LOOK, LOOK]),
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return shop(tmp_path_factory.mktemp("faults") / "desk", "faulty", CASES)


@pytest.fixture(scope="module")
def played(desk: Stage) -> Path:
    return desk.play()


def test_calls_meet_the_faults_of_their_case(desk: Stage, played: Path) -> None:
    found = errors(desk, played)
    assert found.pop("unknown_tool")[1:] == [DOWN, None]
    assert found == {
        "always": [DOWN, None, DOWN], "once": ["Busy.", None, None, None], "twice": ["Busy.", None, "Busy.", None],
            "any_tool": [DOWN, DOWN, None],
        "one_after_the_other": ["First.", "Second.", None], "none": [None, None],
        "by_no_chance": [None] * 30, "by_every_chance": ["Busy."] * 30,
    }  # fmt: skip


def test_a_call_that_meets_a_fault_changes_nothing(desk: Stage, played: Path) -> None:
    """Ten, less one for each call that worked."""
    once = calls(records(played)[desk.trials()["once"]])
    assert [e["result"] for e in once] == [None, 9, 8, 8]
    assert ["records" in e for e in once] == [False, True, True, False]
    assert [e.get("fault", False) for e in once] == [True, False, False, False]


def test_recovery_is_a_call_of_the_same_tool_that_worked_later(desk: Stage, played: Path) -> None:
    """By case: refused calls after which the tool worked, of all refused calls; the mean over the cases with one."""
    done = run("score", played, "--format", "json", "--package", desk.folder)
    metric = json.loads(done.stdout)["cohorts"]["cases"]["metrics"]["tool_error_recovery"]
    expected = {
        "always": 0 / 2,
        "once": 1 / 1,
        "twice": 2 / 2,
        "any_tool": 1 / 2,
        "one_after_the_other": 2 / 2,
        "unknown_tool": 1 / 2,
        "by_every_chance": 0,
    }
    assert metric["n"] == len(expected)
    assert metric["value"] == pytest.approx(sum(expected.values()) / len(expected))


def test_a_conversation_shows_a_fault_as_a_refusal(desk: Stage, played: Path) -> None:
    done = run("show", played, desk.trials()["once"], "--package", desk.folder)
    assert "-> refused: Busy." in done.output


CHANCES = {f"c{n}": ("", [LOOK] * 20) for n in range(10)}


@pytest.fixture(scope="module")
def chancy(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return shop(tmp_path_factory.mktemp("chancy") / "a", "chancy", CHANCES, "faults: [{chance: 30%, error: Busy.}]")


@pytest.fixture(scope="module")
def drawn(chancy: Stage) -> dict[str, list[str | None]]:
    return errors(chancy, chancy.play())


def test_the_same_seed_gives_the_same_faults(chancy: Stage, drawn: dict[str, list[str | None]], tmp_path: Path) -> None:
    assert errors(chancy, chancy.play("agent_0", "--concurrency", "1", name="again")) == drawn
    again = shop(tmp_path, "chancy", CHANCES, "faults: [{chance: 30%, error: Busy.}]")
    assert errors(again, again.play()) == drawn


def test_another_seed_gives_other_faults(drawn: dict[str, list[str | None]], tmp_path: Path) -> None:
    other = shop(tmp_path, "chancy", CHANCES, "faults: [{chance: 30%, error: Busy.}]", seed=4)
    assert errors(other, other.play()) != drawn


def test_faults_of_another_tool_change_nothing(drawn: dict[str, list[str | None]], tmp_path: Path) -> None:
    """A rule more, before the others, draws from a stream of its own."""
    more = shop(tmp_path, "chancy", CHANCES, "faults: [{tool: take, chance: 50%, error: Closed.}, {chance: 30%, error: Busy.}]")
    assert errors(more, more.play()) == drawn


def test_a_chance_is_a_share_of_calls_and_trials_differ(drawn: dict[str, list[str | None]]) -> None:
    """200 calls at 30 percent: the mean is 60 and the standard deviation 6.5, so that 30 to 95 is within 4.6 of them."""
    failed = Counter(e for made in drawn.values() for e in made)
    assert failed[None] + failed["Busy."] == 200
    assert 30 <= failed["Busy."] <= 95
    assert len({tuple(made) for made in drawn.values()}) == 10


def test_repeats_of_a_trial_meet_the_same_faults(chancy: Stage, drawn: dict[str, list[str | None]]) -> None:
    folder = chancy.play("agent_0", "--repeat", "2", name="repeats")
    lines = [json.loads(line) for line in (folder / "records.jsonl").read_text("utf-8").splitlines()]
    cases = {trial: case for case, trial in chancy.trials().items()}
    assert len(lines) == 20
    assert all([e["error"] for e in calls(r)] == drawn[cases[r["trial"]]] for r in lines)


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """Twenty trials that wait twice for 0.3 seconds, and one whose wait ends in an error."""
    slow = ("faults: [{tool: look, wait: 0.3, times: 2}]", [LOOK, LOOK, LOOK, TAKE])
    late = ("faults: [{tool: look, wait: 0.3, times: 1, error: Timed out.}]", [LOOK, LOOK])
    return shop(tmp_path_factory.mktemp("waiting") / "w", "waiting", {f"w{n}": slow for n in range(20)} | {"late": late})


def timed(made: Stage, *options: str) -> tuple[float, dict[str, list[str | None]]]:
    """The seconds of a run, and what its calls met."""
    started = time.monotonic()
    folder = made.play("agent_0", *options, name="_".join(options).replace("/", "_"))
    return time.monotonic() - started, errors(made, folder)


def test_a_wait_takes_its_time_and_the_call_works(waiting: Stage) -> None:
    took, found = timed(waiting, "--trial", waiting.trials()["w3"])
    assert took >= 0.6
    assert found["w3"] == [None] * 4


def test_waits_of_trials_that_run_side_by_side_do_not_add_up(waiting: Stage) -> None:
    """In a row they would be twelve seconds."""
    took, found = timed(waiting, "--concurrency", "21")
    assert 0.6 <= took < 8
    assert found.pop("late") == ["Timed out.", None]
    assert list(found.values()) == [[None] * 4] * 20


def test_a_case_comes_before_its_store(tmp_path: Path) -> None:
    made = shop(tmp_path, "order", {"own": ("faults: [{tool: look, times: 1, error: Mine.}]", [LOOK] * 3), "plain": ("",
        [LOOK] * 3)},
                "faults: [{tool: look, times: 1, error: Theirs.}]")  # fmt: skip
    assert errors(made, made.play()) == {"own": ["Mine.", "Theirs.", None], "plain": ["Theirs.", None, None]}


FLAWED = {
    "store": {"{tool: lok}": "the store has no tool `lok`", "{chance: 130%}": "130%", "{wait: 61}": "61"},
    "case": {"{tool: tke}": "the store has no tool `tke`", "{times: 0}": "0", "{tool: look, tmes: 1}": "tmes"},
}


@pytest.mark.parametrize("where", FLAWED)
def test_faults_that_cannot_be_are_found_at_their_place(tmp_path: Path, where: str) -> None:
    faults = "faults:\n" + "".join(f"  - {f}\n" for f in FLAWED[where])
    store, case = (faults, "") if where == "store" else ("", faults)
    made = stage(tmp_path, "flawed", "---\n".join([SHOP.format(faults=store, seed=1), CASE.format(name="a", faults=case)]), {})
    done = run("check", "--package", made.folder, "--format", "json")
    lines = (tmp_path / "specs.yaml").read_text("utf-8").splitlines()
    found = {lines[f["line"] - 1].strip(" -"): f["message"] for f in json.loads(done.stdout) if f["severity"] == "error"}
    assert set(found) == set(FLAWED[where])
    assert all(words in found[fault] for fault, words in FLAWED[where].items())


HOSTS = {
    "http://127.0.0.1:8080/turn": True, "http://127.8.9.1/": True, "http://localhost:1/": True, "http://[::1]:8080/": True,
        "http://shop.localhost/": True,
    "http://LOCALHOST/": True, "http://staging.example/": True, "http://STAGING.example:8443/x": True,
        "https://shop.example/": False, "http://10.0.0.5/": False,
    "http://0.0.0.0:80/": False, "http://localhost.example/": False, "http://127.0.0.1.example/": False,
        "http://127.0.0.1@shop.example/": False,
    "http://user:127.0.0.1@shop.example/": False, "http://shop.example#127.0.0.1": False, "http://shop.example?127.0.0.1": False,
        "http://2130706433/": False,
    "http://[::ffff:10.0.0.1]/": False, "http://169.254.169.254/": False, "http://other.staging.example/": False,
}  # fmt: skip


def test_only_this_machine_and_declared_sandboxes_may_be_reached(tmp_path: Path) -> None:
    made = stage(tmp_path, "hosts", SHOP.format(faults="", seed=1) + "---\n" + CASE.format(name="a", faults=""), {})
    with (tmp_path / "shopdsl.yaml").open("a", encoding="utf-8") as file:
        file.write("sandbox: [staging.example]\n")
    specs = "---\n".join(f'kind: agent\nname: a{n}\nhttp: "{host}"\n' for n, host in enumerate(HOSTS))
    (tmp_path / "remote.yaml").write_text(specs, "utf-8")
    done = run("check", "--package", made.folder, "--format", "json")
    lines = specs.splitlines()
    refused = {lines[f["line"] - 1].partition(": ")[2].strip('"') for f in json.loads(done.stdout) if f["file"] == "remote.yaml"}
    assert refused == {host for host, allowed in HOSTS.items() if not allowed}


def test_a_host_that_nobody_declared_says_how_to_declare_it(tmp_path: Path) -> None:
    made = stage(tmp_path, "hosts", SHOP.format(faults="", seed=1) + "---\n" + CASE.format(name="a", faults=""), {})
    (tmp_path / "remote.yaml").write_text("kind: agent\nname: far\nhttp: https://shop.example/turn\n", "utf-8")
    done = run("check", "--package", made.folder, "--format", "json")
    (found,) = [f for f in json.loads(done.stdout) if f["severity"] == "error"]
    assert (found["code"], found["file"], found["line"]) == ("E1012", "remote.yaml", 3)
    assert "sandbox: [shop.example]" in found["help"]


def test_an_agent_that_may_not_be_reached_is_not_run(tmp_path: Path) -> None:
    """Nor is one in a file that is named on the command line: nothing is sent to a host that is no sandbox."""
    made = shop(tmp_path / "p", "refusing", {"a": ("", [LOOK])})
    (tmp_path / "far.yaml").write_text("kind: agent\nname: far\nhttp: http://shop.example:9/turn\n", "utf-8")
    done = run(
        "run", made.folder / "plan.jsonl", "--agent", tmp_path / "far.yaml", "-o", tmp_path / "run", "--package", made.folder
    )
    assert done.exit_code in (1, 2)
    assert "shop.example" in done.output
    assert not (tmp_path / "run" / "records.jsonl").exists()
