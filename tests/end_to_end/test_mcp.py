"""Tools over MCP: what an agent calls there is played and recorded as if it had been called directly; whatever else it does there ends in an error."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from shopdsl.cli import cli
from shopdsl.cli.casting import builtin_agent
from shopdsl.cli.searching import engines
from shopdsl.dsl.plan import open_plan
from shopdsl.runtime.agents.spec import AgentSpec
from shopdsl.runtime.cast import Cast
from shopdsl.runtime.customer.script import Script
from shopdsl.runtime.execute import Runner
from shopdsl.runtime.world import World
from tests.conftest import Shop, records

OVER = "there is no conversation at this address: it is over, or the address is wrong"
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

Event = dict[str, Any]
Step = Callable[[Event], Awaitable[Event]]


# programs, in processes of their own

PROGRAM = """
import asyncio, json, sys
from mcp import Client, StdioServerParameters

async def main():
    start = json.loads(sys.stdin.readline())
    bridge = StdioServerParameters(command=sys.executable, args=["-m", "shopdsl.cli", "mcp", start["mcp"]])
    async with Client(bridge if "--stdio" in sys.argv else start["mcp"]) as shop:
        tools = [(t.name, t.description, t.input_schema) for t in (await shop.list_tools()).tools]
        assert tools == [(t["name"], t["description"], t["parameters"]) for t in start["tools"]], tools
        while line := await asyncio.to_thread(sys.stdin.readline):
            customer = json.loads(line)
            assert customer.keys() == {"type", "text"}, customer
            found = json.loads((await shop.call_tool("search_products", {"query": customer["text"], "top_k": 2})).content[0].text)
            added = [await shop.call_tool("add_to_cart", {"product_id": p["product_id"]}) for p in found]
            refused = await shop.call_tool("add_to_cart", {"product_id": "nothing"})
            assert refused.is_error and not any(a.is_error for a in added)
            print(json.dumps({"type": "say", "text": refused.content[0].text}), flush=True)

asyncio.run(main())
"""
DIES = """
import json, os, socket, sys
start = json.loads(sys.stdin.readline())
host, port = start["mcp"].split("/")[2].split(":")
sys.stdin.readline()
body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search_products", "arguments": {"query": "tea"}}})
head = f"POST /{start['mcp'].split('/', 3)[3]} HTTP/1.1\\r\\nHost: {host}:{port}\\r\\nContent-Type: application/json\\r\\nAccept: */*\\r\\n"
with socket.create_connection((host, int(port))) as connection:
    connection.sendall(f"{head}Content-Length: {len(body)}\\r\\n\\r\\n{body}".encode())
    os._exit(7)
"""


def _agent(folder: Path, program: str, *arguments: str) -> Path:
    (folder / "program.py").write_text(program, "utf-8")
    command = json.dumps([sys.executable, str(folder / "program.py"), *arguments])
    (folder / "agent.yaml").write_text(f"kind: agent\nname: mine\ncommand: {command}\nmcp: true\n", "utf-8")
    return folder / "agent.yaml"


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_a_program_calls_its_tools_and_the_record_holds_them_in_order(
    shop: Shop, tmp_path: Path, plan: Path, transport: str
) -> None:
    done = shop("run", plan, "--agent", _agent(tmp_path, PROGRAM, f"--{transport}"), "-o", "out", "--trial", "daily/0")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    record = records(tmp_path / "out")["daily/0"]
    assert record["end"]["reason"] in ("budget_exhausted", "frustrated"), record["end"]
    calls = _of(record, "call")
    assert [c["tool"] for c in calls] == ["search_products", *["add_to_cart"] * 3] * len(_of(record, "agent"))
    assert [c["id"] for c in calls] == list(range(1, len(calls) + 1))
    assert [c["args"]["product_id"] for c in calls[1:3]] == calls[0]["finds"]
    assert _of(record, "agent")[0]["text"] == calls[3]["error"] == "There is no product with this id."


def test_a_program_that_dies_in_the_middle_of_a_call(shop: Shop, tmp_path: Path, plan: Path) -> None:
    done = shop("run", plan, "--agent", _agent(tmp_path, DIES), "-o", "out", "--limit", "5")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    ends = [r["end"] for r in records(tmp_path / "out").values()]
    assert ends == [{"reason": "agent_exited", "detail": "it ended with code 7"}] * 5


# agents in this process, whose every request is looked at


@dataclass
class Played:
    """What came of a run; the recorder that its records are appended to."""

    records: list[dict[str, Any]] = field(default_factory=list)
    losses: list[dict[str, Any]] = field(default_factory=list)
    stopped: str | None = None

    def append(self, record: dict[str, Any]) -> None:
        self.records.append(record)

    def lose(self, loss: dict[str, Any]) -> None:
        self.losses.append(loss)

    def ended(self, reason: str) -> dict[str, Any]:
        """The record of the only trial, which ended so."""
        assert self.losses == []
        [record] = self.records
        assert record["end"]["reason"] == reason, record["end"]
        return record


Play = Callable[..., Played]


@pytest.fixture(scope="module")
def world(plan: Path) -> World:
    return World(open_plan(plan))


@pytest.fixture
def play(world: World) -> Play:
    """Play the first trials of the plan with an agent whose calls come over MCP; keywords are keys of its document."""
    customers = {c: Script(world.header["customers"][d["customer"]]) for c, d in world.header["cohorts"].items()}

    def run(
        step: Callable[[Event, Event], Awaitable[Event]] | None, begun: Step | None = None, trials: int = 1, **keys: Any
    ) -> Played:
        async def make(start: Event) -> Step:
            if begun is not None:
                await begun(start)
            assert step is not None
            return lambda event: step(start, event)

        way = {} if step is None else {"python": "tests:make"}
        data = {**builtin_agent("mine"), "builtin": None, "mcp": True, "timeout": "20", **way, **keys}
        played = Played()
        with engines(world):
            runner = Runner(Cast(AgentSpec(data, make if step else None), customers), played, 20)
            runner.run((trial, 0) for trial, _ in zip(world.trials(), range(trials), strict=False))
        played.stopped = runner.stopped
        return played

    return run


def _of(record: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [e for e in record["events"] if e["type"] == kind]


def _say(text: str) -> Event:
    return {"type": "say", "text": text}


def _request(method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


def _send(url: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, {**HEADERS, **headers}), timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


async def _post(url: str, body: bytes | None, **headers: str) -> tuple[int, str]:
    """The status and text of one request."""
    return await asyncio.to_thread(_send, url, body, headers)


def _result(text: str) -> Any:
    """What a tool gave; as a text why it was refused, by the shop or before."""
    answer = json.loads(text)
    if "error" in answer:
        return f"MCP: {answer['error']['message']}"
    [content] = answer["result"]["content"]
    return f"refused: {content['text']}" if answer["result"]["isError"] else json.loads(content["text"])


async def _call(start: Event, tool: str, **arguments: Any) -> Any:
    _, text = await _post(start["mcp"], _request("tools/call", {"name": tool, "arguments": arguments}))
    return _result(text)


def test_calls_count_within_a_turn_and_nowhere_else(play: Play) -> None:
    outside, notes, odd = [], [], {"odd": [1, {"two": None}], "more": "x"}

    async def begun(start: Event) -> Any:
        outside.append(await _call(start, "view_cart"))

    async def step(start: Event, event: Event) -> Event:
        notes.append(await _call(start, "search_products", query="tea"))
        notes.append(await _call(start, "no_such_tool", **odd))
        notes.append(await asyncio.gather(*(_call(start, "search_products", query=q) for q in ("nuts", "juice", "water"))))
        return _say("done")

    record = play(step, begun).ended("budget_exhausted")
    assert outside == ["MCP: no turn is running: tools can be called from the customer's message until the answer to it"]
    first, second, *together = _of(record, "call")[:5]
    assert (first["tool"], first["result"]) == ("search_products", notes[0])
    assert (second["tool"], second["args"], f"refused: {second['error']}") == ("no_such_tool", odd, notes[1])
    results = {c["query"]: c["result"] for c in together}
    assert [results[q] for q in ("nuts", "juice", "water")] == notes[2]
    assert len(_of(record, "call")) == 5 * len(_of(record, "agent"))


def test_what_is_no_call_of_this_trial_is_refused_and_not_recorded(play: Play) -> None:
    body = _request("tools/call", {"name": "view_cart"})
    places: list[tuple[int, str]] = []
    answers: list[tuple[int, str]] = []

    async def step(start: Event, event: Event) -> Event:
        url = start["mcp"]
        secret = url.split("/")[3]
        for other in ("x" * len(secret), "", "..", secret + "/x"):
            places.append(await _post(url.replace(secret, other), body))
        for sent in (
            b"{",
            b"[" * 100_000,
            b"x" * 2_000_000,
            None,
            _request("tools/burn", {}),
            _request("tools/call", {"name": 7}),
        ):
            answers.append(await _post(url, sent))
        answers.append(await _post(url, _request("tools/call", {"name": "view_cart", "arguments": [1]})))
        answers.append(await _post(url, body, Host="shop.example"))
        answers.append(await _post(url, body, Origin="http://shop.example"))
        answers.append(await _post(url, body))
        return _say("done")

    record = play(step).ended("budget_exhausted")
    assert {status for status, _ in places} == {404}
    assert {json.loads(text)["error"]["message"] for _, text in places} == {OVER}
    assert [status for status, _ in answers[:4]] == [400, 400, 413, 405]
    assert [json.loads(text)["error"]["code"] for _, text in answers[4:7]] == [-32601, -32602, -32602]
    assert [status for status, _ in answers[7:10]] == [421, 403, 200]
    assert [c["tool"] for c in _of(record, "call")] == ["view_cart"] * len(_of(record, "agent"))


def test_a_call_that_waits_is_answered_when_its_trial_ends(play: Play) -> None:
    """The calls are made beside the turn, so that the end of the turn does not end them."""
    calls: list[asyncio.Task[Any]] = []

    async def step(start: Event, event: Event) -> Event:
        calls.extend(asyncio.create_task(_call(start, "view_cart")) for _ in range(5))
        await asyncio.sleep(60)
        return _say("never")

    started = time.perf_counter()
    record = play(step, max_calls=3).ended("tool_loop")
    assert time.perf_counter() - started < 20
    answers = [task.result() for task in calls]
    assert sum(isinstance(a, dict) for a in answers) == len(_of(record, "call")) == 3
    assert [a for a in answers if not isinstance(a, dict)] == [f"MCP: {OVER}"] * 2


@pytest.mark.parametrize(
    ("pause", "keys", "reason", "calls"),
    [
        (0.5, {"timeout": "1.5"}, "frustrated", range(4, 5)),
        (0.5, {"timeout": "1.5", "turn_timeout": "1.7"}, "agent_timeout", range(1, 4)),
        (5, {"timeout": "0.3"}, "agent_timeout", range(1)),
    ],
)
def test_every_call_has_a_timeout_of_its_own_and_the_turn_has_one(
    play: Play, pause: float, keys: dict[str, str], reason: str, calls: range
) -> None:
    """Four calls take longer than `timeout` together, and each less."""
    turns: list[str] = []

    async def step(start: Event, event: Event) -> Event:
        turns.append(event["text"])
        for _ in range(4 if len(turns) == 1 else 0):
            await asyncio.sleep(pause)
            await _call(start, "view_cart")
        return _say("done")

    record = play(step, **keys).ended(reason)
    assert len(_of(record, "call")) in calls


async def _raises(start: Event, event: Event) -> Event:
    await _call(start, "view_cart")
    raise ValueError("of its own")


async def _calls_directly(start: Event, event: Event) -> Event:
    return {"type": "call", "id": 1, "tool": "view_cart", "arguments": {}}


async def _says_nothing(start: Event, event: Event) -> Event:
    return {"type": "say"}


async def _gives_up(start: Event, event: Event) -> Event:
    raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("step", "reason", "detail", "calls"),
    [
        (_raises, "agent_exited", "ValueError: of its own", 1),
        (_calls_directly, "agent_protocol", "makes its calls over MCP", 0),
        (_says_nothing, "agent_protocol", "`say` needs a text", 0),
        (_gives_up, "agent_exited", "it cancelled its own turn", 0),
    ],
)
def test_a_fault_of_the_agent_ends_its_trial(play: Play, step: Any, reason: str, detail: str, calls: int) -> None:
    record = play(step).ended(reason)
    assert detail in record["end"]["detail"]
    assert len(_of(record, "call")) == calls


def test_many_trials_share_one_port_and_nothing_else(play: Play) -> None:
    urls: list[str] = []

    async def begun(start: Event) -> Any:
        urls.append(start["mcp"])

    async def step(start: Event, event: Event) -> Event:
        found = await _call(start, "search_products", query=event["text"], top_k=1)
        return _say(json.dumps([event["text"], await _call(start, "add_to_cart", product_id=found[0]["product_id"])]))

    played = play(step, begun, trials=20)
    assert len(played.records) == len(set(urls)) == 20
    assert len({url.split("/")[2] for url in urls}) == 1
    assert all(len(url.split("/")[3]) >= 32 for url in urls)
    for record in played.records:
        events = record["events"]
        said = [at for at, event in enumerate(events) if event["type"] == "agent"]
        assert said
        assert [json.loads(events[at]["text"]) for at in said] == [
            [events[at - 3]["text"], events[at - 1]["result"]] for at in said
        ]


class _Assistant(BaseHTTPRequestHandler):
    """An agent at an address: it makes one call over MCP a turn, and answers with what came back."""

    tools = ""

    def do_POST(self) -> None:
        events = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["events"]
        type(self).tools = next((e["mcp"] for e in events if e["type"] == "start"), self.tools)
        actions = [_say(json.dumps(self._cart()))] if events[-1]["type"] == "customer" else []
        answer = json.dumps({"actions": actions}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _cart(self) -> Any:
        return _result(_send(self.tools, _request("tools/call", {"name": "view_cart"}), {})[1])

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def test_an_agent_at_an_address_calls_its_tools_while_its_answer_is_waited_for(play: Play) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Assistant)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        played = play(None, http=f"http://127.0.0.1:{server.server_address[1]}/turn")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    record = played.ended("budget_exhausted")
    said, calls = _of(record, "agent"), _of(record, "call")
    assert [json.loads(a["text"]) for a in said] == [c["result"] for c in calls]
    assert said


class _Bridge:
    """`shopdsl mcp` in a process of its own, asked in JSON lines."""

    def __init__(self, url: str) -> None:
        command = [sys.executable, "-m", "shopdsl.cli", "mcp", url]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8")
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self._write(_request("initialize", client), b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        self._read()

    def _write(self, *lines: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.writelines(f"{line.decode()}\n" for line in lines)
        self._process.stdin.flush()

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def call(self, tool: str) -> Any:
        self._write(b"no JSON", _request("tools/call", {"name": tool, "arguments": {}}))
        return _result(self._read())

    def close(self) -> tuple[int, str]:
        _, complaints = self._process.communicate(timeout=20)
        return self._process.returncode, complaints


def test_the_bridge_answers_on_when_its_run_is_over(play: Play) -> None:
    bridges: list[_Bridge] = []

    async def step(start: Event, event: Event) -> Event:
        if not bridges:
            bridges.append(await asyncio.to_thread(_Bridge, start["mcp"]))
        return _say(json.dumps(await asyncio.to_thread(bridges[0].call, "view_cart")))

    record = play(step).ended("budget_exhausted")
    assert [json.loads(a["text"]) for a in _of(record, "agent")] == [c["result"] for c in _of(record, "call")]
    assert bridges[0].call("view_cart").startswith("MCP: the run cannot be reached: ")
    assert bridges[0].close() == (0, "")


# what is said to people


def test_without_the_package_one_is_told_how_to_get_it(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    played = play(_says_nothing, trials=20)
    assert played.records == []
    assert played.stopped is not None
    assert "pip install 'shopdsl[mcp]'" in played.stopped
    bridge = CliRunner().invoke(cli, ["mcp", "http://127.0.0.1:9/x/mcp"])
    assert bridge.exit_code == 2
    assert "pip install 'shopdsl[mcp]'" in bridge.output


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://127.0.0.1:9/x/mcp", "no tools are served at http://127.0.0.1:9/x/mcp"),
        ("http://shop.example:80/x/mcp", "no address of a trial on this machine"),
        ("http://127.0.0.1@shop.example:80/x", "no address of a trial on this machine"),
        ("http://[::1", "no address of a trial on this machine"),
        ("x", "no address of a trial on this machine"),
    ],
)
def test_the_bridge_leads_to_trials_of_this_machine_only(url: str, message: str) -> None:
    result = CliRunner().invoke(cli, ["mcp", url])
    assert result.exit_code == 2
    assert message in result.output
