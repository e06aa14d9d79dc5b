"""What happens in a run as spans of OpenTelemetry, by its conventions for generative AI: numbers and names, never what was said, never a key."""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context

from shopdsl import __version__
from shopdsl.runtime.watch import Note

NANOSECONDS = 1_000_000_000
LONGEST = 200
"""Names that models make up are cut here."""
QUEUE = 65_536
"""Trials without a model are quick: so many spans wait, unless OTEL_BSP_MAX_QUEUE_SIZE says otherwise."""
PATIENCE, SHORT_PATIENCE = 5.0, 0.2
"""Seconds for what is left when a run ends; the short one where something has gone wrong already."""
FAULTS = re.compile(r"agent_(?!silent)\w+|customer_error")
"""End reasons that are no way for a conversation to end."""
PORTS = {"http": 80, "https": 443}


class Misconfigured(Exception):
    """An `OTEL_…` variable that OpenTelemetry cannot work with; the message is its own."""


@contextmanager
def spans() -> Iterator[Note]:
    """Turns events into spans and sends them over OTLP/HTTP where the `OTEL_…` variables say; what cannot be sent is told in one line at the end.

    Raises Misconfigured.
    """
    with _complaints() as gone_wrong:
        exporter, provider = _made()
        gone_wrong.clear()
        telling = Telling(provider.get_tracer("shopdsl", __version__))
        try:
            yield telling.note
        finally:
            telling.close()
            _finish(provider, exporter, gone_wrong)
    if gone_wrong.is_set():
        print("warning: not all spans were sent; is there a collector where OTEL_EXPORTER_OTLP_ENDPOINT says?", file=sys.stderr)


def _made() -> tuple[OTLPSpanExporter, TracerProvider]:
    queue = None if "OTEL_BSP_MAX_QUEUE_SIZE" in os.environ else QUEUE
    try:
        exporter = OTLPSpanExporter()
        provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=queue))
    except (ValueError, OSError, ImportError) as error:
        raise Misconfigured(f"OpenTelemetry cannot begin: {error}; check the OTEL_… variables") from None
    return exporter, provider


def _resource() -> Resource:
    ours = Resource.create({"service.name": "shopdsl", "service.version": __version__})
    return ours.merge(OTELResourceDetector().detect())  # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES are the user's word


@contextmanager
def _complaints() -> Iterator[threading.Event]:
    """Is set when OpenTelemetry complains, which it otherwise does at length on the terminal."""
    gone_wrong = threading.Event()
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: gone_wrong.set()  # type: ignore[method-assign]  # a class for one line says no more
    logger = logging.getLogger("opentelemetry")
    before, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield gone_wrong
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


def _finish(provider: TracerProvider, exporter: OTLPSpanExporter, gone_wrong: threading.Event) -> None:
    """Send what is left, for a few seconds; a collector that is down or slow is not waited for."""
    sending = threading.Thread(target=provider.shutdown, daemon=True)
    sending.start()
    until = time.monotonic() + PATIENCE
    while sending.is_alive() and time.monotonic() < until and not gone_wrong.is_set():
        sending.join(0.02)
    sending.join(SHORT_PATIENCE)
    if sending.is_alive():
        gone_wrong.set()
        exporter.shutdown()  # type: ignore[no-untyped-call]  # ends its waiting for another try
        sending.join(SHORT_PATIENCE)


class Telling:
    """The spans of a run: one a trial, and below it one a request and one a call."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._trials: dict[tuple[str, int], Span] = {}
        self._agent, self._plan = "", ""

    def note(self, event: dict[str, Any]) -> None:
        """Take one event."""
        match event["event"]:
            case "run_started":
                self._agent, self._plan = event["agent"], event["plan"][:12]
            case "trial_started":
                self._started(event)
            case "request":
                self._request(event)
            case "retry":
                self._retry(event)
            case "call":
                self._call(event)
            case "trial_finished":
                fault = FAULTS.fullmatch(event["reason"])
                self._ended(event, event["reason"] if fault else None, {"shopdsl.turns": event["turns"]})
            case "trial_lost":
                self._ended(event, event["reason"], {})

    def close(self) -> None:
        """End what has not ended: trials that were cancelled."""
        for trial, repeat in list(self._trials):
            self._ended({"trial": trial, "repeat": repeat, "reason": "cancelled"}, "cancelled", {})

    def _started(self, event: dict[str, Any]) -> None:
        trial, repeat = event["trial"], event["repeat"]
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": "shopdsl",
            "gen_ai.agent.name": self._agent,
            "gen_ai.conversation.id": f"{self._plan}/{trial}/{repeat}",
            "shopdsl.trial": trial,
            "shopdsl.repeat": repeat,
        }
        self._trials[trial, repeat] = self._tracer.start_span(
            _short(f"invoke_agent {self._agent}"), attributes=_plain(attributes)
        )

    def _ended(self, event: dict[str, Any], fault: str | None, more: dict[str, Any]) -> None:
        span = self._trials.pop((event["trial"], event["repeat"]), None)
        if span is not None:
            span.set_attributes({"shopdsl.end_reason": event["reason"], **more})
            _end(span, fault)

    def _request(self, event: dict[str, Any]) -> None:
        usage = event["usage"]
        attributes = {
            "gen_ai.response.finish_reasons": [_short(event["finish"])],
            "gen_ai.usage.input_tokens": usage.get("input", 0),
            "gen_ai.usage.output_tokens": usage.get("output", 0),
            "shopdsl.tries": event["tries"],
        }
        kept = {"cached": "gen_ai.usage.cache_read.input_tokens", "reasoning": "gen_ai.usage.reasoning.output_tokens"}
        attributes |= {name: usage[key] for key, name in kept.items() if key in usage}
        _end(self._chat(event, event["seconds"], attributes))

    def _retry(self, event: dict[str, Any]) -> None:
        """A request that failed and is made again: a span of its own, whose error is its status, where there was one."""
        fault = str(event["status"]) if event["status"] else "no_answer"
        _end(self._chat(event, event["seconds"], {"shopdsl.wait": event["wait"]}), fault)

    def _chat(self, event: dict[str, Any], seconds: float, more: dict[str, Any]) -> Span:
        place = urlsplit(event["place"])
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",  # by the conventions: whose protocol is spoken
            "gen_ai.request.model": event["model"],
            "server.address": place.hostname or "",
            "server.port": place.port or PORTS.get(place.scheme, 0),
            "shopdsl.role": event["role"],
        }
        return self._child(event, f"chat {event['model']}", seconds, attributes | more, SpanKind.CLIENT)

    def _call(self, event: dict[str, Any]) -> None:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": event["tool"],
            "gen_ai.tool.type": "function",
        }
        span = self._child(event, f"execute_tool {event['tool']}", event["seconds"], attributes, SpanKind.INTERNAL)
        _end(span, "refused" if event["error"] is not None else None)

    def _child(self, event: dict[str, Any], name: str, seconds: float, attributes: dict[str, Any], kind: SpanKind) -> Span:
        """A span that has taken so long until now, below its trial; what no trial asks (a judge's question) stands alone."""
        trial = (event.get("trial", ""), event.get("repeat", 0))
        parent = self._trials.get(trial)
        if parent is not None:
            attributes["gen_ai.conversation.id"] = f"{self._plan}/{trial[0]}/{trial[1]}"
        started = time.time_ns() - int(seconds * NANOSECONDS)
        context = set_span_in_context(parent) if parent is not None else None
        return self._tracer.start_span(_short(name), context, kind, _plain(attributes), start_time=started)


def _end(span: Span, fault: str | None = None) -> None:
    if fault is not None:
        span.set_attribute("error.type", fault)
        span.set_status(Status(StatusCode.ERROR))
    span.end()


def _plain(attributes: dict[str, Any]) -> dict[str, Any]:
    return {k: _short(v) if isinstance(v, str) else v for k, v in attributes.items()}


def _short(text: str) -> str:
    """A text that can be sent: halves of characters cannot, and what is made up may be long."""
    return text.encode("utf-8", "replace").decode()[:LONGEST]
