"""`ask` of a metric: which judge is asked about what, and the names under which its answers are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.clauses import members
from shopdsl.compiler.kinds.judge import Judge, compile_judge
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, entries
from shopdsl.dsl import types as t
from shopdsl.dsl.check import ANSWER
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.records import Entry
from shopdsl.dsl.tree import Mapping, Node, Scalar
from shopdsl.dsl.types import Type
from shopdsl.dsl.typewords import article
from shopdsl.dsl.vocabulary import Scope

EXAMPLES = {
    "message": "m in agent_messages",
    "turn": "t in turns",
    "call": "c in calls",
    "item": "i in items",
    "beat": "b in beats",
    "assertion": "a in assertions",
}
"""What a judge can be put, by what it is about."""


@dataclass(frozen=True)
class Ask:
    """A question of a metric: the judge's document, and the tree of what it is put (None: the trial)."""

    name: str
    judge: Document
    members: Any
    evidence: frozenset[str]

    @property
    def data(self) -> list[Any]:
        return [self.name, f"{self.judge.package}.{self.judge.name}", self.members]


def compile_asks(unit: Unit, node: Node | None, names: Scope) -> tuple[list[Ask], Scope]:
    """The questions, and the scope with their answers."""
    asks: list[Ask] = []
    for key, body in entries(node):
        if key.text in names.names:
            unit.sink.add(codes.HIDES_NAME, f"`{key.text}` is known here already", key.span, "choose another name")
        found = _ask(unit, key, body, names) if isinstance(body, Mapping) else None
        kind: Type = t.ANY
        if found is not None:
            ask, judge = found
            asks.append(ask)
            kind = _answers(judge, names, single=ask.members is None and not judge.many)
        names = names.with_names({key.text: Entry(kind, "Answers of a judge.")})
    return asks, names


def _ask(unit: Unit, key: Scalar, body: Mapping, names: Scope) -> tuple[Ask, Judge] | None:
    document = unit.resolve("judge", body.get("judge"))
    judge = unit.compiled(compile_judge, document) if document else None
    if isinstance(judge, Judge) and judge.about not in (*EXAMPLES, "trial"):  # reported with the judge
        return None
    if document is None or not isinstance(judge, Judge):
        if document is not None:
            help, place = "name one that has a `question`", body.get("judge") or key
            unit.sink.add(codes.ASK, f"the judge `{document.name}` answers the questions of others", place.span, help)
        return None
    each = body.get("for")
    if (each is None) != (judge.about == "trial"):
        _wrong_about(unit, judge, each, key)
        return None
    if not isinstance(each, Scalar):
        return Ask(key.text, document, None, judge.evidence), judge
    found = members(each, names, unit.sink)
    about = t.Record(judge.about)
    if found.member not in (t.ANY, about):
        message = f"the judge `{judge.name}` is asked about {article(about)}, and this is {article(found.member)}"
        unit.sink.add(codes.ASK, message, each.span, f"for example `{EXAMPLES[judge.about]}`")
    return Ask(key.text, document, found.tree, judge.evidence | found.made.evidence), judge


def _wrong_about(unit: Unit, judge: Judge, each: Node | None, key: Scalar) -> None:
    """It is asked about the trial and is put members, or about members and is put none."""
    if each is not None:
        message, help = f"the judge `{judge.name}` is asked about the whole trial", "leave `for` out"
        unit.sink.add(codes.ASK, message, each.span, help)
        return
    message = f"the judge `{judge.name}` is asked about {article(t.Record(judge.about))}, and is put none"
    unit.sink.add(codes.ASK, message, key.span, f"add `for`, for example `for: {EXAMPLES[judge.about]}`")


def _answers(judge: Judge, names: Scope, single: bool) -> Type:
    """The type of what a metric gets; the record of an answer is added to the scope."""
    of = {} if judge.about == "trial" else {"of": Entry(t.Record(judge.about), "What the question was about.")}
    record = t.Record(f"{ANSWER}{judge.name}")
    names.records[record.name] = {n: Entry(kind, "A field of the answer.") for n, kind in judge.fields.items()} | of
    return record if single else t.Many("list", record)
