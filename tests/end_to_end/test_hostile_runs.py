"""Agents, servers, folders and settings that mean harm, or are just wrong: each ends in one line or in one trial's end, and nothing else suffers."""

from __future__ import annotations

import gzip
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import Shop, records
from tests.end_to_end.judged import SPECS, judged_package
from tests.end_to_end.modelled import Stage, act, shopdsl, staged
from tests.endpoint import Reply, refuse, serving

AGENTS = {
    "leaves": ("import sys\ndef make(start):\n    return lambda event: sys.exit(0)\n", "agent_exited", "SystemExit: 0"),
    "half": (
        "def make(start):\n    def step(event):\n        raise ValueError(chr(0xd800))\n    return step\n",
        "agent_exited",
        "ValueError: ?",
    ),
    "tuple": (
        "def make(start):\n    return lambda event: {'type': 'call', 'tool': 'view_cart', 'arguments': {'a': (chr(0xd800), float('nan'), {1: 2})}}\n",
        "tool_loop",
        "more than 12 calls",
    ),
    "long": (
        "def make(start):\n    def step(event):\n        raise ValueError('x' * 50_000_000)\n    return step\n",
        "agent_exited",
        "ValueError: xx",
    ),
    "set": (
        "def make(start):\n    return lambda event: {'type': 'call', 'tool': 'view_cart', 'id': {1}}\n",
        "agent_protocol",
        "an action is JSON",
    ),
}


@pytest.mark.parametrize("name", AGENTS)
def test_whatever_a_function_does_ends_its_own_trial(shop: Shop, tmp_path: Path, plan: Path, name: str) -> None:
    code, reason, detail = AGENTS[name]
    (tmp_path / f"{name}_agent.py").write_text(code, "utf-8")
    (tmp_path / "agent.yaml").write_text(f"kind: agent\nname: odd\npython: {name}_agent:make\n", "utf-8")
    done = shop("run", plan, "--agent", "agent.yaml", "-o", "out", "--limit", "2")
    assert done.returncode == 0, done.stderr
    ends = [r["end"] for r in records(tmp_path / "out").values()]
    assert [e["reason"] for e in ends] == [reason, reason]
    assert all(detail in e["detail"] and len(e["detail"]) <= 2_000 for e in ends)
    text = (tmp_path / "out" / "records.jsonl").read_text("utf-8")
    assert [json.loads(line, parse_constant=pytest.fail) for line in text.splitlines()]


def test_a_module_that_leaves_when_it_is_loaded_is_named(shop: Shop, tmp_path: Path, plan: Path) -> None:
    (tmp_path / "gone.py").write_text("import sys\nsys.exit(0)\n", "utf-8")
    (tmp_path / "agent.yaml").write_text("kind: agent\nname: gone\npython: gone:make\n", "utf-8")
    done = shop("run", plan, "--agent", "agent.yaml", "-o", "out")
    assert (done.returncode, "cannot load the agent gone:make: SystemExit: 0" in done.stderr) == (2, True)


def test_a_function_that_never_returns_can_be_interrupted(tmp_path: Path, plan: Path) -> None:
    code = "import time, pathlib\ndef make(start):\n    def step(event):\n        pathlib.Path('here').touch()\n        time.sleep(60)\n    return step\n"
    (tmp_path / "stuck.py").write_text(code, "utf-8")
    (tmp_path / "agent.yaml").write_text("kind: agent\nname: stuck\npython: stuck:make\n", "utf-8")
    command = [sys.executable, "-m", "shopdsl.cli", "run", str(plan), "--agent", "agent.yaml", "-o", "out"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not (tmp_path / "here").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert "go on with `shopdsl run --resume out --agent agent.yaml`" in err
    assert "Traceback" not in err


def test_a_program_that_writes_without_end_to_its_stderr_fills_nothing(shop: Shop, tmp_path: Path, plan: Path) -> None:
    (tmp_path / "agent.yaml").write_text('kind: agent\nname: loud\ncommand: [sh, -c, "yes complaint >&2"]\ntimeout: 1\n', "utf-8")
    before = shutil.disk_usage(tmp_path).used
    done = shop("run", plan, "--agent", "agent.yaml", "-o", "out", "--limit", "1", env={"TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert records(tmp_path / "out")["daily/0"]["end"]["reason"] == "agent_timeout"
    assert shutil.disk_usage(tmp_path).used - before < 50_000_000


# endpoints


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """The small package with models, agents and customers."""
    return staged(
        tmp_path_factory.mktemp("stage"),
        "kind: model\nname: m\nmodel: m\nlimits: {retries: 1}\n---\nkind: agent\nname: mine\nmodel: m\n",
    )


def test_a_packed_answer_is_not_unpacked(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shopdsl.runtime.models.retry.FIRST_WAIT", 0.01)
    packed = Reply(headers={"Content-Encoding": "gzip"}, body=gzip.compress(b" " * 1_000_000))
    with serving(lambda request: packed) as endpoint:
        played = act(stage, "mine", endpoint.url, tmp_path / "run")
        assert all(r.headers["accept-encoding"] == "identity" for r in endpoint.requests)
    assert played.records == {}
    assert "packed" in played.losses[0]["detail"]


def test_limits_that_fit_no_conversation_are_not_the_agents_fault(stage: Stage, tmp_path: Path) -> None:
    why = "max_tokens is too large: this model's maximum context length is 4096 tokens"
    with serving(lambda request: refuse(400, why)) as endpoint:
        played = act(stage, "mine", endpoint.url, tmp_path / "run")
    assert (played.records, why in played.losses[0]["detail"]) == ({}, True)


def test_what_a_server_says_is_shown_as_it_is(tmp_path: Path, plan: Path) -> None:
    from tests.end_to_end.test_watching import on_a_terminal

    (tmp_path / "model.yaml").write_text("kind: model\nname: m\nmodel: m\n---\nkind: agent\nname: m\nmodel: m\n", "utf-8")
    with serving(lambda request: refuse(401, "denied [/nope] [bold")) as endpoint:
        command = [
            sys.executable,
            "-m",
            "shopdsl.cli",
            "run",
            str(plan),
            "--agent",
            "model.yaml",
            "-o",
            "run",
            "--endpoint",
            endpoint.url,
        ]
        seen, code = on_a_terminal(command, tmp_path, 200)
    assert code == 4
    assert "[/nope] [bold" in seen
    assert "made a mistake" not in seen


# folders and settings of others


VOICED = "kind: model\nname: chat\nmodel: chat-1\n---\nkind: customer\nname: voiced\nextends: std.modelled\nmodel: chat\n"


def test_a_folder_of_somebody_elses_asks_no_model_by_itself(corner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (corner / "voiced.yaml").write_text(VOICED, "utf-8")
    shop = corner / "shop.yaml"
    assert "kind: cohort\n" in shop.read_text("utf-8")
    shop.write_text(shop.read_text("utf-8").replace("kind: cohort\n", "kind: cohort\ncustomer: voiced\n", 1), "utf-8")
    monkeypatch.chdir(corner)
    done = shopdsl("compile")
    assert done.exit_code == 0, done.stderr
    with serving(lambda request: "{}") as endpoint:
        monkeypatch.setenv("SHOPDSL_ENDPOINT", endpoint.url)
        first = shopdsl("run", "-o", "run", "--limit", "1")
        assert first.exit_code == 0, first.stderr
        (corner / "run" / "records.jsonl").write_bytes(b"")
        asked = len(endpoint.requests)
        again = shopdsl("run", "--resume", "run")
        assert (again.exit_code, len(endpoint.requests)) == (2, asked)
        assert "the customer of this run asks the model `chat-1`" in again.stderr
        assert shopdsl("run", "--resume", "run", "--endpoint", endpoint.url).exit_code == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trials": ["daily/0"] * 1000, "repeat": 1000}, "has no usable `trials`"),
        ({"agent": {"name": "x", "builtin": None}, "agent_argument": "x.yaml; touch PWNED"}, "--agent 'x.yaml; touch PWNED'"),
    ],
)
def test_manifests_that_mean_harm(shop: Shop, tmp_path: Path, plan: Path, change: dict[str, object], message: str) -> None:
    shop("run", plan, "-o", "run", "--limit", "1")
    path = tmp_path / "run" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), "utf-8")
    done = shop("run", "--resume", "run")
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr


SETTINGS = {
    "a text": ('endpoints = "x"', "there are only tables `[endpoints.NAME]`"),
    "another table": ('[endpoint.m]\naddress = "http://127.0.0.1:9/v1"', "there are only tables `[endpoints.NAME]`"),
    "a number as key": ('[endpoints.m]\naddress = "http://127.0.0.1:9/v1"\nkey = 5', "which are texts"),
    "an unset variable": (
        '[endpoints.m]\naddress = "http://127.0.0.1:9/v1"\nkey_variable = "NOT_SET_HERE"',
        "NOT_SET_HERE, which is not set",
    ),
    "a query": ('[endpoints.m]\naddress = "http://127.0.0.1:9/v1?a=1"', "is not an address"),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_that_cannot_be_used_are_named(shop: Shop, tmp_path: Path, plan: Path, name: str) -> None:
    text, message = SETTINGS[name]
    (tmp_path / "settings.toml").write_text(text, "utf-8")
    (tmp_path / "model.yaml").write_text("kind: model\nname: m\nmodel: m\n---\nkind: agent\nname: m\nmodel: m\n", "utf-8")
    done = shop("run", plan, "--agent", "model.yaml", "-o", "run", env={"SHOPDSL_SETTINGS": str(tmp_path / "settings.toml")})
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "run").exists()


def test_events_are_not_written_into_something_else(shop: Shop, tmp_path: Path, plan: Path) -> None:
    mine = Path(shutil.copy(plan, tmp_path / "mine.plan.jsonl"))
    before = mine.read_bytes()
    done = shop("run", mine, "-o", "run", "--events", mine)
    assert (done.returncode, "holds something else than events" in done.stderr) == (2, True)
    assert mine.read_bytes() == before


def test_an_address_of_an_agent_that_is_none_is_found_by_check(shop: Shop, tmp_path: Path, plan: Path) -> None:
    (tmp_path / "agent.yaml").write_text("kind: agent\nname: far\nhttp: http://127.0.0.1:99999/x\n", "utf-8")
    done = shop("run", plan, "--agent", "agent.yaml", "-o", "run")
    assert (done.returncode, "is not an address" in done.stderr, "agent.yaml:3:7" in done.stderr) == (1, True, True)


def test_a_judge_that_runs_out_of_money_leaves_the_run_incomplete(shop: Shop, tmp_path: Path) -> None:
    package = judged_package(tmp_path, SPECS.replace("limits: {retries: 3}\n", "price: {input: 100, output: 100}\n"))
    assert shop("compile", cwd=package).returncode == 0
    with serving(lambda request: json.dumps({"verdict": "good"})) as endpoint:
        options = ["--judge", "mine", "--endpoint", endpoint.url, "--max-cost", "0.05", "-o", "run"]
        done = shop("run", *options, cwd=package)
        assert done.returncode == 4, done.stderr
        assert "the judge was not asked everything" in done.stderr
        assert len(endpoint.requests) <= 3
