"""Effects of tools: parsed, checked, lowered to plan data that `runtime/shop/effects.py` runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shopdsl.compiler.expressions import Reporter
from shopdsl.dsl import syntax as s
from shopdsl.dsl import types as t
from shopdsl.dsl.check import Checker
from shopdsl.dsl.diagnostics import Sink, codes
from shopdsl.dsl.lower import lower
from shopdsl.dsl.parse import ParseError, parse_effect
from shopdsl.dsl.records import Entry
from shopdsl.dsl.tree import Node, Scalar
from shopdsl.dsl.typewords import article
from shopdsl.dsl.vocabulary import Scope

PRODUCT = t.Record("product")


def compile_effect(node: Node | None, names: Scope, sink: Sink) -> list[Any]:
    """The statements of an effect as data; an absent effect is an empty list."""
    if not isinstance(node, Scalar):
        return []
    report = Reporter(node, sink)
    try:
        statements = parse_effect(node.text)
    except ParseError as error:
        report.syntax(error, "effect", codes.EFFECT_SYNTAX)
        return []
    return _Effect(report).block(statements, names)


class _Effect:
    def __init__(self, report: Reporter) -> None:
        self._report = report

    def block(self, statements: Iterable[s.Statement], names: Scope) -> list[Any]:
        result: list[Any] = []
        for statement in statements:
            lowered, names = self.statement(statement, names)
            result.append(lowered)
        return result

    def statement(self, node: s.Statement, names: Scope) -> tuple[list[Any], Scope]:
        match node:
            case s.Let(_, name, value):
                tree, kind = self.value(value, names)
                return ["let", name, tree], names.with_names({name: Entry(kind, "A name of the effect.")})
            case s.If(_, condition, then, other):
                Checker(names, self._report).condition(condition)
                return ["if", lower(condition, names), self.block(then, names), self.block(other, names)], names
            case s.ForEach(_, name, source, body):
                tree, kind = self.value(source, names)
                inner = names.with_names({name: Entry(t.element(kind) or t.ANY, "A member.")})
                return ["for", name, tree, self.block(body, inner)], names
            case s.Assign():
                return self.assign(node, names), names
            case s.Operation():
                return self.operation(node, names), names
        raise AssertionError(node)

    def value(self, node: s.Expr, names: Scope, wanted: t.Type | None = None) -> tuple[list[Any], t.Type]:
        checker = Checker(names, self._report)
        kind = checker.infer(node) if wanted is None else checker.expect(node, wanted)
        return lower(node, names), kind

    def assign(self, node: s.Assign, names: Scope) -> list[Any]:
        place = node.place
        if not (isinstance(place, s.Index) and isinstance(place.of, s.Name) and place.of.id == "cart"):
            help = "assign to `cart[product]`; other state changes by operations such as `place order`"
            self._report(codes.NOT_A_PLACE, "this cannot be assigned to", place.at, help)
            return ["fail", ["lit", "not a place"]]
        key, kind = self.value(place.key, names)
        if not t.fits(kind, PRODUCT):
            self._report(codes.EXPECTED_TYPE, f"a cart is indexed by a product, not by {article(kind)}", place.key.at, "")
        return ["cart", node.op, key, self.value(node.value, names, t.INT)[0]]

    def operation(self, node: s.Operation, names: Scope) -> list[Any]:
        if node.op == "fail":
            return ["fail", self.value(node.operand, names, t.TEXT)[0]]
        named = node.operand.id if isinstance(node.operand, s.Name) else ""
        if node.op == "place":
            if named != "order":
                self._report(codes.NOT_A_PLACE, "only `place order` is an operation", node.operand.at, "write `place order`")
            return ["place"]
        return ["cart", "=", self.value(node.operand, names, PRODUCT)[0], ["lit", 0]]
