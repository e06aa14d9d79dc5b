"""`reveal`: the program by which wishes come out, checked against the beats."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from shopdsl.compiler.expressions import Reporter
from shopdsl.compiler.kinds.beat import Beat, compile_beat
from shopdsl.compiler.packages import Document
from shopdsl.compiler.personas import package_personas, records
from shopdsl.compiler.unit import Unit, items, value
from shopdsl.dsl import syntax as s
from shopdsl.dsl import types as t
from shopdsl.dsl.check import Checker
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.lower import free_names, lower
from shopdsl.dsl.parse import ParseError, parse_program
from shopdsl.dsl.records import Entry
from shopdsl.dsl.tree import Mapping, Scalar
from shopdsl.dsl.types import Type
from shopdsl.dsl.typewords import article
from shopdsl.dsl.vocabulary import CONTEXTS, Scope, scope

ITEM, ITEMS = t.Record("item"), t.Many("list", t.Record("item"))


@dataclass(frozen=True)
class Guard:
    """A compiled `until`: its tree, and the program's own names that it uses."""

    tree: list[Any]
    names: tuple[str, ...]


@dataclass
class Reveal:
    """A compiled reveal plan; `trees` and `guards` are keyed by the place of their expression."""

    name: str
    program: tuple[s.Statement, ...]
    limits: dict[str, Any]
    fit: tuple[str, ...]
    redraw: int
    otherwise: str | None
    node: Scalar
    beats: dict[str, Beat]
    trees: dict[s.At, list[Any]] = field(default_factory=dict)
    guards: dict[s.At, Guard] = field(default_factory=dict)


def compile_reveal(unit: Unit, document: Document) -> Reveal | None:
    """Parses and checks the program; None where it cannot be read (reported)."""
    body = unit.body(document)
    node = body.get("program")
    if not isinstance(node, Scalar):
        return None
    report = Reporter(node, unit.sink)
    try:
        program = parse_program(node.text)
    except ParseError as error:
        report.syntax(error, "program", codes.PROGRAM_SYNTAX)
        return None
    limits, crossing = body.get("limits"), body.get("crossing")
    fallback = unit.resolve("reveal", crossing.get("else")) if isinstance(crossing, Mapping) else None
    reveal = Reveal(
        document.name,
        program,
        _limits(limits),
        tuple(n.text for n in items(body.get("fit")) if isinstance(n, Scalar)),
        value(crossing.get("redraw"), 0) if isinstance(crossing, Mapping) else 0,
        fallback.name if fallback else None,
        node,
        {d.name: unit.compiled(compile_beat, d) for d in unit.visible("beat", document.package)},
    )
    for name in items(body.get("fit")):
        unit.resolve("beat", name)
    names = scope("reveal", records=records(package_personas(unit, document.package))[0])
    _Check(reveal, report, Scope(CONTEXTS["guard"], names.records)).block(program, names)
    return reveal


def _limits(node: Any) -> dict[str, Any]:
    get = node.get if isinstance(node, Mapping) else (lambda key: None)
    stall = value(get("stall"))
    return {
        "beats_per_message": value(get("beats_per_message"), 1),
        "adds_per_message": value(get("adds_per_message"), 1),
        "slack": value(get("slack"), 0),
        "stall": stall if isinstance(stall, int) else None,
    }


class _Check:
    def __init__(self, reveal: Reveal, report: Reporter, guard: Scope) -> None:
        self._reveal, self._report, self._guard = reveal, report, guard

    def block(self, statements: Iterable[s.Statement], names: Scope) -> None:
        for statement in statements:
            names = self.statement(statement, names)

    def value(self, node: s.Expr, names: Scope, wanted: Type | None = None) -> Type:
        checker = Checker(names, self._report)
        kind = checker.infer(node) if wanted is None else checker.expect(node, wanted)
        self._reveal.trees[node.at] = _lowered(node, names)
        return kind

    def condition(self, node: s.Expr, names: Scope) -> None:
        Checker(names, self._report).condition(node)
        self._reveal.trees[node.at] = _lowered(node, names)

    def statement(self, node: s.Statement, names: Scope) -> Scope:
        match node:
            case s.Let(_, name, value):
                return names.with_names({name: Entry(self.value(value, names), "A name of the program.")})
            case s.If(_, condition, then, other):
                self.condition(condition, names)
                self.block(then, names)
                self.block(other, names)
            case s.ForEach(_, name, source, body) | s.Interleave(_, name, source, _, body):
                kind = t.element(self.value(source, names))
                if kind is None:
                    self._report(codes.NOT_ITERABLE, "this cannot be walked through", source.at, "")
                self.block(body, names.with_names({name: Entry(kind or t.ANY, "A member.", "R")}))
            case s.Maybe(_, chance, body):
                self.value(chance, names, t.NUMBER)
                self.block(body, names)
            case s.Repeat(_, low, high, each, body):
                self.value(low, names, t.INT)
                self.value(high, names, t.INT)
                if each is not None:
                    self.value(each, names, t.NUMBER)
                self.block(body, names)
            case s.BeatCall():
                self.beat(node, names)
        return names

    def beat(self, node: s.BeatCall, names: Scope) -> None:
        beat = self._reveal.beats.get(node.beat)
        if beat is None:
            help = nearest(node.beat, self._reveal.beats) or f"beats: {', '.join(sorted(self._reveal.beats))}"
            self._report(codes.UNKNOWN_BEAT, f"there is no beat `{node.beat}`", node.beat_at, help)
            return
        wanted: Type | None = ITEM if beat.of == "item" else ITEMS if beat.of == "items" else None
        self.operand(node, "", node.of, wanted, names)
        self.operand(node, "about", node.about, beat.about, names)
        self.operand(node, "to", node.to, beat.to, names, optional=True)
        if node.until is not None:
            self.guard(node.until, names)

    def operand(
        self, node: s.BeatCall, word: str, given: s.Expr | None, wanted: Type | None, names: Scope, optional: bool = False
    ) -> None:
        what = f"an operand `{word} …`" if word else "an item"
        if given is None:
            if wanted is not None and not optional:
                example = f"{node.beat} item" if not word else f"{node.beat} item {word} …"
                self._report(codes.BEAT_OPERAND, f"the beat `{node.beat}` needs {what}", node.beat_at, f"for example `{example}`")
        elif wanted is None:
            self._report(codes.BEAT_OPERAND, f"the beat `{node.beat}` takes no {what.removeprefix('an ')}", given.at, "remove it")
        else:
            kind = self.value(given, names)
            if not t.fits(kind, wanted):
                self._report(
                    codes.BEAT_OPERAND, f"`{node.beat}` is about {article(wanted)}, and this is {article(kind)}", given.at, ""
                )

    def guard(self, node: s.Expr, names: Scope) -> None:
        own = {n: e for n, e in names.names.items() if n not in CONTEXTS["reveal"]}
        inner = self._guard.with_names(own)
        Checker(inner, self._report).condition(node)
        used, _ = free_names([node])
        self._reveal.guards[node.at] = Guard(_lowered(node, inner), tuple(sorted(used & set(own))))


def _lowered(node: s.Expr, names: Scope) -> list[Any]:
    try:
        return lower(node, names)
    except KeyError:  # an unknown function, already reported
        return ["lit", None]


def reveal_data(reveal: Reveal) -> dict[str, Any]:
    """What of a reveal plan the runtime needs: its guards in order, and its limits."""
    return {"guards": [g.tree for _, g in sorted(reveal.guards.items())], "limits": reveal.limits}
