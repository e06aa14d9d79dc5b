"""Scalars of a spec to checked, lowered expressions and templates; findings point into the scalar."""

from __future__ import annotations

from dataclasses import dataclass, replace

from shopdsl.dsl import syntax as s
from shopdsl.dsl import types as t
from shopdsl.dsl.check import Checker
from shopdsl.dsl.diagnostics import Code, Sink, codes
from shopdsl.dsl.lower import Tree, lower
from shopdsl.dsl.parse import ParseError, TooLong, parse_expression
from shopdsl.dsl.tree import Node, Scalar
from shopdsl.dsl.types import ANY, Type
from shopdsl.dsl.vocabulary import Scope


@dataclass(frozen=True, slots=True)
class Compiled:
    """A checked expression: its tree for the plan, its type, the evidence it needs and the names it uses."""

    tree: Tree
    type: Type
    evidence: frozenset[str]
    used: frozenset[str]
    failed: bool = False


NOTHING = Compiled(["lit", None], ANY, frozenset(), frozenset(), failed=True)


class Reporter:
    """Turns offsets in a part of a scalar into places in the file."""

    def __init__(self, node: Scalar, sink: Sink, shift: int = 0) -> None:
        self._node, self._sink, self._shift = node, sink, shift
        self.failed = False

    def __call__(self, code: Code, message: str, at: s.At, help: str = "") -> None:
        self.failed = True
        span = self._node.within(at[0] + self._shift, at[1] + self._shift)
        self._sink.add(code, message, span, help)

    def syntax(self, error: ParseError, what: str, code: Code = codes.SYNTAX) -> None:
        wanted = " or ".join(error.expected[:4])
        help = f"expected {wanted}" if error.expected else ""
        at = (error.offset, error.offset + max(1, error.width))
        if isinstance(error, TooLong):
            self(
                codes.TOO_LONG,
                f"this {what} is too long: {error.message}",
                at,
                "give names to its parts, in `let` where there is one",
            )
        else:
            self(code, f"this {what} cannot be read: {error.message}", at, help)


def expression(node: Node | None, scope: Scope, sink: Sink, wanted: Type | None = None) -> Compiled:
    """A checked expression; `wanted` is the type it must have."""
    if not isinstance(node, Scalar):
        return NOTHING
    parsed = parse(node, sink)
    return NOTHING if parsed is None else check(parsed, scope, Reporter(node, sink), wanted)


def condition(node: Node | None, scope: Scope, sink: Sink) -> Compiled:
    """A checked condition: true or false, or something that can be empty."""
    if not isinstance(node, Scalar):
        return NOTHING
    parsed = parse(node, sink)
    if parsed is None:
        return NOTHING
    report = Reporter(node, sink)
    checker = Checker(scope, report)
    checker.condition(parsed)
    return _compiled(parsed, scope, checker, ANY, report.failed)


def parse(node: Scalar, sink: Sink) -> s.Expr | None:
    """The syntax of a scalar, or None where it was reported."""
    try:
        return parse_expression(node.text)
    except ParseError as error:
        if _cut_short(node, error):
            message = f"YAML has split this expression: `{node.text}` is only its beginning"
            sink.add(codes.SPLIT_BY_YAML, message, node.span, "put the whole expression in quotes")
        else:
            Reporter(node, sink).syntax(error, "expression")
        return None


def _cut_short(node: Scalar, error: ParseError) -> bool:
    """Did YAML end a plain scalar at ` #`, or a flow mapping at a comma, before its brackets closed?"""
    rest = node.span.source.text[node.span.end : node.span.end + 2].lstrip(" ")
    if node.style != "" or rest[:1] not in (",", "#", "}", "]"):
        return False
    open_quote = node.text[error.offset : error.offset + 1] in ('"', "'") and node.text.count(node.text[error.offset]) % 2 == 1
    return open_quote or error.offset >= len(node.text.rstrip())


def check(parsed: s.Expr, scope: Scope, report: Reporter, wanted: Type | None = None) -> Compiled:
    """A parsed expression, checked and lowered."""
    checker = Checker(scope, report)
    found = checker.infer(parsed) if wanted is None else checker.expect(parsed, wanted)
    return _compiled(parsed, scope, checker, found, report.failed)


def _compiled(parsed: s.Expr, scope: Scope, checker: Checker, found: Type, failed: bool) -> Compiled:
    try:
        tree = lower(parsed, scope)
    except KeyError:  # an unknown function, already reported
        return NOTHING
    return Compiled(tree, found, frozenset(checker.evidence), frozenset(checker.used), failed)


def template(node: Node | None, scope: Scope, sink: Sink) -> Compiled:
    """A text with `{{ expression }}` in it."""
    if not isinstance(node, Scalar):
        return NOTHING
    parts: Tree = []
    evidence: set[str] = set()
    used: set[str] = set()
    place = 0
    text = node.text
    while (start := text.find("{{", place)) >= 0:
        end = text.find("}}", start)
        if end < 0 or "{{" in text[start + 2 : end]:
            sink.add(codes.PLACEHOLDER, "this `{{` is not closed", node.within(start, start + 2), "close it with `}}`")
            return NOTHING
        parts.append(text[place:start])
        inner = _placeholder(node, start + 2, end, scope, sink)
        parts.append(inner.tree)
        evidence |= inner.evidence
        used |= inner.used
        place = end + 2
    parts.append(text[place:])
    return Compiled(["tmpl", [p for p in parts if p != ""]], ANY, frozenset(evidence), frozenset(used))


def untagged(tree: Tree) -> Tree:
    """A template for a model whose placeholders cannot end the tags around them: what they bring in was written by agents and customers."""
    if tree[0] != "tmpl":
        return tree
    return ["tmpl", [p if isinstance(p, str) else ["call", "untagged", [p], {}] for p in tree[1]]]


def _placeholder(node: Scalar, start: int, end: int, scope: Scope, sink: Sink) -> Compiled:
    body = node.text[start:end]
    lead = len(body) - len(body.lstrip())
    report = Reporter(node, sink, start + lead)
    try:
        made = check(parse_expression(body.strip()), scope, report)
        shown = (
            {"K"} if t.Record("product") in (t.bare(made.type), t.element(made.type)) else set()
        )  # a product is shown by its title
        return replace(made, evidence=made.evidence | shown)
    except ParseError as error:
        report.syntax(error, "placeholder")
        return NOTHING
