"""A model as the agent: what it is told and what is made of its answers, endpoints that misbehave, budgets, and where keys go."""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from shopdsl.cli.common import Trouble
from shopdsl.cli.endpoints import endpoints
from shopdsl.runtime.models import retry
from shopdsl.runtime.models.pace import Window
from shopdsl.runtime.models.usage import Purse
from tests.end_to_end.modelled import Played, Stage, act, shopdsl, staged
from tests.endpoint import (
    Answer,
    Reply,
    Request,
    calling,
    json_shopper,
    once_each,
    picky,
    refuse,
    serving,
    shopper,
    too_long,
    used,
    wants,
)

KEY, OTHER = "sk-0123456789abcdef", "sk-other-key-9876"
LIMITS = "limits: {retries: 1, timeout: 2}"
SPECS = f"""
kind: model
name: quick
model: some-model-7b
sampling: {{temperature: 0, max_tokens: 200, seed: 3}}
extra: {{top_k: 5}}
{LIMITS}
---
kind: model
name: plain
model: plain-model
tool_calls: json
{LIMITS}
---
kind: model
name: dear
model: dear-model
price: {{input: 2, cached: .5, output: 10}}
{LIMITS}
---
kind: model
name: single
extends: quick
limits: {{retries: 1, timeout: 2, at_once: 1}}
---
kind: model
name: hasty
extends: quick
limits: {{retries: 1, timeout: .2}}
---
kind: agent
name: mine
model: quick
---
kind: agent
name: jsonist
model: plain
---
kind: agent
name: dear
model: dear
---
kind: agent
name: single
model: single
---
kind: agent
name: hasty
model: hasty
---
kind: agent
name: impatient
model: quick
turn_timeout: .1
---
kind: agent
name: briefed
model: quick
prompt: "Work for {{{{ store }}}} with {{{{ join(tools, \\"+\\") }}}}. {{{{ system }}}}"
"""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return staged(tmp_path_factory.mktemp("stage"), SPECS)


@pytest.fixture(autouse=True)
def _quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_WAIT", 0.01)


@pytest.fixture(scope="module")
def whole(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """An unbroken run of three trials."""
    with serving(picky(shopper)) as endpoint:
        return act(stage, "mine", endpoint.url, tmp_path_factory.mktemp("whole") / "run", trials=3)


def of(record: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """The events of a kind."""
    return [e for e in record["events"] if e["type"] == kind]


def at_first(reply: Reply, then: Answer = shopper) -> Answer:
    """Answers the first message of each conversation with a reply."""
    return lambda request: reply if len(request.messages) == 2 else then(request)


def test_it_buys_by_calling_tools_and_the_record_shows_them(stage: Stage, tmp_path: Path) -> None:
    with serving(picky(shopper)) as endpoint:
        record = act(stage, "mine", endpoint.url, tmp_path / "run").records["daily/0"]
    assert record["end"]["reason"] == "purchase_complete"
    calls = of(record, "call")
    assert [c["tool"] for c in calls] == ["search_products", "add_to_cart", "checkout"]
    assert [c["error"] for c in calls] == [None] * 3
    assert record["final"]["cart"] == {calls[0]["finds"][0]: 1}
    assert record["final"]["order"]
    first, second = endpoint.requests[0], endpoint.requests[1]
    assert [m["role"] for m in first.messages] == ["system", "user"]
    assert first.messages[1]["content"] == of(record, "customer")[0]["text"]
    assert {t["function"]["name"] for t in first.body["tools"]} >= {"search_products", "add_to_cart", "checkout"}
    sent = {k: v for k, v in first.body.items() if k not in ("messages", "tools")}
    assert sent == {"model": "some-model-7b", "temperature": 0.0, "max_tokens": 200, "seed": 3, "top_k": 5}
    assert json.loads(second.messages[-1]["content"]) == calls[0]["result"]


def test_calls_at_once_keep_their_order_and_each_gets_its_result(stage: Stage, tmp_path: Path) -> None:
    queries = ["crackers", "juice", "tea"]
    together = calling(*(wants("search_products", {"query": q, "top_k": 1}, f"id-{q}") for q in queries))
    with serving(picky(at_first(together, lambda request: "That is what there is."))) as endpoint:
        record = act(stage, "mine", endpoint.url, tmp_path / "run").records["daily/0"]
    calls = of(record, "call")
    assert [c["query"] for c in calls[:3]] == queries
    results = endpoint.requests[1].messages[-3:]
    assert [m["tool_call_id"] for m in results] == [f"id-{q}" for q in queries]
    assert [json.loads(m["content"]) for m in results] == [c["result"] for c in calls[:3]]
    assert [c["id"] for c in endpoint.requests[1].messages[-4]["tool_calls"]] == [f"id-{q}" for q in queries]


IDS: dict[str, list[Any]] = {
    "missing": [None, None],
    "the_same": ["a", "a"],
    "empty": ["", ""],
    "numbers": [1, 2],
    "one_like_ours": ["call_2", "", None, "call_1"],
    "half_a_character": ["\ud800", "\udfff"],
}


@pytest.mark.parametrize("name", IDS)
def test_ids_that_servers_forget_or_repeat_are_made_up(stage: Stage, tmp_path: Path, name: str) -> None:
    together = calling(*(wants("search_products", {"query": f"tea {n}", "top_k": 1}, id) for n, id in enumerate(IDS[name])))
    with serving(picky(at_first(together))) as endpoint:
        played = act(stage, "mine", endpoint.url, tmp_path / "run")
    assert played.records, played.losses
    results = [m for m in endpoint.requests[1].messages if m["role"] == "tool"]
    assert len({m["tool_call_id"] for m in results}) == len(IDS[name])
    calls = of(played.records["daily/0"], "call")[: len(results)]
    assert [json.loads(m["content"]) for m in results] == [c["result"] for c in calls]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "reasoning_details"])
def test_reasoning_is_sent_back_and_told_to_nobody(stage: Stage, tmp_path: Path, field: str) -> None:
    thought: Any = [{"type": "reasoning.text", "text": "Secretly: tea"}] if field == "reasoning_details" else "Secretly: tea"
    reply = calling(wants("view_cart", {}, "a"), text="Let me see.", **{field: thought})
    with serving(picky(at_first(reply))) as endpoint:
        played = act(stage, "mine", endpoint.url, tmp_path / "run")
    sent = endpoint.requests[1].messages[2]
    assert (sent[field], sent["content"]) == (thought, "Let me see.")
    assert b"Secretly" not in played.lines


@pytest.mark.parametrize(
    ("reply", "heard"),
    [
        (Reply("<think>Secretly: tea</think>\n Hello."), "Hello."),
        (Reply("<think>Secretly: tea, and then"), ""),
        (Reply("Secretly: tea.\n</think>\n\nHello."), "Hello."),
        (Reply("I write <think> and </think> here."), "I write <think> and </think> here."),
        (Reply("Hello.", message={"reasoning_content": "Secretly"}), "Hello."),
        (Reply(None, message={"refusal": "I will not."}), "I will not."),
        (Reply(None), ""),
        (Reply("\ud800 hello"), "? hello"),
        (Reply("Hello.", finish="\ud800" * 5000), "Hello."),
        (Reply("Hello.", message={"tool_calls": 7}), "Hello."),
        (Reply("Hello.", message={"tool_calls": [None, "x"]}), "Hello."),
        (Reply("Hello.", usage=["many"]), "Hello."),
        (Reply("Hello.", usage={"prompt_tokens": -1, "completion_tokens": 1e99}), "Hello."),
        (Reply("", message={"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "Hello."}]}), "Hello."),
    ],
)
def test_what_it_says_is_what_the_customer_hears(stage: Stage, tmp_path: Path, reply: Reply, heard: str) -> None:
    with serving(picky(at_first(reply))) as endpoint:
        played = act(stage, "mine", endpoint.url, tmp_path / "run")
    record = played.records["daily/0"]
    assert of(record, "agent")[0]["text"] == heard
    assert record["end"]["reason"] == "purchase_complete"
    assert b"Secretly" not in played.lines


CALLS: dict[str, tuple[Any, str | None]] = {
    "arguments_as_an_object": ({"function": {"name": "search_products", "arguments": {"query": "tea"}}}, None),
    "no_arguments": ({"function": {"name": "view_cart"}}, None),
    "empty_arguments": (wants("view_cart", " "), None),
    "null": (wants("view_cart", "null"), None),
    "half": (wants("search_products", '{"query": "te'), "must be an object"),
    "prose": (wants("search_products", "tea, please"), "must be an object"),
    "a_text": (wants("search_products", '"tea"'), "must be an object"),
    "a_list": (wants("search_products", '["tea"]'), "must be an object"),
    "nan": (wants("search_products", '{"query": "tea", "price_max": NaN}'), "must be an object"),
    "infinity": (wants("search_products", '{"query": "tea", "price_max": 1e999}'), "must be an object"),
    "nan_in_an_object": ({"function": {"name": "view_cart", "arguments": {"x": float("nan")}}}, "must be an object"),
    "endless": (wants("search_products", '{"query": ' + "[" * 50_000), "must be an object"),
    "a_long_number": (wants("search_products", '{"query": "tea", "top_k": ' + "9" * 4000 + "}"), "must be from 1 to 10"),
    "half_a_character": (wants("search_products", '{"query": "\\ud800"}'), None),
    "half_a_character_as_a_name": (wants("search_products", '{"\\ud800": "\\ud800"}'), "no parameter"),
    "no_such_tool": (wants("buy_everything", {}), "There is no tool"),
    "no_name": (wants("", {}), "There is no tool"),
    "no_name_at_all": ({"function": {}}, "There is no tool"),
    "no_function": ({"id": "a", "function": "view_cart"}, "There is no tool"),
    "a_name_of_no_tool": (wants("shop.search products!", {}), "There is no tool"),
    "a_name_without_end": (wants("x" * 5000, {}), "There is no tool"),
    "half_a_name": (wants("\ud800", {}), "There is no tool"),
    "a_number_as_name": (wants(7, {}), "There is no tool"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_cannot_be_made_is_an_error_that_the_agent_sees(stage: Stage, tmp_path: Path, name: str) -> None:
    """And the conversation goes on, also with a server that takes no malformed call back."""
    call, error = CALLS[name]
    with serving(picky(at_first(calling(call)))) as endpoint:
        played = act(stage, "mine", endpoint.url, tmp_path / "run")
    assert played.records, played.losses
    record = played.records["daily/0"]
    made, told = of(record, "call")[0], endpoint.requests[1].prompt
    assert record["end"]["reason"] == "purchase_complete"
    assert (made["error"] is None) == (error is None)
    assert error is None or (error in made["error"] and json.loads(told) == {"error": made["error"]})


def test_a_call_that_nests_without_end_is_the_agents_fault(stage: Stage, tmp_path: Path) -> None:
    deep = '{"query": ' + "[" * 60 + "]" * 60 + "}"
    with serving(picky(at_first(calling(wants("search_products", deep))))) as endpoint:
        record = act(stage, "mine", endpoint.url, tmp_path / "run").records["daily/0"]
    assert record["end"]["reason"] == "agent_protocol"


def test_calls_without_end_are_stopped(stage: Stage, tmp_path: Path) -> None:
    with serving(picky(lambda request: calling(*(wants("view_cart", {}) for _ in range(5))))) as endpoint:
        record = act(stage, "mine", endpoint.url, tmp_path / "run").records["daily/0"]
    assert (record["end"]["reason"], len(of(record, "call")), len(endpoint.requests)) == ("tool_loop", 12, 3)


def test_a_model_that_calls_no_tools_acts_with_json(stage: Stage, tmp_path: Path) -> None:
    with serving(picky(json_shopper)) as endpoint:
        record = act(stage, "jsonist", endpoint.url, tmp_path / "run").records["daily/0"]
    assert record["end"]["reason"] == "purchase_complete"
    assert [c["tool"] for c in of(record, "call")] == ["search_products", "add_to_cart", "checkout"]
    for request in endpoint.requests:
        assert "tools" not in request.body
        assert {m["role"] for m in request.messages} <= {"system", "user", "assistant"}
        form = request.body["response_format"]
        assert (form["type"], form["json_schema"]["strict"]) == (
            "json_schema",
            False,
        )  # tools have parameters that may be left out
    assert '"name": "search_products"' in endpoint.requests[0].messages[0]["content"]


def test_a_server_that_knows_no_schema_is_asked_without_and_not_again_with_it(stage: Stage, tmp_path: Path) -> None:
    def unschooled(request: Request) -> Reply:
        return refuse(400, "response_format: unknown") if "response_format" in request.body else json_shopper(request)

    with serving(unschooled) as endpoint:
        record = act(stage, "jsonist", endpoint.url, tmp_path / "run").records["daily/0"]
    assert record["end"]["reason"] == "purchase_complete"
    assert ["response_format" in r.body for r in endpoint.requests] == [True] + [False] * (len(endpoint.requests) - 1)
    assert record["usage"]["agent"]["requests"] == len(endpoint.requests) - 1


ACTIONS: dict[str, tuple[str, str, str]] = {
    "prose": ("Hello there.", "agent", "Hello there."),
    "prose_around": ('Gladly! ```json\n{"action": {"say": "Hello."}}\n```', "agent", "Hello."),
    "no_action": ('{"say": "Hello."}', "agent", '{"say": "Hello."}'),
    "nothing_to_say": ('{"action": {"say": null}}', "agent", '{"action": {"say": null}}'),
    "half": ('{"action": {"say": "Hel', "agent", '{"action": {"say": "Hel'),
    "endless": ('{"action":' * 9000, "agent", '{"action":' * 2000),
    "no_such_tool": ('{"action": {"tool": "buy"}}', "call", "There is no tool"),
    "arguments_as_a_text": ('{"action": {"tool": "view_cart", "arguments": "{}"}}', "call", ""),
    "garbled_arguments": ('{"action": {"tool": "view_cart", "arguments": "{"}}', "call", "must be an object"),
    "infinity": (
        '{"action": {"tool": "search_products", "arguments": {"query": "tea", "price_max": 1e999}}}',
        "call",
        "must be an object",
    ),
    "half_a_character": ('{"action": {"tool": "\\ud800", "arguments": {"\\ud800": "\\ud800"}}}', "call", "There is no tool"),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_json_that_is_no_action_is_said_and_no_crash(stage: Stage, tmp_path: Path, name: str) -> None:
    text, kind, expected = ACTIONS[name]
    with serving(picky(at_first(Reply(text), json_shopper))) as endpoint:
        played = act(stage, "jsonist", endpoint.url, tmp_path / "run")
    assert played.records, played.losses
    event = played.records["daily/0"]["events"][1]
    assert event["type"] == kind
    assert event["text"] == expected if kind == "agent" else expected in (event["error"] or "")
    assert played.records["daily/0"]["end"]["reason"] == "purchase_complete"


def test_a_conversation_that_no_longer_fits_ends_the_trial(stage: Stage, tmp_path: Path) -> None:
    with serving(lambda request: too_long() if len(request.messages) > 4 else shopper(request)) as endpoint:
        played = act(stage, "mine", endpoint.url, tmp_path / "run")
    record = played.records["daily/0"]
    assert record["end"]["reason"] == "agent_exited"
    assert "too long" in record["end"]["detail"]
    assert [e["type"] for e in record["events"]] == ["customer", "call", "call"]
    assert not played.losses


TROUBLES: list[Callable[[], Reply]] = [
    lambda: refuse(500, "out of memory"),
    lambda: refuse(408, "slow"),
    lambda: refuse(409, "busy"),
    lambda: refuse(429, "too many"),
    lambda: refuse(503, "later", Retry_After="0.01"),
    lambda: Reply(drop=True),
    lambda: Reply("Hello.", cut=50),
    lambda: Reply(body=b"<html>"),
    lambda: Reply(body=b'{"choices": []}'),
    lambda: Reply(body=b'{"choices": [{"message": null}]}'),
    lambda: Reply(body=b"[" * 50_000),
    lambda: Reply(body=b"", status=204),
    lambda: Reply(message={"content": 7}),
    lambda: Reply("Hello.", headers={"Content-Encoding": "gzip"}),
]


def test_requests_that_had_to_be_repeated_leave_no_trace(stage: Stage, tmp_path: Path, whole: Played) -> None:
    troubles = iter(TROUBLES * 10)
    with serving(once_each(lambda: next(troubles)(), picky(shopper))) as endpoint:
        played = act(stage, "mine", endpoint.url, tmp_path / "run", trials=3)
    assert len(endpoint.requests) > 2 * len(TROUBLES)
    assert played.lines == whole.lines
    retries = played.kinds("retry")
    assert len(retries) == len(endpoint.requests) / 2
    assert {e["tries"] for e in played.kinds("request")} == {2}
    assert any("out of memory" in e["why"] for e in retries)


def test_lost_trials_are_not_recorded_and_a_resumed_run_equals_an_unbroken_one(
    stage: Stage, tmp_path: Path, whole: Played
) -> None:
    doomed: list[str] = []

    def failing(request: Request) -> Reply | str:
        text = request.messages[1]["content"]
        if not doomed:
            doomed.append(text)
        return refuse(500, "out of\x1b[2J memory") if text in doomed else shopper(request)

    with serving(failing) as endpoint:
        where = ("--package", stage.package, "--endpoint", endpoint.url)
        broken = shopdsl("run", stage.plan, "--agent", "mine", *where, "-o", tmp_path / "run", "--limit", "3")
        assert broken.exit_code == 4
        assert "1 trial lost, the last one to: " in broken.output
        assert f"shopdsl run --resume {tmp_path / 'run'}" in broken.output
        lost = [json.loads(line) for line in (tmp_path / "run" / "lost.jsonl").read_text("utf-8").splitlines()]
        assert [entry["reason"] for entry in lost] == ["infrastructure"]
        assert "out of" in lost[0]["detail"]
        assert "\x1b" not in lost[0]["detail"] + broken.output
        assert len((tmp_path / "run" / "records.jsonl").read_bytes().splitlines()) == 2
        endpoint.answer = shopper
        done = shopdsl("run", "--resume", tmp_path / "run", "--agent", "mine", *where)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "run" / "records.jsonl").read_bytes() == whole.lines


@pytest.mark.parametrize("status", [301, 307, 401, 403, 404])
def test_what_will_always_be_refused_stops_the_run(stage: Stage, tmp_path: Path, status: int) -> None:
    with serving(shopper) as elsewhere:
        there = {"Location": elsewhere.url + "/chat/completions"}
        with serving(lambda request: refuse(status, f"wrong: {KEY}", **there)) as endpoint:
            played = act(stage, "mine", endpoint.url, tmp_path / "run", trials=8, at_once=2)
        assert not elsewhere.requests
    assert len(endpoint.requests) <= 2
    assert not played.lines
    assert played.runner.stopped is not None
    assert endpoint.url in played.runner.stopped
    assert str(status) in played.runner.stopped


def test_a_wrong_key_is_named_by_its_address_alone(stage: Stage, tmp_path: Path) -> None:
    with serving(lambda request: refuse(401, f"Incorrect API key provided: {KEY}. \x1b[31m")) as endpoint:
        env = {"SHOPDSL_ENDPOINT": endpoint.url, "SHOPDSL_API_KEY": KEY}
        where = ("--package", stage.package, "-o", tmp_path / "run")
        done = shopdsl("run", stage.plan, "--agent", "mine", *where, "--events", tmp_path / "events", env=env)
    assert done.exit_code == 4
    assert endpoint.requests[0].key == KEY
    assert f"stopped: some-model-7b at {endpoint.url}: Error code: 401" in done.output
    assert "go on with `shopdsl run --resume" in done.output
    assert "\x1b" not in done.output
    assert KEY not in done.output + everything_in(tmp_path)


def everything_in(folder: Path) -> str:
    """All that stands in the files of a folder."""
    return "\n".join(p.read_text("utf-8") for p in sorted(folder.rglob("*")) if p.is_file())


@pytest.mark.parametrize(
    "header",
    [
        lambda: {"Retry_After": "0.3"},
        lambda: {"retry_after_ms": "300", "Retry_After": "9"},
        lambda: {"Retry_After": email.utils.formatdate(time.time() + 1.4, usegmt=True)},
    ],
)
def test_a_pause_that_is_asked_for_is_kept_by_all(stage: Stage, tmp_path: Path, header: Callable[[], dict[str, str]]) -> None:
    asked: list[float] = []

    def busy(request: Request) -> Reply | str:
        if not asked:
            asked.append(request.at)
            return refuse(429, "too many", **header())
        return shopper(request)

    with serving(busy) as endpoint:
        played = act(stage, "single", endpoint.url, tmp_path / "run", trials=2)
    wait = played.kinds("retry")[0]["wait"]
    assert 0.25 < wait < 1.5
    assert len(endpoint.requests) > 4
    assert min(r.at for r in endpoint.requests[1:]) - asked[0] >= wait - 0.05
    assert len(played.records) == 2


@pytest.mark.parametrize("text", ["Fri, 31 Dec 9999 23:59:59 GMT", "1e9", "nan", "inf", "-1", "soon", "", "9" * 5000])
def test_no_pause_is_kept_that_is_longer_than_a_day(text: str) -> None:
    wait = retry.wait_before(1, 429, {"retry-after": text})
    assert wait is not None
    assert wait < 1


def test_no_more_requests_at_once_than_the_model_allows(stage: Stage, tmp_path: Path) -> None:
    def slow(request: Request) -> Reply:
        reply = shopper(request)
        reply.delay = 0.01
        return reply

    with serving(slow) as endpoint:
        assert len(act(stage, "single", endpoint.url, tmp_path / "single", trials=4).records) == 4
        assert endpoint.most_at_once == 1
        assert len(act(stage, "mine", endpoint.url, tmp_path / "many", trials=4).records) == 4
        assert endpoint.most_at_once > 1


def test_a_minute_holds_so_many_requests() -> None:
    window = Window(3)
    for now in (0.0, 10.0, 20.0):
        assert window.wait(1, now) == 0
        window.take(1, now)
    assert window.wait(1, 30.0) == 30.0
    assert window.wait(2, 30.0) == 40.0
    assert window.wait(9, 30.0) == 50.0
    assert window.wait(1, 60.0) == 0


def test_tokens_that_were_not_used_are_free_again_and_only_once() -> None:
    window = Window(1000)
    first = window.take(900, 0.0)
    assert window.wait(500, 30.0) == 30.0
    window.correct(first, 100)
    assert window.wait(900, 30.0) == 0
    late = window.take(900, 30.0)
    assert window.wait(200, 61.0) == 29.0
    assert window.wait(1000, 95.0) == 0
    window.correct(late, 0)
    window.take(1000, 95.0)
    assert window.wait(1, 96.0) == 59.0


def counting(read: int, made: int, cached: int = 0, reasoning: int = 0) -> Answer:
    """The shopper, who takes so many tokens an answer."""

    def answer(request: Request) -> Reply:
        reply = shopper(request)
        reply.usage = used(read, made, cached, reasoning)
        return reply

    return answer


def test_tokens_and_cost_are_recorded_and_told(stage: Stage, tmp_path: Path) -> None:
    with serving(counting(90, 10, 40, 5)) as endpoint:
        where = ("--package", stage.package, "--endpoint", endpoint.url, "-o", tmp_path / "run", "--events", tmp_path / "events")
        done = shopdsl("run", stage.plan, "--agent", "dear", *where, "--limit", "1")
    assert done.exit_code == 0, done.output
    record = json.loads((tmp_path / "run" / "records.jsonl").read_text("utf-8"))
    count = len(endpoint.requests)
    cost = count * (50 * Decimal(2) + 40 * Decimal("0.5") + 10 * Decimal(10)) / 1_000_000
    usage = {"requests": count, "input": 90 * count, "output": 10 * count, "cached": 40 * count, "reasoning": 5 * count}
    assert record["usage"]["agent"] == usage | {"cost": f"{cost.normalize():f}"}
    events = [json.loads(line) for line in (tmp_path / "events").read_text("utf-8").splitlines()]
    asked = [e for e in events if e["event"] == "request"]
    assert len(asked) == count
    assert {(e["role"], e["trial"], e["tries"], e["model"], e["place"]) for e in asked} == {
        ("agent", "daily/0", 1, "dear-model", endpoint.url)
    }
    assert sum(Decimal(e["cost"]) for e in asked) == cost
    assert [e["event"] for e in events][:2] == ["run_started", "trial_started"]
    assert (events[-1]["event"], Decimal(events[-1]["cost"]), events[-1]["usage"]) == ("run_finished", cost, usage)


def test_a_budget_that_is_spent_ends_the_run_in_order_and_it_can_be_gone_on_with(stage: Stage, tmp_path: Path) -> None:
    """Trials take 5, 24, 18 and 21 thousand tokens: one that is probably not paid for is not begun, and none is lost."""
    with serving(counting(900, 100)) as endpoint:
        unbroken = act(stage, "dear", endpoint.url, tmp_path / "unbroken", trials=4, at_once=1)
        folder, recorded = tmp_path / "run", []
        for most in (35_000, 35_000, None):
            played = act(stage, "dear", endpoint.url, folder, trials=4, at_once=1, purse=Purse(most_tokens=most))
            recorded.append(len(played.records))
            assert (played.runner.stopped is None) == (most is None), played.runner.stopped
            assert most is None or played.runner.spending.purse.usage.tokens <= most
    assert (recorded, played.losses) == ([2, 3, 4], [])
    assert played.lines == unbroken.lines


def test_a_budget_is_not_wasted_on_trials_that_it_does_not_pay_for(stage: Stage, tmp_path: Path) -> None:
    """Many could begin at once, and the first that is over is a short one."""
    with serving(counting(900, 100)) as endpoint:
        played = act(stage, "dear", endpoint.url, tmp_path / "run", trials=20, at_once=16, purse=Purse(most_tokens=150_000))
    assert played.runner.stopped is not None
    assert len(played.records) >= 2
    assert len(played.losses) <= 1
    assert played.runner.spending.purse.usage.tokens <= 150_000 + 16 * 1_000


def test_a_run_whose_last_trial_is_paid_for_is_complete(stage: Stage, tmp_path: Path) -> None:
    with serving(counting(900, 100)) as endpoint:
        played = act(stage, "mine", endpoint.url, tmp_path / "run", at_once=1, purse=Purse(most_tokens=7_000))
    assert (len(played.records), played.runner.stopped) == (1, None)


@pytest.mark.parametrize(("purse", "asked"), [(Purse(most_tokens=50_000), 17), (Purse(most_cost=Decimal("0.12")), 15)])
def test_a_trial_that_runs_out_of_budget_is_lost_and_not_recorded(stage: Stage, tmp_path: Path, purse: Purse, asked: int) -> None:
    with serving(counting(2700, 300)) as endpoint:
        played = act(stage, "dear", endpoint.url, tmp_path / "run", trials=[1, 2], at_once=1, purse=purse)
    assert (len(endpoint.requests), played.lines) == (asked, b"")
    assert [loss["reason"] for loss in played.losses] == ["budget"]
    assert played.losses[0]["detail"] == played.runner.stopped


def test_a_model_that_takes_too_long_for_a_turn_loses_it(stage: Stage, tmp_path: Path) -> None:
    with serving(at_first(Reply("Hello.", delay=0.15))) as endpoint:
        record = act(stage, "impatient", endpoint.url, tmp_path / "run").records["daily/0"]
    assert record["end"] == {"reason": "agent_timeout", "detail": "more than 0.1 s for one turn"}


@pytest.mark.parametrize("trouble", [Reply("Hello.", delay=0.4), Reply("Hello.", drip=0.05)])
def test_a_server_that_takes_too_long_is_asked_again_and_is_not_the_agents_fault(
    stage: Stage, tmp_path: Path, trouble: Reply
) -> None:
    """Also one that sends its answer byte by byte."""
    started = time.monotonic()
    with serving(once_each(lambda: trouble, shopper)) as endpoint:
        patient = act(stage, "hasty", endpoint.url, tmp_path / "patient", trials=[0])
        assert patient.records["daily/0"]["end"]["reason"] == "purchase_complete"
        endpoint.answer = lambda request: trouble
        lost = act(stage, "hasty", endpoint.url, tmp_path / "lost")
    assert time.monotonic() - started < 5
    assert not lost.lines
    assert [loss["reason"] for loss in lost.losses] == ["infrastructure"]
    assert "no answer within 0.2 s" in lost.losses[0]["detail"]


def test_the_prompt_of_the_agent_is_its_own(stage: Stage, tmp_path: Path) -> None:
    with serving(picky(shopper)) as endpoint:
        act(stage, "mine", endpoint.url, tmp_path / "plain")
        act(stage, "briefed", endpoint.url, tmp_path / "briefed")
    system = [r.messages[0]["content"] for r in endpoint.requests]
    assert set(system) == {system[0], f"Work for corner with {'+'.join(names(endpoint.requests[0]))}. {system[0]}"}


def names(request: Request) -> list[str]:
    return [t["function"]["name"] for t in request.body["tools"]]


def leaky(request: Request) -> Reply | str:
    """Sends the key back wherever it can: in errors, words, thoughts and calls, plainly and with escapes."""
    key = request.key
    escaped = "".join(f"\\u{ord(c):04x}" for c in key)
    match len(request.messages):
        case 2 if "?" in request.prompt:
            return Reply(f"Your key is {key}.")
        case 2:
            return calling(wants("search_products", {"query": f"tea {key}"}, f"id-{key}"), reasoning=f"Key: {key}")
        case 4:
            body = calling(wants(f"tool_{key}", {"query": key})).as_bytes().decode()
            return Reply(body=body.replace(key, escaped).encode())
        case 6:
            return Reply(f"Your key is {key}.", finish=key)
    return refuse(400, f"The key {key} is not for this.")


def test_two_agents_at_two_addresses_and_each_key_only_at_its_own(stage: Stage, tmp_path: Path) -> None:
    """One is in the environment, one in the settings; neither stands in anything that is written."""
    with serving(leaky) as one, serving(leaky) as two:
        (tmp_path / "settings.toml").write_text(
            f'[endpoints.plain]\naddress = "{two.url}"\nkey_variable = "KEY_OF_TWO"\n[endpoints.default]\naddress = "http://[::1]:9/v1"\nkey = "{KEY}"\n',
            "utf-8",
        )
        env = {
            "SHOPDSL_ENDPOINT_QUICK": one.url, "SHOPDSL_API_KEY_QUICK": KEY, "KEY_OF_TWO": OTHER,
            "SHOPDSL_SETTINGS": str(tmp_path / "settings.toml"), "OPENAI_API_KEY": "sk-ambient-key", "OPENAI_ORG_ID": "org-ambient",
        }  # fmt: skip
        out = tmp_path / "out"
        where = ("--package", stage.package, "-o", out, "--limit", "2", "--events", out / "events")
        out.mkdir()
        done = shopdsl("run", stage.plan, "--agent", "mine", "--agent", "jsonist", *where, env=env)
    assert done.exit_code == 4, done.output
    assert {r.key for r in one.requests} == {KEY}
    assert {r.key for r in two.requests} == {OTHER}
    assert {r.body["model"] for r in one.requests} == {"some-model-7b"}
    assert {r.body["model"] for r in two.requests} == {"plain-model"}
    sent = "\n".join(v for r in (*one.requests, *two.requests) for v in r.headers.values())
    assert "ambient" not in sent
    assert (out / "mine" / "manifest.json").is_file()
    assert (out / "jsonist" / "manifest.json").is_file()
    written = everything_in(out) + done.output
    assert "(key)" in written
    for secret in (KEY, OTHER, "ambient"):
        assert secret not in written


ADDRESSES: dict[str, tuple[tuple[str, ...], dict[str, str], str, str | None]] = {
    "option": (("http://a/v1",), {}, "http://a/v1", None),
    "named_option": (("http://a/v1", "quick=http://b/v1"), {}, "http://b/v1", None),
    "another_name": (("http://a/v1", "plain=http://b/v1"), {}, "http://a/v1", None),
    "an_address_with_an_equals_sign": (("http://a/v1/x=y",), {}, "http://a/v1/x=y", None),
    "environment": ((), {"SHOPDSL_ENDPOINT": "http://a/v1", "SHOPDSL_API_KEY": KEY}, "http://a/v1", KEY),
    "named_environment": (
        (),
        {"SHOPDSL_ENDPOINT": "http://a/v1", "SHOPDSL_ENDPOINT_QUICK": "http://b/v1", "SHOPDSL_API_KEY": KEY},
        "http://b/v1",
        None,
    ),
    "key_of_a_name": ((), {"SHOPDSL_ENDPOINT_QUICK": "http://b/v1", "SHOPDSL_API_KEY_QUICK": KEY}, "http://b/v1", KEY),
    "option_over_environment": (
        ("http://c/v1",),
        {"SHOPDSL_ENDPOINT": "http://a/v1", "SHOPDSL_API_KEY": KEY},
        "http://c/v1",
        None,
    ),
    "option_of_the_same_address": (
        ("quick=http://a/v1",),
        {"SHOPDSL_ENDPOINT": "http://a/v1", "SHOPDSL_API_KEY": KEY},
        "http://a/v1",
        KEY,
    ),
    "a_key_without_an_address": (("http://a/v1",), {"SHOPDSL_API_KEY": KEY, "SHOPDSL_API_KEY_QUICK": KEY}, "http://a/v1", None),
}


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_key_belongs_to_an_address(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options, env, address, key = ADDRESSES[name]
    monkeypatch.setenv("SHOPDSL_SETTINGS", str(tmp_path / "none.toml"))
    for variable, value in env.items():
        monkeypatch.setenv(variable, value)
    found = endpoints(options).of({"name": "quick"}, "an agent")
    assert (found.address, found.key) == (address, key)
    assert KEY not in repr(found)


BAD_SETTINGS = {
    "no_toml": ("[endpoints", "cannot read the settings"),
    "no_address": ("[endpoints.quick]\nkey = 'k'\n", "needs an `address`"),
    "half_an_address": ("[endpoints.quick]\naddress = 'localhost:1'\n", "is not an address"),
    "a_number": ("[endpoints]\nquick = 7\n", "needs an `address`"),
}


@pytest.mark.parametrize("name", BAD_SETTINGS)
def test_settings_that_cannot_be_used_are_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, message = BAD_SETTINGS[name]
    (tmp_path / "settings.toml").write_text(text, "utf-8")
    monkeypatch.setenv("SHOPDSL_SETTINGS", str(tmp_path / "settings.toml"))
    with pytest.raises(Trouble, match=message):
        endpoints(())
