"""Spans of a run, as a collector on loopback receives them."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from shopdsl.runtime.spans import Misconfigured, spans
from tests.conftest import CORNER, Shop, records
from tests.endpoint import Reply, Request, refuse, serving

KEY = "sk-secret-that-nobody-sees"
AGENT = """
kind: model
name: scripted
model: acme-9
limits: {retries: 2}
---
kind: agent
name: modelled
model: scripted
"""


@dataclass
class Collector:
    """Decodes what is sent to it."""

    spans: list[Any] = field(default_factory=list)
    resource: dict[str, Any] = field(default_factory=dict)
    raw: bytes = b""
    url: str = ""

    def take(self, body: bytes) -> None:
        self.raw += body
        sent = ExportTraceServiceRequest.FromString(body)
        for group in sent.resource_spans:
            self.resource = values(group.resource)
            self.spans += [span for scope in group.scope_spans for span in scope.spans]

    def named(self, prefix: str) -> list[Any]:
        return [s for s in self.spans if s.name.startswith(prefix)]


def values(holder: Any) -> dict[str, Any]:
    """The attributes of a span or a resource as plain values."""
    return {a.key: plain(a.value) for a in holder.attributes}


def plain(value: Any) -> Any:
    kind = value.WhichOneof("value")
    return [plain(v) for v in value.array_value.values] if kind == "array_value" else getattr(value, kind)


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A receiver of OTLP over HTTP."""
    found = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            found.take(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


class Model:
    """Fails at its first request, then searches, buys nothing, and says something."""

    def __init__(self) -> None:
        self.failed = False

    def __call__(self, request: Request) -> Reply:
        if not self.failed:
            self.failed = True
            return refuse(429, f"slow down, you with the key {KEY}", retry_after_ms="1")
        last = request.body["messages"][-1]
        if last["role"] == "user":
            return asked("search_products", query="coffee")
        return asked("buy_everything") if "error" not in last["content"] else said("This is a secret recommendation.")


def asked(tool: str, **arguments: Any) -> Reply:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return said(None, {"tool_calls": [{"id": "1", "type": "function", "function": function}]}, "tool_calls")


def said(text: str | None, more: dict[str, Any] | None = None, finish: str = "stop") -> Reply:
    message = {"role": "assistant", "content": text, **(more or {})}
    usage = {"prompt_tokens": 70, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 50}}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return Reply(body=json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage}).encode())


def test_a_run_is_told_as_spans_of_trials_requests_and_calls(
    plan: Path, tmp_path: Path, shop: Shop, collector: Collector
) -> None:
    (tmp_path / "agent.yaml").write_text(AGENT, "utf-8")
    with serving(Model()) as endpoint:
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "SHOPDSL_ENDPOINT": endpoint.url, "SHOPDSL_API_KEY": KEY}
        names = ("--agent", tmp_path / "agent.yaml", "--package", CORNER, "--limit", "2")
        done = shop("run", plan, *names, "-o", tmp_path / "run", "--otel", env=env)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert "not all spans" not in done.stderr
    played = records(tmp_path / "run")
    events = [e for r in played.values() for e in r["events"]]

    trials = {values(s)["shopdsl.trial"]: s for s in collector.named("invoke_agent modelled")}
    assert trials.keys() == played.keys()
    for trial, span in trials.items():
        told = values(span)
        assert (told["gen_ai.operation.name"], told["gen_ai.agent.name"]) == ("invoke_agent", "modelled")
        assert told["shopdsl.end_reason"] == played[trial]["end"]["reason"]
        assert told["shopdsl.turns"] == sum(e["type"] == "agent" for e in played[trial]["events"])
        assert trial in told["gen_ai.conversation.id"]
    assert len({s.trace_id for s in trials.values()}) == 2

    whole = [s for s in collector.named("chat acme-9") if "error.type" not in values(s)]
    assert len(whole) == sum(r["usage"]["agent"]["requests"] for r in played.values())
    told = values(whole[0])
    assert {k: told[k] for k in told if k.startswith(("gen_ai.op", "gen_ai.pr", "gen_ai.req", "gen_ai.us", "server"))} == {
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "acme-9",
        "gen_ai.usage.input_tokens": 70, "gen_ai.usage.output_tokens": 7, "gen_ai.usage.cache_read.input_tokens": 50,
        "server.address": "127.0.0.1", "server.port": int(endpoint.url.split(":")[2].split("/")[0]),
    }  # fmt: skip
    assert {tuple(values(s)["gen_ai.response.finish_reasons"]) for s in whole} == {("tool_calls",), ("stop",)}

    (failed,) = [s for s in collector.named("chat acme-9") if "error.type" in values(s)]
    assert (values(failed)["error.type"], failed.status.code) == ("429", 2)

    calls = collector.named("execute_tool ")
    assert len(calls) == sum(e["type"] == "call" for e in events)
    refused = [s for s in calls if s.name == "execute_tool buy_everything"]
    assert {(values(s)["error.type"], s.status.code) for s in refused} == {("refused", 2)}
    assert len(refused) == len(calls) / 2
    assert not any("error.type" in values(s) for s in calls if s.name == "execute_tool search_products")

    parents = {s.span_id: s for s in trials.values()}
    for child in [*whole, failed, *calls]:
        parent = parents[child.parent_span_id]
        assert parent.start_time_unix_nano <= child.start_time_unix_nano + 10**7
        assert child.start_time_unix_nano <= child.end_time_unix_nano <= parent.end_time_unix_nano
        assert values(child)["gen_ai.conversation.id"] == values(parent)["gen_ai.conversation.id"]

    assert collector.resource["service.name"] == "shopdsl"
    spoken = [e["text"] for e in events if e["type"] in ("customer", "agent")]
    assert "This is a secret recommendation." in spoken
    for secret in [KEY, "coffee", *spoken]:
        assert secret.encode() not in collector.raw


def test_a_collector_that_is_down_costs_a_warning_and_nothing_else(plan: Path, tmp_path: Path, shop: Shop) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        started = time.monotonic()
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": url}
        done = shop("run", plan, "--agent", "std.baseline", "--limit", "2", "-o", tmp_path / "run", "--otel", env=env)
        seconds = time.monotonic() - started
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert [line for line in done.stderr.splitlines() if "spans" in line] == [
        "warning: not all spans were sent; is there a collector where OTEL_EXPORTER_OTLP_ENDPOINT says?"
    ]
    assert len(records(tmp_path / "run")) == 2
    assert seconds < 15


def test_trials_without_an_end_and_requests_without_a_trial_are_told_too(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_SERVICE_NAME", "nightly")
    who = {"model": "acme-9", "place": "https://models.example/v1"}
    with spans() as note:
        note({"event": "run_started", "agent": "mine", "plan": "0" * 64, "trials": 3, "left": 3})
        for number in (0, 1, 2):
            note({"event": "trial_started", "trial": f"daily/{number}", "repeat": 0})
        why = "Connection error. (ConnectError)"
        note(
            {
                "event": "retry",
                "role": "agent",
                "trial": "daily/0",
                "repeat": 0,
                **who,
                "status": 0,
                "seconds": 0.1,
                "why": why,
                "wait": 0.5,
            }
        )
        note({"event": "trial_lost", "trial": "daily/0", "repeat": 0, "reason": "infrastructure", "detail": "secret"})
        note({"event": "trial_finished", "trial": "daily/1", "repeat": 0, "reason": "agent_timeout", "turns": 2, "seconds": 9})
        note({"event": "call", "trial": "daily/2", "repeat": 0, "tool": "half \ud83d" * 99, "error": "no", "seconds": 0})
        used = {"requests": 1, "input": 5, "output": 6, "reasoning": 4}
        note(
            {"event": "request", "role": "judge", **who, "seconds": 1.5, "usage": used, "cost": "0", "tries": 1, "finish": "stop"}
        )

    ends = {
        values(s)["shopdsl.trial"]: (values(s)["shopdsl.end_reason"], values(s)["error.type"]) for s in collector.named("invoke")
    }
    assert ends == {
        "daily/0": ("infrastructure", "infrastructure"),
        "daily/1": ("agent_timeout", "agent_timeout"),
        "daily/2": ("cancelled", "cancelled"),
    }
    asked = {values(s)["shopdsl.role"]: s for s in collector.named("chat acme-9")}
    assert values(asked["agent"])["error.type"] == "no_answer"
    judge = values(asked["judge"])
    assert (judge["server.address"], judge["server.port"], judge["gen_ai.usage.reasoning.output_tokens"]) == (
        "models.example",
        443,
        4,
    )
    assert (asked["judge"].parent_span_id, "gen_ai.conversation.id" in judge) == (b"", False)
    assert asked["judge"].end_time_unix_nano - asked["judge"].start_time_unix_nano >= 1.5e9
    (call,) = collector.named("execute_tool half ?")
    assert len(call.name) == 200
    assert collector.resource["service.name"] == "nightly"
    assert b"secret" not in collector.raw


def test_variables_that_make_no_sense_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "-1")
    with pytest.raises(Misconfigured, match=r"max_queue_size must be a positive integer.*OTEL_"), spans():
        pass
