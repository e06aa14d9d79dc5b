"""Agents of users, good and bad: each ends its trial under a reason of its own, and no other trial suffers."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path

import pytest

from tests.conftest import Shop, records

GOOD = """
import json, sys
for line in sys.stdin:
    event = json.loads(line)
    if event["type"] == "customer":
        if "check out" in event["text"].lower() or "order" in event["text"].lower():
            print(json.dumps({"type": "call", "id": 1, "tool": "view_cart", "arguments": {}}), flush=True)
        else:
            print(json.dumps({"type": "say", "text": "I see."}), flush=True)
    elif event["type"] == "result":
        assert event["id"] == 1 and event["error"] is None
        print(json.dumps({"type": "say", "text": "Your cart is empty."}), flush=True)
    else:
        assert event["type"] == "start" and len(event["tools"]) == 8, event
"""
BAD = {
    "exits": ("import sys; sys.stdin.readline(); sys.exit(3)", "agent_exited"),
    "exits_at_once": ("raise SystemExit(1)", "agent_exited"),
    "prints_junk": ("import sys\nfor _ in sys.stdin: print('hello', flush=True)", "agent_protocol"),
    "prints_half_json": ("import sys\nfor _ in sys.stdin: print('{\"type\": ', flush=True)", "agent_protocol"),
    "prints_a_list": ("import sys\nfor _ in sys.stdin: print('[1]', flush=True)", "agent_protocol"),
    "prints_nesting": ("import sys\nfor _ in sys.stdin: print('[' * 200000, flush=True)", "agent_protocol"),
    "prints_a_megabyte": ("import sys\nfor _ in sys.stdin: print('x' * 3000000, flush=True)", "agent_protocol"),
    "hangs": ("import time; time.sleep(60)", "agent_timeout"),
    "says_nothing": ("import sys, json\nfor _ in sys.stdin: print(json.dumps({'type': 'say', 'text': ''}), flush=True)", "agent_silent"),
    "calls_for_ever": ("import sys\nfor _ in sys.stdin: print('{\"type\": \"call\", \"id\": 1, \"tool\": \"view_cart\"}', flush=True)", "tool_loop"),
}  # fmt: skip


def _agent(folder: Path, body: str, timeout: float = 10) -> Path:
    (folder / "agent.py").write_text(textwrap.dedent(body), "utf-8")
    command = json.dumps([sys.executable, str(folder / "agent.py")])
    (folder / "agent.yaml").write_text(f"kind: agent\nname: mine\ncommand: {command}\ntimeout: {timeout}\n", "utf-8")
    return folder / "agent.yaml"


def test_a_program_that_speaks_json_lines(shop: Shop, tmp_path: Path, plan: Path) -> None:
    done = shop("run", plan, "--agent", _agent(tmp_path, GOOD), "-o", "out", "--limit", "4")
    assert done.returncode == 0, done.stderr
    found = records(tmp_path / "out")
    assert {r["end"]["reason"] for r in found.values()} <= {"budget_exhausted", "frustrated"}
    assert any(e["type"] == "agent" and e["text"] == "I see." for e in found["daily/0"]["events"])


@pytest.mark.parametrize("name", BAD)
def test_bad_agents_end_their_trial_with_a_reason_of_its_own(shop: Shop, tmp_path: Path, plan: Path, name: str) -> None:
    body, reason = BAD[name]
    done = shop("run", plan, "--agent", _agent(tmp_path, body, timeout=1 if name == "hangs" else 10), "-o", "out", "--limit", "2")
    assert "Traceback" not in done.stderr
    assert {r["end"]["reason"] for r in records(tmp_path / "out").values()} == {reason}
    assert done.returncode == 0, done.stderr
    assert reason in done.stdout


def test_one_bad_trial_leaves_the_others_alone(shop: Shop, tmp_path: Path, plan: Path) -> None:
    """An agent that dies in every second trial."""
    body = GOOD + "\n"
    body = body.replace("import json, sys\n", "import json, os, sys\nif os.getpid() % 2: sys.exit(1)\n", 1)
    done = shop("run", plan, "--agent", _agent(tmp_path, body), "-o", "out", "--limit", "8")
    found = records(tmp_path / "out")
    assert done.returncode == 0
    assert len(found) == 8
    for record in found.values():
        assert (record["end"]["reason"] == "agent_exited") == (not any(e["type"] == "agent" for e in record["events"]))


ODD = """
def make(start):
    calls = iter([
        {"tool": "no_such_tool", "arguments": {}},
        {"tool": "add_to_cart", "arguments": {"product_id": 7, "quantity": "many"}},
        {"tool": "add_to_cart", "arguments": {"product_id": "P0001", "quantity": 0}},
        {"tool": "add_to_cart", "arguments": [1, 2]},
        {"tool": "get_product", "arguments": {"product_id": "nothing"}},
        {"tool": "get_product", "arguments": {"product": "x"}},
        {"tool": "search_products", "arguments": {"query": "tea", "price_max": float("nan")}},
        {"tool": "checkout", "arguments": {"confirm": 1}},
        {"tool": "checkout", "arguments": {"confirm": True}},
    ])
    def step(event):
        call = next(calls, None)
        return {"type": "call", "id": 1, **call} if call else {"type": "say", "text": "\\ud800 half a pair, \\u2028 a separator"}
    return step
"""


def test_a_callable_with_odd_calls_gets_plain_answers(shop: Shop, tmp_path: Path, plan: Path) -> None:
    (tmp_path / "odd.py").write_text(ODD, "utf-8")
    (tmp_path / "odd.yaml").write_text("kind: agent\nname: odd\npython: odd:make\n", "utf-8")
    done = shop("run", plan, "--agent", "odd.yaml", "-o", "out", "--trial", "daily/3")
    assert done.returncode == 0, done.stderr
    calls = [e for e in records(tmp_path / "out")["daily/3"]["events"] if e["type"] == "call"]
    assert len(calls) == 9
    assert all(c["error"] for c in calls)
    assert "no_such_tool" in calls[0]["error"]
    assert "must be a text" in calls[1]["error"]
    assert "from 1 to 99" in calls[2]["error"]
    assert "The cart is empty." in calls[8]["error"]
    assert shop("score", "out").returncode == 0


def test_a_callable_that_raises(shop: Shop, tmp_path: Path, plan: Path) -> None:
    (tmp_path / "bad.py").write_text("def make(start):\n    return lambda event: 1 / 0\n", "utf-8")
    (tmp_path / "bad.yaml").write_text("kind: agent\nname: bad\npython: bad:make\n", "utf-8")
    done = shop("run", plan, "--agent", "bad.yaml", "-o", "out", "--limit", "1")
    end = records(tmp_path / "out")["daily/0"]["end"]
    assert done.returncode == 0, done.stderr
    assert end["reason"] == "agent_exited"
    assert "ZeroDivisionError" in end["detail"]


def test_a_callable_that_cancels_its_own_task(shop: Shop, tmp_path: Path, plan: Path) -> None:
    """Libraries do that; it is the agent's end of this trial, and of no other."""
    code = "import asyncio\nasync def make(start):\n    async def step(event):\n        raise asyncio.CancelledError\n    return step\n"
    (tmp_path / "gives_up.py").write_text(code, "utf-8")
    (tmp_path / "agent.yaml").write_text("kind: agent\nname: gives_up\npython: gives_up:make\n", "utf-8")
    done = shop("run", plan, "--agent", "agent.yaml", "-o", "out", "--limit", "3", "--concurrency", "2")
    assert done.returncode == 0, done.stderr
    ends = [r["end"] for r in records(tmp_path / "out").values()]
    assert ends == [{"reason": "agent_exited", "detail": "it cancelled its own turn"}] * 3


def test_a_module_that_fails_when_it_is_loaded_is_named(shop: Shop, tmp_path: Path, plan: Path) -> None:
    (tmp_path / "breaks.py").write_text("raise ValueError('not today')\n", "utf-8")
    (tmp_path / "agent.yaml").write_text("kind: agent\nname: breaks\npython: breaks:make\n", "utf-8")
    done = shop("run", plan, "--agent", "agent.yaml", "-o", "out")
    assert done.returncode == 2
    assert "cannot load the agent breaks:make: ValueError: not today" in done.stderr
    assert not (tmp_path / "out").exists()


def test_an_agent_of_a_required_package_starts_nothing(shop: Shop, tmp_path: Path, corner: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "shopdsl.yaml").write_text("shopdsl: 1\npackage: other\nversion: 1.0\n", "utf-8")
    (other / "a.yaml").write_text(f"kind: agent\nname: sly\ncommand: [touch, {tmp_path}/started]\n", "utf-8")
    manifest = corner / "shopdsl.yaml"
    manifest.write_text(manifest.read_text("utf-8").replace("requires: {}", "requires: {other: '*'}"), "utf-8")
    assert shop("compile", cwd=corner).returncode == 0
    done = shop("run", "--agent", "other.sly", cwd=corner)
    assert done.returncode == 1
    assert "E0215" in done.stderr
    assert not (tmp_path / "started").exists()


def test_the_silent_agent_and_the_oracle(shop: Shop, tmp_path: Path, plan: Path) -> None:
    assert shop("run", plan, "--agent", "silent", "--agent", "oracle", "-o", "out").returncode == 0
    assert {r["end"]["reason"] for r in records(tmp_path / "out" / "silent").values()} == {"agent_silent"}
    scores = json.loads(shop("score", "out/oracle", "--format", "json").stdout)
    metric = scores["cohorts"]["daily"]["metrics"]["bought"]
    assert metric["value"] == 1
    assert metric["n"] == 20
    assert scores["lost"] == 0
