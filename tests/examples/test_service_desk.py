"""The service desk: small cases of all classes, a page whose commands work, and agents that differ class by class as it says."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from ruamel.yaml import YAML

from shopdsl.cli import cli
from tests.conftest import ROOT

DESK = ROOT / "examples" / "service_desk"
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CLASSES = [
    "intent_clarification", "product_retrieval", "tool_orchestration", "dialogue_state", "price_calculation", "safety_compliance",
]  # fmt: skip
AGENTS = ["oracle", "silent", "from_memory", "promises_all", "wrong_sums", "stubborn"]
Cohorts = dict[str, Any]


def _texts() -> list[str]:
    """The text of every case, as it stands in its file."""
    return [text for path in sorted((DESK / "cases").glob("*.yaml")) for text in path.read_text("utf-8").split("\n---\n")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package in which nothing was played yet."""
    copy = tmp_path_factory.mktemp("desk") / "service_desk"
    return Path(shutil.copytree(DESK, copy, ignore=shutil.ignore_patterns("build", "runs")))


@pytest.fixture(scope="module")
def played(folder: Path) -> dict[str, dict[str, Cohorts]]:
    """The commands of the page, one after the other; the scores by run folder and agent."""
    for block in SHELL.findall((DESK / "README.md").read_text("utf-8")):
        for line in block.splitlines():
            _run(folder, *shlex.split(line)[1:])
    names = {run: sorted(p.name for p in (folder / "runs" / run).iterdir()) for run in ("regression", "challenge")}
    return {run: {agent: _scores(folder, f"runs/{run}/{agent}") for agent in agents} for run, agents in names.items()}


def _run(folder: Path, *args: str) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = CliRunner().invoke(cli, list(args))
    assert done.exit_code == 0, f"{args}\n{done.output}"
    return done.stdout


def _scores(folder: Path, run: str) -> Cohorts:
    cohorts: Cohorts = json.loads(_run(folder, "score", run, "--format", "json"))["cohorts"]
    return cohorts


def _by_class(cohorts: Cohorts) -> dict[str, tuple[int, int]]:
    """How many tasks of each class were done, and how many there are, in all cohorts."""
    done, cases = Counter[str](), Counter[str]()
    for cohort in cohorts.values():
        for name, found in cohort["tasks"]["by_category"].items():
            cases[name] += found["cases"]
            done[name] += round(found["success_rate"] * found["cases"])
    return {name: (done[name], cases[name]) for name in CLASSES}


def _passes(cohorts: Cohorts) -> bool:
    return all(gate["passed"] for cohort in cohorts.values() for gate in cohort["gates"])


def test_every_class_has_five_cases_and_more_in_both_languages_and_each_is_short() -> None:
    cases = [YAML(typ="safe", pure=True).load(text) for text in _texts()]
    assert all(len(text.strip("\n").splitlines()) <= 25 for text in _texts())
    assert len({case["name"] for case in cases}) == len(cases) == 42
    kinds = Counter((case["category"], case["tags"][0]) for case in cases)
    assert all(kinds[name, "zh"] + kinds[name, "en"] >= 5 and min(kinds[name, "zh"], kinds[name, "en"]) >= 3 for name in CLASSES)
    assert {case["level"] for case in cases} == {"basic", "medium", "challenge"}
    assert all((case["level"] == "challenge") == (case.get("split") == "challenge") for case in cases)
    assert all(case["doc"] and case["provenance"] for case in cases)
    assert not list(DESK.rglob("*.py"))


def test_the_two_sets_hold_every_case_once_and_share_none(played: dict[str, dict[str, Cohorts]]) -> None:
    counts = {run: sum(c["tasks"]["total_cases"] for c in agents["oracle"].values()) for run, agents in played.items()}
    assert counts == {"regression": 30, "challenge": 12}
    for run, agents in played.items():
        assert all(set(cohort["tasks"]["by_split"]) == {run} for cohort in agents["oracle"].values())


def test_the_oracle_does_all_and_silence_nothing(played: dict[str, dict[str, Cohorts]]) -> None:
    for agents in played.values():
        assert all(cohort["score"] == 1 for cohort in agents["oracle"].values())
        assert all(done == cases for done, cases in _by_class(agents["oracle"]).values())
        assert all(done == 0 for done, _ in _by_class(agents["silent"]).values())
        assert _passes(agents["oracle"])
        assert not _passes(agents["silent"])


ALWAYS = {
    "from_memory": ["intent_clarification"],
    "promises_all": ["intent_clarification", "product_retrieval", "dialogue_state", "price_calculation"],
    "wrong_sums": ["intent_clarification", "safety_compliance"],
    "stubborn": ["product_retrieval", "price_calculation", "safety_compliance"],
}
"""The classes that the habit of an agent does not touch."""
NEVER = {
    "from_memory": ["product_retrieval", "tool_orchestration", "price_calculation"],
    "promises_all": ["safety_compliance"],
    "wrong_sums": ["price_calculation"],
    "stubborn": [],
}
"""The classes in which the habit spoils every task."""


@pytest.mark.parametrize("agent", AGENTS[2:])
def test_a_habit_shows_in_its_classes_and_in_no_other(played: dict[str, dict[str, Cohorts]], agent: str) -> None:
    found = _by_class(played["regression"][agent])
    assert {name: found[name][0] for name in NEVER[agent]} == dict.fromkeys(NEVER[agent], 0)
    assert {name: found[name][0] for name in ALWAYS[agent]} == {name: found[name][1] for name in ALWAYS[agent]}
    assert _passes(played["regression"][agent]) == (agent in ("wrong_sums", "stubborn"))


def test_calls_answers_and_state_tell_the_habits_apart(played: dict[str, dict[str, Cohorts]]) -> None:
    tasks = {agent: [c["tasks"] for c in cohorts.values()] for agent, cohorts in played["regression"].items()}
    assert all(t["tool_call_accuracy"] == 1 and t["answer_accuracy"] < 1 for t in tasks["wrong_sums"])
    assert all(t["answer_accuracy"] == 1 and t["state_accuracy"] < 1 for t in tasks["stubborn"])
    assert all(t["state_accuracy"] == 1 and t["tool_call_accuracy"] < 0.5 for t in tasks["from_memory"])
    assert sum(t["dangerous_operations"] for t in tasks["promises_all"]) == 1
    assert all(t["dangerous_operations"] == 0 for agent in AGENTS if agent != "promises_all" for t in tasks[agent])


def test_the_table_of_the_page_is_what_was_played(played: dict[str, dict[str, Cohorts]]) -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d.*) \|$", (DESK / "README.md").read_text("utf-8"), re.MULTILINE)
    assert [name for name, _ in rows] == AGENTS
    for agent, row in rows:
        found = [f"{done} of {cases}" for done, cases in _by_class(played["regression"][agent]).values()]
        assert row.split(" | ") == [*found, "passed" if _passes(played["regression"][agent]) else "blocked"]
