"""`shopdsl import cases`: nothing is lost, hostile texts come out as they went in, and broken files end in one clear line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from shopdsl.cli import cli
from shopdsl.dsl.diagnostics import Sink
from shopdsl.dsl.read import read_documents
from shopdsl.dsl.source import Source
from shopdsl.dsl.tree import plain

CASE: dict[str, Any] = {"case_id": "a", "user_utterances": ["hi"], "expected_answer": "certainly"}
ARTICLE: list[dict[str, Any]] = [
    {
        "case_id": "PROMO-001",
        "category": "price_calculation",
        "user_utterances": ["这件 599 的羽绒服用平台券之后多少钱？", "能叠加吗？"],
        "initial_state": {"product_id": "p1001", "sale_price": 599, "platform_coupon": 50, "stackable": False, "note": "yes"},
        "available_tools": ["query_product", "calc_price"],
        "expected_tool_calls": [{"name": "query_product", "arguments": {"product_id": "p1001"}}, "calc_price"],
        "expected_answer": ["549", "不能叠加"],
        "success_rule": "answer_contains_and_tool_called",
        "owner": {"team": "pricing", "since": "2024-01-02", "weights": [1, 2.5, "1e3", None, True]},
    },
    {
        "case_id": "EN-2",
        "category": "Order Flow",
        "user_utterances": ["What is the weather?\nThanks"],
        "available_tools": ["Get Weather"],
        "expected_tool_calls": [
            {"tool": "Get Weather", "args": {"city": "Oslo", "days": 3, "exact": True, "deep": {"a": [1, 2.5]}}}
        ],
        "expected_answer_tokens": ["sunny", "12.50"],
        "success_rule": "tool_called",
    },
    {"case_id": "RULE-3", "user_utterances": ["hello"], "expected_answer": "hello there", "success_rule": "by_gut_feeling"},
]


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(a) for a in args])


def imported(folder: Path, data: Any, name: str = "cases.json") -> Path:
    """The folder of the package that the command makes of JSON; it must succeed."""
    done = attempt(folder, data, name)
    assert done.exit_code == 0, (done.output, done.exception)
    return folder / "out"


def attempt(folder: Path, data: Any, name: str = "cases.json") -> Result:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, indent=1)
    (folder / name).write_text(text, "utf-8")
    return run("import", "cases", folder / name, "-o", folder / "out")


def specs(package: Path, file: str = "cases.yaml") -> list[Any]:
    """The documents of a file, which must be read without a finding."""
    sink = Sink()
    found = [plain(n) for n in read_documents(Source(file, (package / file).read_text("utf-8")), sink)]
    assert [d.message for d in sink.all()] == []
    return found


def case_of(package: Path) -> dict[str, Any]:
    (only,) = specs(package)
    assert isinstance(only, dict)
    return only


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    folder = tmp_path_factory.mktemp("article")
    return folder / "out", attempt(folder, ARTICLE, "shop cases.json")


def test_the_file_is_copied_byte_for_byte(article: tuple[Path, Result]) -> None:
    package, done = article
    assert done.exit_code == 0, done.output
    assert (package / "data" / "shop cases.json").read_bytes() == (package.parent / "shop cases.json").read_bytes()
    assert "3 cases in" in done.output


def test_a_case_says_all_that_its_json_says(article: tuple[Path, Result]) -> None:
    first, second, third = specs(article[0])
    assert first["id"] == "PROMO-001"
    assert first["utterances"] == ARTICLE[0]["user_utterances"]
    assert first["category"] == "price_calculation"
    assert first["locale"] == "zh-CN"
    assert first["initial_state"]["facts"] == ARTICLE[0]["initial_state"]
    assert first["initial_state"]["products"] == {"p1001": {"id": "p1001", "title": "p1001", "price": "¥599"}}
    assert first["available_tools"] == ["query_product", "calc_price"]
    assert first["expect"]["calls"] == {"all": [{"tool": "query_product", "args": {"product_id": "p1001"}}, "calc_price"]}
    assert first["expect"]["answer"] == {"all": [{"money": "¥549"}, {"says": "不能叠加"}]}
    assert first["success"] == "calls and answer"
    assert first["origin"]["data"] == {"owner": ARTICLE[0]["owner"]}
    assert (second["id"], second["locale"], second["utterances"]) == ("EN-2", "en", ["What is the weather?\nThanks"])
    assert second["category"] == "tool_orchestration"
    assert second["tags"] == ["order_flow"]
    assert second["expect"]["answer"] == {"all": [{"says": "sunny"}, {"money": "¥12.50"}]}
    assert second["success"] == "calls"
    assert third["expect"] == {"answer": {"all": [{"says": "hello there"}]}}
    assert "success" not in third


def test_origin_names_the_lines_of_the_json(article: tuple[Path, Result]) -> None:
    lines = (article[0].parent / "shop cases.json").read_text("utf-8").split("\n")
    for spec in specs(article[0]):
        origin = spec["origin"]
        assert origin["file"] == "data/shop cases.json"
        assert lines[origin["line"] - 1].strip() == "{"
        for part, number in origin["lines"].items():
            assert {"calls": "expected_tool_calls", "answer": "expected_answer"}[part] in lines[number - 1]


def test_arguments_of_expected_calls_keep_their_types(article: tuple[Path, Result]) -> None:
    (call,) = specs(article[0])[1]["expect"]["calls"]["all"]
    assert call == {"tool": "get_weather", "args": {"city": "Oslo", "days": 3, "exact": True, "deep": {"a": [1, 2.5]}}}
    assert [type(v) for v in (call["args"]["days"], call["args"]["exact"], call["args"]["deep"]["a"][1])] == [int, bool, float]


def test_an_unknown_tool_becomes_a_tool_and_is_told(article: tuple[Path, Result]) -> None:
    package, done = article
    toolset = next(d for d in specs(package, "shop.yaml") if d["kind"] == "toolset")
    assert list(toolset["tools"]) == ["get_weather"]
    assert toolset["tools"]["get_weather"]["result"] == "facts"
    assert done.output.count("the tool Get Weather is not one of `service_desk`") == 1


def test_an_unknown_rule_counts_all_and_is_told(article: tuple[Path, Result]) -> None:
    assert "case RULE-3: the rule 'by_gut_feeling' is not known; all that is expected counts" in article[1].output


def test_the_arguments_of_an_unknown_tool_may_be_expected(tmp_path: Path) -> None:
    """The case says what the call is made with; the tool that stands for it must take just that, or no agent can be right."""
    call = {"name": "get_weather", "arguments": {"city": "Oslo"}}
    package = imported(tmp_path, [CASE | {"expected_tool_calls": [call]}])
    done = run("check", "--package", package)
    assert done.exit_code == 0, done.output


def test_what_was_imported_is_compiled(tmp_path: Path) -> None:
    package = imported(tmp_path, [CASE, CASE | {"case_id": "b", "user_utterances": ["你好"], "expected_answer": "好的"}])
    done = run("compile", "--package", package, "-o", tmp_path / "plan.jsonl")
    assert done.exit_code == 0, done.output
    plan = (tmp_path / "plan.jsonl").read_text("utf-8").split("\n")
    trials = [json.loads(line) for line in plan if line.startswith('{"') and '"trial"' in line]
    said = [[m["text"] for m in t["script"]["messages"]] for t in trials if "script" in t]
    assert said == [["hi"], ["你好"]]


HOSTILE = [
    "../x", "/etc/passwd", "a/../../b", "yes", "no", "null", "~", "1e3", "0x10", "1_000", "- ", "- a", ": ", "a: b", "#",
        "a # b", "!!python/object:os",
    "&a", "*a", "<<", "---", "--- a", "...", "{a: 1}", "[1]", "{{ price }}", "a\nb", "a\n\n", "\n", " a ", "a\n  b ", "\t",
        "a\r\nb", "\x00\x07\x1b[31m",
    "\x7f\x85\u2028\u2029\ufeff", "\U0001f600 汉字", "'", '"', "\\", "\\n", "%", "@", "`", "x" * 200_000, "a b " * 50_000,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_come_out_unchanged(tmp_path: Path, text: str) -> None:
    """Wherever a text of the author stands: what is said and expected, facts, arguments, fields that nobody knows."""
    case = CASE | {
        "user_utterances": [text, "and"], "initial_state": {"note": text, "k" + text[:500]: [text]}, "expected_answer": [text,
            "ok"],
        "expected_tool_calls": [{"name": "search_products", "arguments": {"query": text}}], "unknown": {"deep": [{"x": text}]},
    }  # fmt: skip
    spec = case_of(imported(tmp_path, [case]))
    assert spec["utterances"] == [text, "and"]
    assert spec["initial_state"]["facts"] == case["initial_state"]
    assert spec["expect"]["answer"]["all"] == [{"says": text}, {"says": "ok"}]
    assert spec["expect"]["calls"]["all"] == [{"tool": "search_products", "args": {"query": text}}]
    assert spec["origin"]["data"] == {"unknown": case["unknown"]}


IDS = ["../x", "/etc/passwd", "yes", "1e3", "- a", "a\nb", "\U0001f600", "x" * 200_000, "a b c", "1", "CON"]


@pytest.mark.parametrize("id", IDS, ids=range(len(IDS)))
def test_hostile_ids_make_plain_names_and_stay_ids(tmp_path: Path, id: str) -> None:
    package = imported(tmp_path, [CASE | {"case_id": id}])
    spec = case_of(package)
    assert spec["id"] == id
    assert spec["name"].isascii()
    assert spec["name"].replace("_", "a").isalnum()
    assert sorted(p.name for p in package.iterdir()) == ["cases.yaml", "data", "shop.yaml", "shopdsl.yaml"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cases.json", "out"]


def test_a_package_with_hostile_ids_has_no_errors(tmp_path: Path) -> None:
    done = run("check", "--package", imported(tmp_path, [CASE | {"case_id": id} for id in IDS]))
    assert done.exit_code == 0, done.output[:500]


def test_ids_in_chinese_stay_apart(tmp_path: Path) -> None:
    """Two ids that are not the same are two cases, whatever their letters."""
    package = imported(tmp_path, [CASE | {"case_id": "订单"}, CASE | {"case_id": "价格"}, CASE | {"case_id": "价格!"}])
    found = specs(package)
    assert [s["id"] for s in found] == ["订单", "价格", "价格!"]
    assert len({s["name"] for s in found}) == 3


def test_tools_in_chinese_stay_apart(tmp_path: Path) -> None:
    package = imported(tmp_path, [CASE | {"available_tools": ["查询天气", "查询库存"]}])
    toolset = next(d for d in specs(package, "shop.yaml") if d["kind"] == "toolset")
    assert len(toolset["tools"]) == 2
    assert len(set(case_of(package)["available_tools"])) == 2


def test_cases_without_an_id_are_told_apart_by_their_place(tmp_path: Path) -> None:
    """All of them on one line, as programs write JSON."""
    nameless = {k: v for k, v in CASE.items() if k != "case_id"}
    package = imported(tmp_path, json.dumps([nameless, nameless]))
    assert len({s["name"] for s in specs(package)}) == 2


def test_half_a_surrogate_pair_ends_in_no_traceback(tmp_path: Path) -> None:
    """It is no text. Either the file is refused, with the line, and nothing is written; or all else is kept."""
    text = '[\n {"case_id": "a",\n  "user_utterances": ["x\\ud800y"], "expected_answer": "ok"}]'
    done = attempt(tmp_path, text)
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)[:200]
    if done.exit_code:
        assert "cases.json:" in done.output
        assert not (tmp_path / "out").exists()
    else:
        (said,) = case_of(tmp_path / "out")["utterances"]
        assert (said[0], said[-1]) == ("x", "y")


def test_a_whole_surrogate_pair_is_one_character(tmp_path: Path) -> None:
    text = '[{"case_id": "a", "user_utterances": ["\\ud83d\\ude00"], "expected_answer": "ok"}]'
    assert case_of(imported(tmp_path, text))["utterances"] == ["\U0001f600"]


def test_arguments_that_are_json_in_a_text_are_arguments(tmp_path: Path) -> None:
    """As model endpoints write calls: the arguments are a text that holds JSON. They must not vanish."""
    call = {"name": "query_order", "arguments": '{"order_id": "D1"}'}
    spec = case_of(imported(tmp_path, [CASE | {"expected_tool_calls": [call]}]))
    assert spec["expect"]["calls"]["all"] == [{"tool": "query_order", "args": {"order_id": "D1"}}]


def test_decimal_amounts_stay_exact(tmp_path: Path) -> None:
    text = '[{"case_id": "a", "user_utterances": ["x"], "expected_answer": 549.10, "initial_state": {"product_id": "p", "price": 599.90}, "z": 0.1}]'
    spec = case_of(imported(tmp_path, text))
    assert spec["expect"]["answer"] == {"all": [{"money": "$549.10"}]}
    assert spec["initial_state"]["products"]["p"]["price"] in ("$599.9", "$599.90")
    assert spec["origin"]["data"] == {"z": 0.1}


def test_many_long_cases_are_read_again(tmp_path: Path) -> None:
    """3 MB of texts: what is written must be within what a file of specs may hold."""
    package = imported(tmp_path, [CASE | {"case_id": f"c{i}", "user_utterances": ["x" * 30_000]} for i in range(100)])
    done = run("check", "--package", package)
    assert done.exit_code == 0, done.output[:500]


def test_deep_data_that_nobody_uses_does_not_break_the_package(tmp_path: Path) -> None:
    """Sixty levels are fine in JSON; a spec has forty at most."""
    text = '[{"case_id": "a", "user_utterances": ["x"], "expected_answer": "certainly", "z": ' + "[" * 60 + "]" * 60 + "}]"
    package = imported(tmp_path, text)
    assert run("check", "--package", package).exit_code == 0


BROKEN = {
    "nothing": ("", 1), "a_comma_is_missing": ('[\n {"case_id": "a"\n "user_utterances": []}]', 3), "trailing": ('[\n]\nx', 3),
        "an_object": ("{}", None),
    "null": ("null", None), "a_number": ("1", None), "a_text": ('"a"', None), "a_member_is_a_number": ("[\n1]", 2),
    "no_utterances": ('[\n{"case_id": "a"}]', 2), "utterances_are_a_number": ('[\n{"case_id": "a", "user_utterances": 5}]', 2),
    "utterances_are_a_text": ('[\n{"case_id": "a", "user_utterances": "hello"}]', 2),
    "utterances_are_an_object": ('[\n{"case_id": "a", "user_utterances": {"a": 1}}]', 2),
    "an_utterance_is_null": ('[\n{"case_id": "a", "user_utterances": [null]}]', 2),
    "state_is_a_list": ('[\n{"case_id": "a", "user_utterances": ["x"], "initial_state": [1]}]', 2),
    "state_is_a_text": ('[\n{"case_id": "a", "user_utterances": ["x"], "initial_state": "x"}]', 2),
    "tools_are_a_text": ('[\n{"case_id": "a", "user_utterances": ["x"], "available_tools": "query_order"}]', 2),
    "calls_are_an_object": ('[\n{"case_id": "a", "user_utterances": ["x"], "expected_tool_calls": {"name": "query_order"}}]', 2),
    "a_call_is_a_number": ('[\n{"case_id": "a", "user_utterances": ["x"], "expected_tool_calls": [5]}]', 2),
    "a_call_is_null": ('[\n{"case_id": "a", "user_utterances": ["x"], "expected_tool_calls": [null]}]', 2),
    "a_call_has_no_name": ('[\n{"case_id": "a", "user_utterances": ["x"], "expected_tool_calls": [{"arguments": {}}]}]', 2),
    "arguments_are_a_list": ('[\n{"case_id": "a", "user_utterances": ["x"], "expected_tool_calls": [{"name": "query_order", "arguments": [1]}]}]', 2),
    "an_endless_list": ("[" * 100_000, None), "a_long_number": ('[\n{"case_id": "a", "user_utterances": ["x"], "z": ' + "9" * 5000 + "}]", None),
    "two_of_one_id": ('[{"case_id": "a", "user_utterances": ["x"]},\n{"case_id": "a", "user_utterances": ["y"]}]', 2),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_file_is_one_clear_line(tmp_path: Path, what: str) -> None:
    text, line = BROKEN[what]
    done = attempt(tmp_path, text)
    assert isinstance(done.exception, SystemExit), repr(done.exception)[:200]
    assert done.exit_code == 2
    assert done.output.startswith("error: ")
    assert len(done.output.splitlines()) == 1
    assert f"cases.json:{line}" in done.output if line else "cases.json" in done.output
    assert not (tmp_path / "out").exists()


def test_a_short_number_of_huge_size_costs_no_time(tmp_path: Path) -> None:
    """Ten characters that stand for a hundred million digits; in a process of its own, so that a failure holds up no other test."""
    (tmp_path / "huge.json").write_text('[{"case_id": "a", "user_utterances": ["x"], "z": 1e99999999}]', "utf-8")
    command = [sys.executable, "-m", "shopdsl.cli", "import", "cases", "huge.json", "-o", "huge"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=4, check=False)
    assert done.returncode in (0, 2)
    assert "Traceback" not in done.stderr


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cases.json").write_bytes(b'["\xe9"]')
    done = run("import", "cases", tmp_path / "cases.json", "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert "it is not UTF-8 text" in done.output


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    assert case_of(imported(tmp_path, "\ufeff" + json.dumps([CASE])))["id"] == "a"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = run("import", "cases", tmp_path / "none.json", "-o", tmp_path / "out")
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert "none.json" in done.output


@pytest.mark.parametrize("taken", ["a folder with a file", "a file"])
def test_nothing_of_an_author_is_overwritten(tmp_path: Path, taken: str) -> None:
    place = tmp_path / "out"
    if taken == "a file":
        place.write_text("mine", "utf-8")
    else:
        place.mkdir()
        (place / "cases.yaml").write_text("mine", "utf-8")
    done = attempt(tmp_path, [CASE])
    assert done.exit_code == 2
    assert "is there already" in done.output
    assert (place if taken == "a file" else place / "cases.yaml").read_text("utf-8") == "mine"


def test_an_empty_folder_is_used(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert case_of(imported(tmp_path, [CASE]))["id"] == "a"


ANSWERS: dict[str, tuple[dict[str, Any], list[dict[str, str]]]] = {
    "a zero": ({"expected_answer": 0}, [{"money": "$0"}]),
    "tokens beside nothing": ({"expected_answer": None, "expected_answer_tokens": ["12.50"]}, [{"money": "$12.50"}]),
    "tokens beside a sentence": (
        {"expected_answer": "It is 5.", "expected_answer_tokens": ["5", "all"]},
        [{"money": "$5"}, {"says": "all"}],
    ),
    "no tokens": ({"expected_answer": "certainly", "expected_answer_tokens": []}, [{"says": "certainly"}]),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_is_looked_for_in_an_answer(name: str, tmp_path: Path) -> None:
    """The tokens where there are some, else the answer; a sentence beside tokens is kept with what is not used."""
    fields, parts = ANSWERS[name]
    made = case_of(imported(tmp_path, [{"case_id": "a", "user_utterances": ["hi"], **fields}]))
    assert made["expect"]["answer"]["all"] == parts
    assert made["origin"].get("data", {}).get("expected_answer") == (
        fields["expected_answer"] if "tokens beside" in name else None
    )


def test_arguments_of_unknown_tools_get_names_of_the_language(tmp_path: Path) -> None:
    call = {"name": "lookUp", "arguments": {"productId": "p1", "Max Price": 3}}
    made = imported(tmp_path, [CASE | {"expected_tool_calls": [call]}])
    assert case_of(made)["expect"]["calls"]["all"] == [{"tool": "lookup", "args": {"productid": "p1", "max_price": 3}}]
    assert run("check", "--package", made).exit_code == 0
