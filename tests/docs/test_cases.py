"""The page about business cases: its package is proved and played, its findings come out, and every example in its tables is tried."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from shopdsl.cli import cli
from shopdsl.compiler.expect.answers import ATOMS
from shopdsl.compiler.expect.calls import CALLS
from shopdsl.compiler.expect.nodes import FOLDS
from shopdsl.compiler.expect.states import STATE
from shopdsl.dsl.library import answers as said
from shopdsl.dsl.values import SYMBOLS, Money
from tests.docs.pages import blocks, page, rows, written

GROUPS = {"Calls": "calls", "Answers": "answer", "State": "state", "Together": "answer"}
"""The tables of examples, and the group that each is about."""
CASES = ["first.yaml", "reference.yaml", "wishes.yaml", "faults.yaml", "planned.yaml"]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package of the page."""
    folder = written("cases.md", tmp_path / "my_desk")
    monkeypatch.chdir(folder)
    return folder


def _shopdsl(*args: str) -> Result:
    return CliRunner().invoke(cli, args, catch_exceptions=False)


def _only(folder: Path, kept: str) -> Path:
    """The package as it is while the first steps are taken, with one file of cases."""
    for name in CASES:
        if name != kept:
            (folder / name).unlink()
    if kept != "first.yaml":
        (folder / "first_test.yaml").unlink()
    return folder / kept


def _codes(done: Result) -> set[str]:
    return set(re.findall(r"\[([EW]\d+)\]", done.output))


def test_all_files_of_the_page_make_a_package_without_findings(desk: Path) -> None:
    assert "no findings" in _shopdsl("check").stderr


def test_the_cases_of_the_page_are_proved_and_can_be_done_where_a_call_is_tried_again(desk: Path) -> None:
    done = _shopdsl("compile", "desk")
    assert (done.exit_code, _codes(done)) == (0, set()), done.output
    done = _shopdsl("run", "--agent", "oracle", "-o", "out")
    assert re.findall(r"Tasks done +↑\? ([01]\.\d+)", done.output) == ["1.000"]
    assert re.findall(r"Recovery from errors of tools +↑ +([01]\.\d+)", done.output) == ["1.000"]
    assert "The order service is busy" in (desk / "out" / "records.jsonl").read_text("utf-8")


def test_wishes_of_the_page_that_change_can_be_met_and_broken(desk: Path) -> None:
    (desk / "mine.yaml").write_text(
        "kind: cohort\nname: mine\nextends: desk\ncases: [lighter_then_white]\n---\n"
        "kind: suite\nname: mine\nseed: 1\ncohorts: [mine]\nrubrics: {mine: business}\n---\n"
        "kind: mutant\nname: deaf\nof: oracle\nrewrite: [{at: say, when: turn == 3, say: Take the Alder Kettle.}]\n",
        "utf-8",
    )
    assert _shopdsl("compile", "mine").exit_code == 0
    done = _shopdsl("run", "--agent", "oracle", "--agent", "deaf", "-o", "out")
    assert re.findall(r"Tasks done +↑\? ([01]\.\d+)", done.output) == ["1.000", "0.000"]
    assert "in turn 3 it recommends" in done.output


def test_what_comes_out_by_plan_can_be_bought(desk: Path) -> None:
    assert _shopdsl("compile", "counter").exit_code == 0
    done = _shopdsl("run", "build/counter.plan.jsonl", "--agent", "oracle", "-o", "out")
    assert re.findall(r"Tasks done +↑\? ([01]\.\d+)", done.output) == ["1.000"]


def test_the_first_steps_give_what_the_page_shows(desk: Path) -> None:
    first = _only(desk, "first.yaml")
    assert len(first.read_text("utf-8").splitlines()) <= 25
    assert _shopdsl("compile").exit_code == 0
    agents = ("oracle", "from_memory", "adds_up")
    played = _shopdsl("run", *(w for a in agents for w in ("--agent", a)), "-o", "runs/first").output
    planned = _shopdsl("show", "build/desk.plan.jsonl", "two_codes").output
    shown = _shopdsl("show", "runs/first/from_memory", "two_codes").output
    right, memory, sums, trial = (b.splitlines() for b in blocks("cases.md", "text"))
    assert right == planned.splitlines()[-len(right) :]
    assert set(memory + sums) <= set(played.splitlines())
    assert set(trial) <= set(shown.splitlines())
    assert re.findall(r"Partial credit +↑ +([01]\.\d+)", played) == ["1.000", "0.500", "0.750"]
    assert "`adds_up` above has the credit 0.75" in " ".join(page("cases.md").split())


def test_each_finding_of_the_page_comes_out(desk: Path) -> None:
    first = _only(desk, "first.yaml")
    head = first.read_text("utf-8").partition("expect:")[0]
    wanted = {row[1].strip("`"): row[0].strip("`") for row in rows("cases.md", "What the proof finds")}
    for code, expect in wanted.items():
        (desk / f"{code}.yaml").write_text(head.replace("two_codes", code.lower()) + expect + "\n", "utf-8")
    checked = _shopdsl("check").output  # what expects nothing is found before anything is proved
    (desk / "E1005.yaml").unlink()
    proved = _shopdsl("compile").output
    found = set(re.findall(r"\[(\w+)\].*\n +--> (\w+)\.yaml", checked + proved))
    assert {(code, code) for code in wanted} <= found, checked + proved


def _examples() -> list[tuple[str, str]]:
    return [(group, row[0].strip("`")) for title, group in GROUPS.items() for row in rows("cases.md", title)]


def test_every_example_of_an_expectation_can_be_expected_and_met(desk: Path) -> None:
    whole = _only(desk, "reference.yaml").read_text("utf-8")
    head, _, _ = whole.partition("expect:")
    plain = re.sub(r"(?s)constraints:.*", "", head)
    calls = "[search_products, {tool: add_to_cart, args: {product_id: K2}}, {tool: cancel_order, args: {order_id: A1}}]"
    cases = []
    for number, (group, example) in enumerate(_examples()):
        beside = f"  calls: {calls}\n" if group == "state" and "same_as" not in example and "unchanged" not in example else ""
        beside = "  calls: [search_products]\n" if "same_as" in example or "grounded" in example else beside
        name = (head if "fits" in example else plain).replace("name: every_way_to_expect", f"name: example_{number}")
        more = "{asks: []}, " if "bonus: true" in example else ""
        cases.append(f"{name}expect:\n{beside}  {group}: [{more}{example}]\n")
    (desk / "reference.yaml").write_text("---\n".join(cases), "utf-8")
    done = _shopdsl("compile")
    assert _codes(done) <= {"E1007", "E1008", "E1009", "W0909"}, done.output


@pytest.mark.parametrize(
    ("title", "known"), [("Calls", CALLS.atoms), ("Answers", ATOMS), ("State", STATE.atoms), ("Together", FOLDS)]
)
def test_the_page_has_an_example_of_every_way_to_expect(title: str, known: list[str]) -> None:
    text = "`".join(row[0] for row in rows("cases.md", title))
    assert [name for name in known if f"{{{name}:" not in text and f"`{name}`" not in text] == []


def _holds(text: str, expected: str) -> bool:
    found = re.fullmatch(r"`\{(\w+): (.*)\}`", expected)
    assert found, expected
    locale = "en" if text.isascii() else "zh-CN"
    match found[1]:
        case "money":
            return said.money(text, Money(found[2][1:], SYMBOLS[found[2][0]]), locale).ok
        case "quantity":
            number, _, unit = found[2].partition(" ")
            return said.quantity(text, Decimal(number), unit, locale).ok
    return said.says(text, found[2], locale).ok


def test_the_spec_test_and_the_bad_habits_of_the_page_are_noticed(desk: Path) -> None:
    _only(desk, "first.yaml")
    done = _shopdsl("test")
    assert done.exit_code == 0, done.output
    assert "1 test, 2 mutants" in done.output
    assert ", 0 failed" in done.output


@pytest.mark.parametrize("row", rows("cases.md", "How answers are compared"), ids=lambda row: f"{row[0]} {row[1]}")
def test_texts_of_the_page_are_compared_as_it_says(row: list[str]) -> None:
    assert _holds(row[0], row[1]) is (row[2] == "yes")
    assert row[3:] in ([], ["no" if row[2] == "yes" else "yes"])
