"""A plan as a task of Inspect AI: its models shop, its logs hold the conversations, and its scores are those of `shopdsl score`."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import eval as evaluate
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolCall

from shopdsl.cli import cli
from shopdsl.dsl.plan import canonical, open_plan
from shopdsl.runtime.inspect_ import task
from shopdsl.runtime.manifest import create_run
from shopdsl.runtime.recording import Writer
from shopdsl.runtime.world import World
from tests.conftest import ROOT
from tests.endpoint import Reply, Request, refuse, serving
from tests.errors.test_errors import _standard_package_is_read_once  # noqa: F401  # one read of `std` for all scorings

Heard = list[Any]
Shopper = Callable[..., "ModelOutput | str"]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inspect keeps traces and a registry of evaluations with the user's data."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def made(answer: ModelOutput | str) -> ModelOutput:
    """With what it took, or Inspect would look for a tokenizer on the network."""
    output = ModelOutput.from_content("mockllm", answer) if isinstance(answer, str) else answer
    output.usage = ModelUsage(input_tokens=7, output_tokens=2, total_tokens=12, input_tokens_cache_read=3)
    return output


def calling(*calls: tuple[str, dict[str, Any]]) -> ModelOutput:
    """Calls that are made at once."""
    made = [ToolCall(id=f"c{at}", function=name, arguments=arguments) for at, (name, arguments) in enumerate(calls)]
    return ModelOutput.from_message(ChatMessageAssistant(content="", tool_calls=made), stop_reason="tool_calls")


def shopping(heard: Heard, *told: Any) -> ModelOutput | str:
    """Searches for what it was told and looks into the cart, adds what it found first, and says so."""
    last = heard[-1]
    if last.role == "user" and "check" in last.text.lower():
        return calling(("checkout", {"confirm": True}))
    if last.role == "user":
        return calling(("search_products", {"query": last.text, "top_k": 3}), ("view_cart", {}))
    if last.function == "view_cart" and (found := json.loads(heard[-2].text)):
        return calling(("add_to_cart", {"product_id": found[0]["product_id"], "quantity": 1}))
    return "It is done."


def played(plan: Path, folder: Path, shopper: Shopper, limit: int = 1, **options: Any) -> EvalLog:
    """An evaluation of the first trials, in this process."""
    model = get_model("mockllm/model", custom_outputs=lambda heard, *told: made(shopper(heard, *told)), memoize=False)
    return evaluated(plan, folder, model, limit, **options)


def evaluated(plan: Path, folder: Path, model: Any, limit: int, **options: Any) -> EvalLog:
    chosen = {"display": "none", "log_dir": str(folder / "logs"), "ctl_server": False, "log_realtime": False} | options
    return evaluate("shopdsl/plan", task_args={"plan": str(plan), "limit": limit}, model=model, **chosen)[0]


def samples(log: EvalLog) -> list[EvalSample]:
    assert log.samples is not None, log.error
    return log.samples


def recorded(plan: Path, folder: Path, records: list[dict[str, Any]], repeat: int = 1) -> Path:
    """A run folder with these records."""
    opened = open_plan(plan)
    trials = list(dict.fromkeys(r["trial"] for r in records))
    about = {"plan": opened.digest, "suite": opened.header["suite"], "agent": {"name": "tested", "builtin": None}}
    create_run(folder, plan, {**about, "agent_argument": "tested", "customer_argument": None, "trials": trials, "repeat": repeat})
    writer = Writer(folder)
    for record in records:
        writer.append(record | {"seconds": 0.0})
    writer.close()
    return folder


def scored(folder: Path) -> dict[str, Any]:
    """What `shopdsl score` says of the cohort."""
    done = CliRunner().invoke(cli, ["score", str(folder), "--format", "json"])
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)["cohorts"]["daily"]
    assert found["lost"] == 0
    return found["metrics"]  # type: ignore[no-any-return]  # JSON of ours


def test_scores_are_those_of_score(plan: Path, tmp_path: Path) -> None:
    """Three trials, twice each: an epoch is a repeat, and the means are those of the same records."""
    log = played(plan, tmp_path, shopping, 3, epochs=2)
    records = [s.store["shopdsl"] for s in samples(log)]
    assert {(r["trial"], r["repeat"]) for r in records} == {(f"daily/{n}", e) for n in range(3) for e in range(2)}
    assert log.results is not None
    means = {s.name: s.metrics["mean"].value for s in log.results.scores}
    wanted = scored(recorded(plan, tmp_path / "run", records, 2))
    told = {n: math.nan if m["value"] is None else m["value"] for n, m in wanted.items()}
    assert means == pytest.approx(told, abs=1e-12, nan_ok=True)
    assert sum(v == v for v in told.values()) > 20
    assert len({v for v in told.values() if v == v}) > 8


def in_two_cohorts(plan: Path, path: Path) -> Path:
    """The same plan with its second trial in a cohort of its own, to which not all metrics apply."""
    header, *rest = (json.loads(line) for line in plan.read_text("utf-8").splitlines())
    moved = next(d for d in rest if d.get("trial") == "daily/1")
    moved.update(trial="other/1", cohort="other")
    daily = header["cohorts"]["daily"]
    header["cohorts"] = {"daily": daily | {"trials": daily["trials"] - 1}, "other": daily | {"trials": 1}}
    for metric in header["metrics"].values():
        metric["for"] = [*metric["for"], "other"] if metric["group"] == "search" else metric["for"]
    path.write_text("".join(canonical(line) + "\n" for line in [header, *rest]), "utf-8")
    return path


def test_cohorts_are_not_averaged(plan: Path, tmp_path: Path) -> None:
    """Neither in an evaluation nor in a log that is exported."""
    two = in_two_cohorts(plan, tmp_path / "two.plan.jsonl")
    log = played(two, tmp_path, shopping, 3)
    values: dict[str, Any] = {str(s.id): (s.scores or {})["metrics"].value for s in samples(log)}
    assert log.results is not None
    means = {s.name: {m.name: m.value for m in s.metrics.values()} for s in log.results.scores}
    first, other, second = (values[t]["active_search_hit_at_k"] for t in ("daily/0", "other/1", "daily/2"))
    assert means["active_search_hit_at_k"] == {"daily": pytest.approx((first + second) / 2), "other": pytest.approx(other)}
    assert list(means["bought"]) == ["daily"]
    run = recorded(two, tmp_path / "run", [s.store["shopdsl"] for s in samples(log)])
    done = CliRunner().invoke(cli, ["export", str(run), "--to", "inspect", "-o", str(tmp_path / "two.eval")])
    assert done.exit_code == 0, done.output
    results = read_eval_log(str(tmp_path / "two.eval"), header_only=True).results
    assert results is not None
    known = {n: {c: v for c, v in m.items() if v == v} for n, m in means.items()}
    assert {s.name: {m.name: pytest.approx(m.value) for m in s.metrics.values()} for s in results.scores} == known


def test_a_sample_holds_the_conversation(plan: Path, tmp_path: Path) -> None:
    told: list[Any] = []

    def listening(heard: Heard, tools: list[Any], *more: Any) -> ModelOutput | str:
        told[:] = tools
        return shopping(heard)

    (sample,) = samples(played(plan, tmp_path, listening))
    record, trial = sample.store["shopdsl"], open_plan(plan).trial("daily/0")
    assert trial is not None
    expected = World(open_plan(plan)).trial(trial)
    assert [t.model_dump(exclude_none=True) for t in told] == expected.store.schemas()
    assert sample.messages[0].text == expected.system
    said = [m.text for m in sample.messages if m.role == "user"]
    assert said == [e["text"] for e in record["events"] if e["type"] == "customer"]
    assert [m.role for m in sample.messages[:6]] == ["system", "user", "assistant", "tool", "tool", "assistant"]
    asked = [c.function for m in sample.messages if m.role == "assistant" for c in m.tool_calls or []]
    assert asked == [e["tool"] for e in record["events"] if e["type"] == "call"]
    results = [json.loads(m.text) for m in sample.messages if m.role == "tool"]
    assert results == [e["result"] for e in record["events"] if e["type"] == "call"]
    assert sample.metadata["end"] == record["end"]["reason"]
    assert (sample.metadata["cohort"], sample.metadata["tier"], sample.metadata["difficulty"]) == ("daily", "simple", 1)
    requests = sum(m.role == "assistant" for m in sample.messages)
    assert record["usage"]["agent"] == {
        "requests": requests,
        "input": 10 * requests,
        "output": 2 * requests,
        "cached": 3 * requests,
    }


def test_a_failing_provider_is_an_error_of_its_sample(plan: Path, tmp_path: Path) -> None:
    """The other trials are scored; no end reason blames the agent, not even where it seems a matter of time."""

    def failing(heard: Heard, *told: Any) -> ModelOutput | str:
        if "seltzer" in heard[1].text:
            raise TimeoutError("nobody answers")
        return ModelOutput() if "crisp" in heard[1].text else "Hello."

    log = played(plan, tmp_path, failing, 3, fail_on_error=False)
    found = {str(s.id): s for s in samples(log)}
    assert found["daily/0"].scores
    errors = [found[f"daily/{n}"].error for n in (1, 2)]
    assert [e is not None for e in errors] == [True, True]
    assert "did not answer in time: nobody answers" in (errors[0].message if errors[0] else "")
    assert "sent no message" in (errors[1].message if errors[1] else "")
    assert not any(found[f"daily/{n}"].scores or "shopdsl" in found[f"daily/{n}"].store for n in (1, 2))


def test_what_a_model_does_wrong_ends_its_trial(plan: Path, tmp_path: Path) -> None:
    def failing(heard: Heard, *told: Any) -> ModelOutput | str:
        if "seltzer" in heard[1].text:
            return ModelOutput.from_content("mockllm", "", stop_reason="model_length")
        return calling(("view_cart", {})) if "crisp" in heard[1].text else " "

    log = played(plan, tmp_path, failing, 3)
    ends = {str(s.id): s.metadata["end"] for s in samples(log)}
    assert ends == {"daily/0": "agent_silent", "daily/1": "agent_exited", "daily/2": "tool_loop"}
    assert all(isinstance((s.scores or {})["metrics"].value, dict) for s in samples(log))


def test_a_trial_that_was_cut_short_is_unscored(plan: Path, tmp_path: Path) -> None:
    (sample,) = samples(played(plan, tmp_path, shopping, message_limit=6))
    assert sample.limit is not None
    score = (sample.scores or {})["metrics"]
    assert isinstance(score.value, float)
    assert math.isnan(score.value)
    assert score.explanation == "the trial was not played to its end"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with serving(_careless) as endpoint:
        yield endpoint


def _careless(request: Request) -> Reply | str:
    """Calls with one id for two calls, with none, with an unknown tool, and with arguments that are no JSON."""
    if request.body["messages"][-1]["role"] != "user":
        return "Here is what I found."
    wanted = [("a", "view_cart", "{}"), ("a", "get_cart", "{}"), ("", "view_cart", "{}"), ("b", "search_products", "{oops")]
    calls = [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in wanted]
    return Reply(None, message={"tool_calls": calls})


def test_a_careless_model_behind_a_server(plan: Path, tmp_path: Path, served: Any) -> None:
    """Over HTTP, by a provider of Inspect: every call is answered under an id of its own, and the shop says what was wrong."""
    model = get_model("openai-api/local/m", base_url=served.url, api_key="none", memoize=False)
    (sample,) = samples(evaluated(plan, tmp_path, model, 1))
    calls = [e for e in sample.store["shopdsl"]["events"] if e["type"] == "call"][:4]
    assert [c["error"] is None for c in calls] == [True, False, True, False]
    assert "There is no tool 'get_cart'" in calls[1]["error"]
    assert calls[3]["error"] == "The arguments must be an object."
    sent = served.requests[-1].body["messages"]
    ids = [c["id"] for m in sent if m["role"] == "assistant" for c in m.get("tool_calls") or []]
    assert [m["tool_call_id"] for m in sent if m["role"] == "tool"] == ids
    assert len(set(ids[:4])) == 4
    served.answer = lambda request: refuse(401, "the key is wrong")
    refused = evaluated(plan, tmp_path, model, 1)
    assert refused.status == "error"
    assert refused.error is not None
    assert "the key is wrong" in refused.error.message


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "-T plan=build/SUITE.plan.jsonl"),
        ({"plan": "nowhere.jsonl"}, "No such file"),
        ({"plan": str(ROOT / "README.md")}, "is not a plan of shopdsl"),
        ({"limit": "abc"}, "`-T limit=abc` is not a whole number above 0"),
        ({"limit": 0}, "`-T limit=0` is not a whole number above 0"),
        ({"plan": str(ROOT)}, "is not a file"),
        ({"turn_timeout": math.inf}, "`-T turn_timeout=inf` is not a number of seconds"),
    ],
)
def test_what_cannot_be_played_is_said(plan: Path, given: dict[str, Any], says: str) -> None:
    with pytest.raises(PrerequisiteError) as caught:
        task.plan(**({"plan": str(plan)} | given if given and "plan" not in given else given))
    assert says in str(caught.value.message)


def test_a_customer_with_a_model_is_refused(plan: Path, tmp_path: Path) -> None:
    """Its words would be others than those of the plan."""
    first, _, rest = plan.read_text("utf-8").partition("\n")
    header = json.loads(first)
    for customer in header["customers"].values():
        customer["model"] = {"model": {"name": "small"}, "prompt": ["lit", ""], "instruct": ["lit", ""]}
    changed = tmp_path / "changed.plan.jsonl"
    changed.write_text(json.dumps(header) + "\n" + rest, "utf-8")
    with pytest.raises(PrerequisiteError) as caught:
        task.plan(str(changed))
    assert "writes with the model `small`" in str(caught.value.message)


def test_the_entry_point_is_declared() -> None:
    """By which `inspect eval shopdsl/plan` finds the task."""
    (declared,) = entry_points(group="inspect_ai", name="shopdsl")
    assert declared.load().plan is task.plan
