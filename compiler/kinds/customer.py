"""`customer`: the words, the events and the patience of the one who plays the customer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.closed import close
from shopdsl.compiler.expressions import condition, expression, template, untagged
from shopdsl.compiler.kinds.model import compile_model
from shopdsl.compiler.packages import Document
from shopdsl.compiler.personas import package_personas, records
from shopdsl.compiler.unit import Unit, decimal_text, entries, items, text, value
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.tree import Mapping, Node, Scalar
from shopdsl.dsl.vocabulary import Scope, scope


@dataclass(frozen=True)
class Customer:
    """A compiled customer: its plan data."""

    name: str
    data: dict[str, Any]


class _Blocks:
    """Compiles blocks for each context with the records of the package's persona."""

    def __init__(self, unit: Unit, package: str) -> None:
        self.unit, self.package = unit, package
        self.records = records(package_personas(unit, package))[0]

    def scope(self, context: str) -> Scope:
        return close(self.unit, scope(context, records=self.records), self.package, [])

    def blocks(self, node: Node | None, context: str) -> list[dict[str, Any]]:
        return [self.block(n, context) for n in items(node) if isinstance(n, Mapping)]

    def block(self, node: Mapping, context: str) -> dict[str, Any]:
        when = node.get("when")
        return {
            "when": condition(when, self.scope(context), self.unit.sink).tree if when is not None else None,
            "say": self.say(node.get("say"), context),
        }

    def say(self, node: Node | None, context: str) -> list[Any]:
        return [template(n, self.scope(context), self.unit.sink).tree for n in items(node)]


def compile_customer(unit: Unit, document: Document) -> Customer:
    """Checks every phrase; a beat that has none, or none for some customers, is reported."""
    body = unit.body(document)
    make = _Blocks(unit, document.package)
    phrases = {}
    for key, node in entries(body.get("phrases")):
        unit.resolve("beat", key)
        phrases[key.text] = make.blocks(node, "phrase")
        _check_last(unit, key, node)
    for part in ("name_it", "again", "complain", "leave", "thanks"):
        if (place := body.key(part)) is not None:
            _check_last(unit, place, body.get(part))
    events = {k.text: condition(v, make.scope("event"), unit.sink).tree for k, v in entries(body.get("events"))}
    confirm = body.get("confirm")
    data = {
        "name_it": make.blocks(body.get("name_it"), "name_it"),
        "phrases": phrases,
        "again": make.blocks(body.get("again"), "phrase"),
        "answers": [_answer(unit, make, n) for n in items(body.get("answers")) if isinstance(n, Mapping)],
        "idle": [text(i) for i in items(body.get("idle"))],
        "confirm": {
            "asks": _asks(confirm),
            "say": make.say(confirm.get("say"), "answer") if isinstance(confirm, Mapping) else [],
        },
        "complain": make.blocks(body.get("complain"), "answer"),
        "leave": make.blocks(body.get("leave"), "answer"),
        "thanks": make.blocks(body.get("thanks"), "answer"),
        "events": events,
        "frustration": _frustration(unit, make, body.get("frustration"), events),
        "model": _model(unit, make, document, body),
    }
    return Customer(document.name, data)


def _model(unit: Unit, make: _Blocks, document: Document, body: Mapping) -> dict[str, Any] | None:
    """The model that puts things into words, and what it is told; None where the phrases do."""
    parts = {
        part: untagged(template(body.get(part), make.scope(context), unit.sink).tree)
        for part, context in (("prompt", "voice"), ("instruct", "instruct"))
    }
    if body.get("model") is None:
        return None
    for part in parts:
        if body.get(part) is None:
            help = f"write `{part}`, or take over the one of `std`: `extends: modelled`"
            unit.sink.add(codes.MISSING_KEY, f"a customer with a `model` needs a `{part}`", document.span, help)
    model = unit.resolve("model", body.get("model"))
    return {"model": unit.compiled(compile_model, model), **parts} if model else None


def _asks(node: Node | None) -> list[str]:
    return [text(i) for i in items(node.get("asks"))] if isinstance(node, Mapping) else []


def _answer(unit: Unit, make: _Blocks, node: Mapping) -> dict[str, Any]:
    when = node.get("when")
    return {
        "asks": _asks(node),
        "otherwise": bool(value(node.get("otherwise"), False)),
        "when": condition(when, make.scope("answer"), unit.sink).tree if when is not None else None,
        "say": make.say(node.get("say"), "answer"),
        "gives": text(node.get("gives")) or None,
    }


def _frustration(unit: Unit, make: _Blocks, node: Node | None, events: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(node, Mapping):
        return {}
    for key, _ in entries(node.get("add")):
        if key.text not in events:
            help = nearest(key.text, events) or f"events: {', '.join(events)}"
            unit.sink.add(codes.UNKNOWN_EVENT, f"`{key.text}` is not an event of this customer", key.span, help)
    patience = make.scope("patience")
    return {
        "decay": decimal_text(node.get("decay")),
        "add": {k.text: decimal_text(v) for k, v in entries(node.get("add"))},
        "complain_at": expression(node.get("complain_at"), patience, unit.sink, t.NUMBER).tree,
        "leave_at": expression(node.get("leave_at"), patience, unit.sink, t.NUMBER).tree,
    }


def _check_last(unit: Unit, key: Scalar, node: Node | None) -> None:
    """The last block fits everyone, or somebody is left without a word."""
    blocks = [n for n in items(node) if isinstance(n, Mapping)]
    if not blocks or all(b.get("when") is not None for b in blocks):
        message = f"some customers have no phrase for `{key.text}`"
        unit.sink.add(codes.PHRASE_MISSING, message, key.span, "end the list with a block that has no `when`")
