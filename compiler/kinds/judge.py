"""`judge`: a question about a message, a turn, a call, an item, a beat or a whole trial, and the shape of its answer; or who answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.closed import close
from shopdsl.compiler.expressions import NOTHING, Compiled, expression, template, untagged
from shopdsl.compiler.kinds.model import compile_model
from shopdsl.compiler.packages import Document
from shopdsl.compiler.personas import package_personas, records
from shopdsl.compiler.typespec import data as type_data
from shopdsl.compiler.typespec import read_type
from shopdsl.compiler.unit import Unit, entries, items, ordered_entries, text, value
from shopdsl.compiler.verdicts import check_verdicts
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.records import Entry
from shopdsl.dsl.tree import Mapping, Node
from shopdsl.dsl.types import Enum, Type
from shopdsl.dsl.typewords import article
from shopdsl.dsl.vocabulary import Scope, scope

RULES = "rules"
"""What `by` says where no model answers."""


@dataclass(frozen=True)
class Judge:
    """A compiled question: the record that it is about (none: the trial), its answer, and the evidence that it needs."""

    name: str
    about: str
    many: bool
    fields: dict[str, Type]
    evidence: frozenset[str]
    data: dict[str, Any]


@dataclass(frozen=True)
class Answerer:
    """Who answers the questions of a run: rules, or a model."""

    name: str
    data: dict[str, Any]


def compile_judge(unit: Unit, document: Document) -> Judge | Answerer:
    """Checks a question, or who answers."""
    body = unit.body(document)
    if body.get("by") is not None:
        return _answerer(unit, document, body)
    return _question(unit, document, body)


def _answerer(unit: Unit, document: Document, body: Mapping) -> Answerer:
    for key in ("question", "rules", "verdict"):
        place = body.key(key)
        if place is not None:
            help = "write two documents: the question, and who answers"
            unit.sink.add(codes.JUDGE, f"a judge with `by` answers the questions of others, and has no `{key}`", place.span, help)
    by = text(body.get("by"))
    if by == RULES:
        return Answerer(document.name, {"name": document.name, "by": RULES, "model": None})
    found = unit.resolve("model", body.get("by"))
    return Answerer(
        document.name, {"name": document.name, "by": "model", "model": unit.compiled(compile_model, found) if found else None}
    )


def _question(unit: Unit, document: Document, body: Mapping) -> Judge:
    about = text(body.get("about"), "message")
    verdict = Enum(f"verdict of {document.name}", tuple(text(n) for n in items(body.get("verdict"))))
    fields: dict[str, Type] = {"verdict": verdict}
    for key, node in entries(body.get("answer")):
        fields[key.text] = _field(unit, node)
    for needed in ("question", "verdict"):
        if body.get(needed) is None:
            help = f"add `{needed}:`, or `by:` where it answers for others"
            unit.sink.add(codes.JUDGE, f"this judge has no `{needed}`", document.span, help)
    checked = [_Parts(unit, body, names, fields) for names in _scopes(unit, document, about)]
    made = checked[0]
    quote = _quote(unit, body, fields)
    many = bool(value(body.get("many"), False))
    data: dict[str, Any] = {
        "name": document.name,
        "title": text(body.get("title"), document.name.replace("_", " ")),
        "about": about,
        "let": [[n, m.tree] for n, m in made.lets.items()],
        "question": untagged(made.question.tree),
        "many": many,
        "verdict": list(verdict.members),
        "answer": {k.text: type_data(n) for k, n in entries(body.get("answer"))},
        "quote": quote,
        "quoted": made.quoted.tree if body.get("quoted") is not None else None,
        "rules": made.rules.tree if body.get("rules") is not None else None,
    }
    return Judge(document.name, about, many, fields, made.evidence, data)


def _quote(unit: Unit, body: Mapping, fields: dict[str, Type]) -> str | None:
    """The field that must stand in the text `quoted`; the two mean nothing without each other."""
    node, quoted = body.get("quote"), body.get("quoted")
    if node is None or quoted is None:
        for given, lacking in ((body.key("quote"), "quoted"), (body.key("quoted"), "quote")):
            if given is not None:
                help = f"add `{lacking}`: `quote` names a field of the answer, and `quoted` is the text in which it must stand"
                unit.sink.add(codes.JUDGE, f"this judge has a `{given.text}` and no `{lacking}`", given.span, help)
        return text(node) or None
    name = text(node)
    if name not in fields:
        help = nearest(name, fields) or f"add `{name}: text` to its `answer`"
        unit.sink.add(codes.JUDGE, f"`{name}` is not a field of the answer", node.span, help)
    elif fields[name] not in (t.TEXT, t.ANY):
        message = f"a quotation is text, and `{name}` is {article(fields[name])}"
        unit.sink.add(codes.JUDGE, message, node.span, f"declare `{name}: text` in `answer`")
    return name


def _field(unit: Unit, node: Node) -> Type:
    """The type of a field; JSON has no money and no durations."""
    found = read_type(node, unit.sink) or t.ANY
    inner = t.bare(found)
    if {inner, t.element(inner)} & {t.MONEY, t.DURATION}:
        unit.sink.add(
            codes.JUDGE, f"a model cannot answer with {article(inner)}", node.span, "ask for a number, or for the words as text"
        )
    return found


def _scopes(unit: Unit, document: Document, about: str) -> list[Scope]:
    extra = {} if about == "trial" else {about: Entry(t.Record(about), "What the question is about.")}
    known = records(package_personas(unit, document.package))
    return [close(unit, scope("metric", extra, r), document.package, []) for r in known]


class _Parts:
    """The expressions of a question, checked in one scope."""

    def __init__(self, unit: Unit, body: Mapping, names: Scope, fields: dict[str, Type]) -> None:
        self.lets: dict[str, Compiled] = {}
        for key, node in ordered_entries(body.get("let")):
            if key.text in names.names:
                unit.sink.add(codes.HIDES_NAME, f"`{key.text}` is known here already", key.span, "choose another name")
            self.lets[key.text] = made = expression(node, names, unit.sink)
            names = names.with_names({key.text: Entry(made.type, "A name of the judge.")})
        self.question = template(body.get("question"), names, unit.sink)
        self.quoted = expression(body.get("quoted"), names, unit.sink, t.TEXT) if body.get("quoted") is not None else NOTHING
        self.rules = expression(body.get("rules"), names, unit.sink)
        _check_rules(unit, body, self.rules, names, fields)
        parts = [*self.lets.values(), self.question, self.quoted, self.rules]
        self.evidence = frozenset[str]().union(*(p.evidence for p in parts))


def _check_rules(unit: Unit, body: Mapping, rules: Compiled, names: Scope, fields: dict[str, Type]) -> None:
    """The rules must give what the answer has: one record, or a list of them."""
    node = body.get("rules")
    if node is None or rules.failed or rules.type == t.ANY:
        return
    many = bool(value(body.get("many"), False))
    found = t.element(rules.type) if many else t.bare(rules.type)
    if not isinstance(found, t.Record) or found.name not in names.records:
        wanted = "a list of records, one an answer" if many else "one record"
        help = "make them with `[record(verdict=…) for x in …]`" if many else "make it with `record(verdict=…)`"
        unit.sink.add(codes.JUDGE, f"the rules must give {wanted}, and this is {article(rules.type)}", node.span, help)
        return
    _check_fields(unit, node, names.records[found.name], fields)
    check_verdicts(unit, node, fields["verdict"])


def _check_fields(unit: Unit, node: Node, given: dict[str, Entry], fields: dict[str, Type]) -> None:
    for name, kind in fields.items():
        if name not in given:
            unit.sink.add(codes.JUDGE, f"the rules give no `{name}`", node.span, f"add `{name}=…` to the record")
        elif not t.fits(given[name].type, t.TEXT if name == "verdict" else kind):
            message = f"the rules give {article(given[name].type)} as `{name}`, and it is {article(kind)}"
            unit.sink.add(codes.JUDGE, message, node.span, "give it the type that `answer` declares")
    for name in given:
        if name not in fields:
            help = nearest(name, fields) or f"fields: {', '.join(fields)}"
            unit.sink.add(codes.JUDGE, f"`{name}` is not a field of the answer", node.span, help)
