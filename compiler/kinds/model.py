"""`model`: which model, how it is sampled, how fast it may be asked and what it costs; where it is served and with which key is the user's to say."""

from __future__ import annotations

import json
from typing import Any

from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, decimal_text, entries, text, value
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.plan import RESERVED
from shopdsl.dsl.tree import Mapping, Node


def compile_model(unit: Unit, document: Document) -> dict[str, Any]:
    """The plan data of a model: its name at the endpoint, numbers as text, for plans hold no floats."""
    body = unit.body(document)
    sampling, price = body.get("sampling"), body.get("price")
    return {
        "name": document.name,
        "model": text(body.get("model")),
        "sampling": {k.text: decimal_text(v) for k, v in entries(sampling)},
        "extra": json.dumps(_extra(unit, body.get("extra")), sort_keys=True, ensure_ascii=False),
        "tool_calls": text(body.get("tool_calls"), "native"),
        "limits": _limits(body.get("limits")),
        "price": _price(price) if isinstance(price, Mapping) else None,
    }


def _extra(unit: Unit, node: Node | None) -> dict[str, Any]:
    for key, _ in entries(node):
        if key.text in RESERVED:
            unit.sink.add(
                codes.UNKNOWN_KEY, f"`{key.text}` is not for `extra`", key.span, "shopdsl writes this part of a request"
            )
    return {str(k): v for k, v in value(node, {}).items()}


def _limits(node: Node | None) -> dict[str, Any]:
    given = {k.text: v for k, v in entries(node)}
    return {
        "requests_per_minute": value(given.get("requests_per_minute")),
        "tokens_per_minute": value(given.get("tokens_per_minute")),
        "at_once": value(given.get("at_once")),
        "timeout": decimal_text(given.get("timeout"), "120"),
        "retries": value(given.get("retries"), 5),
    }


def _price(node: Mapping) -> dict[str, Any]:
    cached = node.get("cached")
    return {
        "input": decimal_text(node.get("input")),
        "output": decimal_text(node.get("output")),
        "cached": decimal_text(cached) if cached is not None else None,
        "currency": text(node.get("currency"), "USD"),
    }
