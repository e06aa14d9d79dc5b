"""`shopdsl import tau2`: the retail domain of tau2-bench as a package; SHOPDSL_TAU2_RETAIL names the folder with its data."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from shopdsl.cli import cli
from shopdsl.dsl.plan import open_plan
from shopdsl.runtime.world import World

VARIABLE = "SHOPDSL_TAU2_RETAIL"
COUNTED = {"calls": ("actions", "ACTION"), "answer": ("communicate_info", "COMMUNICATE")}
"""What a task lists, and the term of its reward that counts it."""


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(a) for a in args])


@dataclass(frozen=True)
class Domain:
    """The data as it is published, and the package that was made of it."""

    data: Path
    package: Path
    said: str

    @property
    def tasks(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads((self.data / "tasks.json").read_text("utf-8"))
        return found

    def lines(self, key: str) -> list[int]:
        """The line of a key that every task has once, by the task's place in the file."""
        text = (self.data / "tasks.json").read_text("utf-8").split("\n")
        return [n for n, line in enumerate(text, 1) if line.lstrip().startswith(f'"{key}":')]


@pytest.fixture(scope="module")
def retail(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    given = os.environ.get(VARIABLE)
    if not given:
        pytest.skip(f"{VARIABLE} does not name the folder with the retail domain of tau2-bench")
    package = tmp_path_factory.mktemp("tau2") / "retail"
    done = run("import", "tau2", given, "-o", package)
    assert done.exit_code == 0, (done.output, done.exception)
    return Domain(Path(given), package, done.output)


@pytest.fixture(scope="module")
def findings(retail: Domain) -> list[dict[str, Any]]:
    done = run("check", "--package", retail.package, "--format", "json")
    assert done.exit_code == 0, "there are warnings, and no errors"
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def places(findings: list[dict[str, Any]], code: str, message: str) -> list[int]:
    """The lines of the findings of a kind; all of them point into the author's own file."""
    chosen = [f for f in findings if f["code"] == code and re.fullmatch(message, f["message"])]
    assert {f["file"] for f in chosen} == {"data/tasks.json"}
    return sorted(f["line"] for f in chosen)


def test_all_tasks_and_records_are_there(retail: Domain) -> None:
    assert "114 cases and 1,550 records in" in retail.said
    for name in ("db.json", "tasks.json"):
        assert (retail.package / "data" / name).read_bytes() == (retail.data / name).read_bytes()
    assert len((retail.package / "cases.yaml").read_text("utf-8").split("kind: case\n")) == 114 + 1
    policy = (retail.data / "policy.md").read_text("utf-8")
    assert {line.strip() for line in policy.split("\n")} <= {
        line.strip() for line in (retail.package / "retail.yaml").read_text("utf-8").split("\n")
    }


@pytest.mark.parametrize(("part", "count", "words"), [("calls", 112, "calls?"), ("answer", 36, "parts? of the answer")])
def test_what_no_term_of_the_reward_counts_is_found(
    retail: Domain, findings: list[dict[str, Any]], part: str, count: int, words: str
) -> None:
    key, term = COUNTED[part]
    asked = [t["evaluation_criteria"] for t in retail.tasks]
    wanted = [line for line, a in zip(retail.lines(key), asked, strict=True) if a[key] and term not in a["reward_basis"]]
    assert len(wanted) == count
    assert places(findings, "W0907", rf"this case lists \d+ {words}, and nothing counts (it|them)") == wanted


def test_terms_of_a_reward_that_nothing_can_fail_are_found(retail: Domain, findings: list[dict[str, Any]]) -> None:
    asked = [t["evaluation_criteria"] for t in retail.tasks]
    wanted = [
        line
        for line, a in zip(retail.lines("nl_assertions"), asked, strict=True)
        if "NL_ASSERTION" in a["reward_basis"] and not a["nl_assertions"]
    ]
    assert len(wanted) == 72
    assert places(findings, "W0908", "success counts `assertions`, and the case expects nothing there") == wanted


def test_the_seven_references_that_lead_nowhere_are_found_at_the_argument(retail: Domain, findings: list[dict[str, Any]]) -> None:
    tables = json.loads((retail.data / "db.json").read_text("utf-8"))
    text = (retail.data / "tasks.json").read_text("utf-8").split("\n")
    known = {"order_id": tables["orders"], "user_id": tables["users"], "product_id": tables["products"]}
    named = [(n, re.fullmatch(r'\s*"(order_id|user_id|product_id)": "(.*?)",?', line)) for n, line in enumerate(text, 1)]
    wanted = [n for n, found in named if found and found[2] not in known[found[1]]]
    assert len(wanted) == 7
    assert (
        places(findings, "W0909", r"this call names the (order|product_type) `\S+`, and there is none: it will be refused")
        == wanted
    )


def test_nothing_else_is_found(findings: list[dict[str, Any]]) -> None:
    assert len(findings) == 112 + 36 + 72 + 7


def differences(is_: Any, should: Any, path: str = "") -> list[str]:
    """Where two JSON values differ: amounts to the cent, all else exactly, types included."""
    numbers = [isinstance(v, int | float) and not isinstance(v, bool) for v in (is_, should)]
    if all(numbers):
        return [] if abs(is_ - should) < 0.005 else [f"{path}: {is_} for {should}"]
    if type(is_) is not type(should):
        return [f"{path}: {is_!r} for {should!r}"]
    if isinstance(should, dict):
        if is_.keys() != should.keys():
            return [f"{path}: keys {sorted(is_.keys() ^ should.keys())}"]
        return [d for k in should for d in differences(is_[k], should[k], f"{path}/{k}")]
    if isinstance(should, list):
        if len(is_) != len(should):
            return [f"{path}: {len(is_)} for {len(should)} members"]
        return [d for i, (a, b) in enumerate(zip(is_, should, strict=True)) for d in differences(a, b, f"{path}/{i}")]
    return [] if is_ == should else [f"{path}: {is_!r} for {should!r}"]


def test_the_comparison_itself_tells_things_apart() -> None:
    assert differences({"a": [1, 2.004]}, {"a": [1.0, 2.0]}) == []
    for is_, should in (
        (1.01, 1),
        ("1", 1),
        (True, 1),
        (None, 0),
        ({"a": 1}, {}),
        ([1], []),
        ("a", "b"),
        ({"a": None}, {"b": None}),
    ):
        assert differences(is_, should)
        assert differences(should, is_)


def test_a_replay_gives_what_the_environment_gave(retail: Domain) -> None:
    done = run("replay", retail.package, "--format", "json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    wanted = json.loads((retail.data / "expected.json").read_text("utf-8"))
    assert len(found) == 114
    assert set(wanted) == {t["id"] for t in retail.tasks if int(t["id"]) % 2 == 0}
    assert {id: d for id in wanted if (d := differences(found[id], wanted[id]))} == {}
    assert sum(len(w["changed"]) for w in wanted.values()) > 50, "there is something to compare"


@pytest.fixture(scope="module")
def played(retail: Domain) -> Path:
    """A run of the oracle over all tasks."""
    plan, folder = retail.package / "plan.jsonl", retail.package / "runs" / "oracle"
    done = run("compile", "--package", retail.package, "-o", plan)
    assert done.exit_code == 0, done.output
    done = run("run", plan, "--agent", "oracle", "-o", folder, "--package", retail.package)
    assert done.exit_code == 0, done.output
    return folder


def test_an_oracle_has_full_marks(retail: Domain, played: Path) -> None:
    done = run("score", played, "--format", "json", "--package", retail.package)
    assert done.exit_code == 0, done.output
    metrics = json.loads(done.stdout)["cohorts"]["retail"]["metrics"]
    assert {n: (metrics[n]["value"], metrics[n]["n"], metrics[n]["unscored"]) for n in ("task_success", "partial_credit")} == {
        "task_success": (1, 114, 0), "partial_credit": (1, 114, 0),
    }  # fmt: skip
    assert (metrics["state_accuracy"]["value"], metrics["state_accuracy"]["n"]) == (1, 114)
    told = len([t for t in retail.tasks if t["evaluation_criteria"]["communicate_info"]])
    assert (metrics["answer_accuracy"]["value"], metrics["answer_accuracy"]["n"]) == (1, told)


def test_the_oracle_makes_the_listed_calls_and_the_records_hold_what_they_changed(retail: Domain, played: Path) -> None:
    lines = (played / "records.jsonl").read_text("utf-8").splitlines()
    done = run("replay", retail.package, "--format", "json")
    wanted = list(json.loads(done.stdout).values())
    by_place = {int(r["trial"].rpartition("/")[2]): r for line in lines if (r := json.loads(line))}
    assert len(by_place) == 114
    for place, task in enumerate(wanted):
        calls = [[e["tool"], e["error"]] for e in by_place[place]["events"] if e["type"] == "call"]
        assert calls == task["calls"]
        touched = {f"{r}s/{k}" for e in by_place[place]["events"] for r, k, _ in e.get("records", ())}
        assert set(task["changed"]) <= touched


TASK: dict[str, Any] = {
    "id": "0",
    "user_scenario": {"instructions": {"reason_for_call": "Cancel it.", "known_info": None, "unknown_info": None,
        "task_instructions": ""}},
    "evaluation_criteria": {"actions": [], "communicate_info": ["10.50"], "nl_assertions": None, "reward_basis": ["DB",
        "COMMUNICATE"]},
}  # fmt: skip


EDGES: dict[str, tuple[str, dict[str, Any], str | None]] = {
    "an item for itself": (
        "modify_pending_order_items",
        {
            "order_id": "#W2974929",
            "item_ids": ["3877188862"],
            "new_item_ids": ["3877188862"],
            "payment_method_id": "paypal_7916550",
        },
        "The new item id should be different from the old item id",
    ),
    "no items at all": (
        "modify_pending_order_items",
        {"order_id": "#W2974929", "item_ids": [], "new_item_ids": [], "payment_method_id": "paypal_7916550"},
        None,
    ),
    "nothing to exchange": (
        "exchange_delivered_order_items",
        {"order_id": "#W2274128", "item_ids": [], "new_item_ids": [], "payment_method_id": "gift_card_3372949"},
        None,
    ),
    "many digits": ("calculate", {"expression": "100000000 + 0.55"}, None),
}


@pytest.mark.parametrize("name", EDGES)
def test_edges_of_the_tools_are_those_of_the_environment(played: Path, name: str) -> None:
    """Found by the same random calls here and there."""
    world = World(open_plan(played / "plan.jsonl"))
    trial = next(world.trials())
    tool, args, error = EDGES[name]
    outcome = trial.store.call(tool, args, trial.opening())
    assert outcome.error == error
    if tool == "calculate":
        assert outcome.result == "100000000.55"


def small(folder: Path, tasks: Any, tables: Any = None) -> Result:
    """Import a domain that is nearly empty."""
    (folder / "in").mkdir()
    for name, data in (("tasks.json", tasks), ("db.json", tables or {"orders": {}, "users": {}, "products": {}})):
        text = data if isinstance(data, str) else json.dumps(data, indent=1)
        (folder / "in" / name).write_text(text, "utf-8")
    (folder / "in" / "policy.md").write_text("# Policy\n\nBe kind.\n", "utf-8")
    return run("import", "tau2", folder / "in", "-o", folder / "out")


def test_a_small_domain_is_imported(tmp_path: Path) -> None:
    done = small(tmp_path, [TASK])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "1 case and 0 records in" in done.output
    text = (tmp_path / "out" / "cases.yaml").read_text("utf-8")
    assert 'answer: {all: [{money: "$10.50"}]}' in text
    assert "success: state and answer" in text
    assert "inaction: right" in text


CRITERIA = TASK["evaluation_criteria"]
BROKEN: dict[str, tuple[Any, Any, str]] = {
    "tasks_are_not_json": ('[\n{"id": 1\n"x"]', None, "tasks.json:3 is not JSON"),
    "tables_are_not_json": ([TASK], '{\n"orders": [,]}', "db.json:2 is not JSON"),
    "tasks_are_an_object": ({}, None, "tasks.json a list of tasks"),
    "tables_are_a_list": ([TASK], [1], "db.json must hold an object of tables"),
    "a_table_is_a_number": ([TASK], {"orders": 5}, "db.json"),
    "a_task_is_a_number": ("[\n5]", None, "tasks.json:2"),
    "a_task_without_criteria": ([{k: v for k, v in TASK.items() if k != "evaluation_criteria"}], None, "tasks.json:2"),
    "a_task_without_scenario": ([TASK | {"user_scenario": None}], None, "tasks.json:2"),
    "a_task_without_id": ([{k: v for k, v in TASK.items() if k != "id"}], None, "tasks.json:2"),
    "actions_are_a_number": ([TASK | {"evaluation_criteria": CRITERIA | {"actions": 5}}], None, "tasks.json:2"),
    "an_action_is_null": ([TASK | {"evaluation_criteria": CRITERIA | {"actions": [None]}}], None, "tasks.json:2"),
    "an_argument_is_a_list": (
        [TASK | {"evaluation_criteria": CRITERIA | {"actions": [{"action_id": "a", "name": "get_order_details",
            "arguments": {"order_id": ["x"]}}]}}],
        None, "tasks.json:",
    ),
    "told_is_a_number": ([TASK | {"evaluation_criteria": CRITERIA | {"communicate_info": [5]}}], None, "tasks.json:2"),
    "two_of_one_id": ([TASK, TASK], None, "two tasks of the id '0'"),
    "a_reason_is_null": ([TASK | {"user_scenario": {"instructions": {"reason_for_call": None}}}], None, "tasks.json:2"),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_domain_is_one_clear_line(tmp_path: Path, what: str) -> None:
    tasks, tables, said = BROKEN[what]
    done = small(tmp_path, tasks, tables)
    assert isinstance(done.exception, SystemExit), repr(done.exception)[:200]
    assert done.exit_code == 2
    assert done.output.startswith("error: ")
    assert len(done.output.splitlines()) == 1
    assert said in done.output
    assert not (tmp_path / "out").exists()


def test_a_term_that_nobody_knows_is_told(tmp_path: Path) -> None:
    done = small(tmp_path, [TASK | {"evaluation_criteria": CRITERIA | {"reward_basis": ["DB", "ENV_ASSERTION"]}}])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "task 0: the reward term ENV_ASSERTION is not counted" in done.output


def test_ids_that_make_the_same_name_stay_apart(tmp_path: Path) -> None:
    done = small(tmp_path, [TASK | {"id": "a-1"}, TASK | {"id": "a_1"}])
    assert done.exit_code in (0, 2)
    if done.exit_code == 2:
        assert "a_1" in done.output
    else:
        names = re.findall(r"^name: (\S+)", (tmp_path / "out" / "cases.yaml").read_text("utf-8"), re.M)
        assert len(set(names)) == 2


@pytest.mark.parametrize("missing", ["db.json", "tasks.json", "policy.md"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    for name in {"db.json", "tasks.json", "policy.md"} - {missing}:
        (tmp_path / name).write_text("[]", "utf-8")
    done = run("import", "tau2", tmp_path, "-o", tmp_path / "out")
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert f"has no {missing}" in done.output
