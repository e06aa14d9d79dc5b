"""Effects of tools: parsed, checked, lowered to plan data that `runtime/shop/effects.py` runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.expressions import Reporter
from shopdsl.compiler.shapes import Shapes, lacks
from shopdsl.dsl import syntax as s
from shopdsl.dsl import types as t
from shopdsl.dsl.check import Checker
from shopdsl.dsl.comparisons import WALK
from shopdsl.dsl.diagnostics import Sink, codes, nearest
from shopdsl.dsl.lower import lower
from shopdsl.dsl.parse import ParseError, parse_effect
from shopdsl.dsl.records import Entry
from shopdsl.dsl.tree import Node, Scalar
from shopdsl.dsl.typewords import article
from shopdsl.dsl.vocabulary import Scope

PRODUCT = t.Record("product")


@dataclass(frozen=True)
class Form:
    """How an operation is written: what follows its operand, and an example."""

    rest: str
    example: str


SUMS = (t.INT, t.NUMBER, t.MONEY, t.DURATION)
"""What `+=` and `-=` change."""
FORMS = {
    "remove": Form("from cart", "remove p from cart"),
    "append": Form("to …", "append record(a=1) to order.items"),
    "place": Form("", "place order"),
    "fail": Form("", 'fail "why"'),
}


def compile_effect(node: Node | None, names: Scope, sink: Sink, shapes: Shapes) -> list[Any]:
    """The statements of an effect as data; an absent effect is an empty list."""
    if not isinstance(node, Scalar):
        return []
    report = Reporter(node, sink)
    try:
        statements = parse_effect(node.text)
    except ParseError as error:
        report.syntax(error, "effect", codes.EFFECT_SYNTAX)
        return []
    return _Effect(report, shapes).block(statements, names)


class _Effect:
    def __init__(self, report: Reporter, shapes: Shapes) -> None:
        self._report, self._shapes = report, shapes

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
                if t.element(kind) is None:
                    self._report(codes.NOT_ITERABLE, f"{article(kind)} cannot be walked through", source.at, WALK)
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
        if isinstance(place, s.Attribute):
            of, field, wanted = self.field(place, names)
            return ["put", node.op, of, field, self.changed(node, wanted, names)]
        if isinstance(place, s.Index) and isinstance(place.of, s.Attribute):
            of, field, kind = self.field(place.of, names)
            wanted = self.value_of(kind, place)
            key = self.value(place.key, names, t.TEXT)[0]
            return ["put_in", node.op, of, field, key, self.changed(node, wanted, names)]
        if isinstance(place, s.Index) and isinstance(place.of, s.Name) and place.of.id in self._shapes.tables:
            return self.create(node, place, place.of.id, names)
        if not (isinstance(place, s.Index) and isinstance(place.of, s.Name) and place.of.id == "cart"):
            return self.no_place(place)
        key, kind = self.value(place.key, names)
        if not t.fits(kind, PRODUCT):
            self._report(codes.EXPECTED_TYPE, f"a cart is indexed by a product, not by {article(kind)}", place.key.at, "")
        return ["cart", node.op, key, self.value(node.value, names, t.INT)[0]]

    def changed(self, node: s.Assign, wanted: t.Type, names: Scope) -> list[Any]:
        """What a field is set to, or changed by; `+=` and `-=` go with what can be added."""
        if node.op == "=" or t.bare(wanted) in (*SUMS, t.ANY):
            return self.member(node.value, names, wanted)
        help = "write `=`, or `append` for a list"
        self._report(codes.EXPECTED_TYPE, f"`{node.op}` does not go with {article(t.bare(wanted))}", node.place.at, help)
        return self.value(node.value, names)[0]

    def no_place(self, place: s.Expr) -> list[Any]:
        help = "assign to `cart[product]`, to a field of a declared record, or to a new place of a table; an order is placed by `place order`"
        self._report(codes.NOT_A_PLACE, "this cannot be assigned to", place.at, help)
        return ["fail", ["lit", "not a place"]]

    def field(self, place: s.Attribute, names: Scope) -> tuple[list[Any], str, t.Type]:
        """The record of a place, its field, and the field's type; what cannot be written to is reported."""
        of, kind = self.value(place.of, names)
        bare = t.bare(kind)
        about = self._shapes.data.get(bare.name) if isinstance(bare, t.Record) else None
        entry = self._shapes.records[bare.name].get(place.name) if isinstance(bare, t.Record) and about else None
        if about is None:
            if bare != t.ANY:
                self.no_place(place)
        elif entry is None or place.name not in about["fields"] or place.name == about["key"]:
            known = [f for f in about["fields"] if f != about["key"]]
            help = nearest(place.name, known) or f"fields that can change: {', '.join(known)}"
            self._report(codes.NOT_A_PLACE, f"`{place.name}` of {article(bare)} cannot be assigned to", place.name_at, help)
        return of, place.name, entry.type if entry else t.ANY

    def value_of(self, kind: t.Type, place: s.Expr) -> t.Type:
        bare = t.bare(kind)
        if isinstance(bare, t.Map):
            return bare.value
        if bare != t.ANY:
            self._report(
                codes.NOT_A_PLACE,
                f"{article(bare)} has no places to assign to",
                place.at,
                "only maps have; use `append` for a list",
            )
        return t.ANY

    def create(self, node: s.Assign, place: s.Index, table: str, names: Scope) -> list[Any]:
        record = next(r for r in self._shapes.keyed if self._shapes.data[r]["table"] == table)
        if node.op != "=":
            self._report(codes.NOT_A_PLACE, f"`{node.op}` does not go with a whole record", place.at, "change one of its fields")
        key = self.value(place.key, names, t.TEXT)[0]
        return ["create", record, key, self.member(node.value, names, t.Record(record))]

    def member(self, node: s.Expr, names: Scope, wanted: t.Type) -> list[Any]:
        """A value for a place; a `record(…)` stands for a declared record with the same fields."""
        self.fit(node, Checker(names, self._report).infer(node), wanted, names)
        return lower(node, names)

    def fit(self, node: s.Expr, found: t.Type, wanted: t.Type, names: Scope) -> None:
        """Report where a value cannot stand at a place of a type; the fields of a `record(…)` are looked at one by one."""
        place = t.bare(wanted)
        match node:
            case s.Call(function="record") if (
                isinstance(place, t.Record) and place.name in self._shapes.data and isinstance(found, t.Record)
            ):
                given = names.records[found.name]
                if lack := lacks(given, place.name, names.records, self._shapes.data):
                    self._report(codes.EXPECTED_TYPE, lack, node.at, "")
                    return
                for keyword in node.keywords:
                    self.fit(keyword.value, given[keyword.name].type, names.records[place.name][keyword.name].type, names)
            case s.Comprehension(key=None) if isinstance(place, t.Many):
                self.fit(node.value, t.element(found) or t.ANY, place.of, names)
            case s.Entries() if isinstance(place, t.Map):
                for _, part in node.parts:
                    self.fit(part, t.bare(found).value if isinstance(t.bare(found), t.Map) else t.ANY, place.value, names)  # type: ignore[union-attr]
            case s.Comprehension(kind="map") if isinstance(place, t.Map):
                self.fit(node.value, t.bare(found).value if isinstance(t.bare(found), t.Map) else t.ANY, place.value, names)  # type: ignore[union-attr]
            case s.Items() if isinstance(place, t.Many):
                for part in node.parts:
                    self.fit(part, t.element(found) or t.ANY, place.of, names)
            case s.IfElse() if isinstance(place, t.Enum):
                for branch in (node.then, node.other):
                    self.fit(branch, t.TEXT, wanted, names)
            case s.Literal() if isinstance(place, t.Enum):
                Checker(names, self._report).expect(node, wanted)
            case _:
                self.plain(node, found, wanted)

    def plain(self, node: s.Expr, found: t.Type, wanted: t.Type) -> None:
        if not t.fits(found, wanted):
            help = "round it with `round`, `floor` or `ceil`" if (t.bare(found), t.bare(wanted)) == (t.NUMBER, t.INT) else ""
            self._report(codes.EXPECTED_TYPE, f"this is {article(found)}, and {article(wanted)} is needed here", node.at, help)

    def append(self, node: s.Operation, names: Scope) -> list[Any]:
        if not isinstance(node.other, s.Attribute):
            self._report(
                codes.NOT_A_PLACE, "`append` needs a list to append to", node.operand.at, "write `append E to order.items`"
            )
            return ["fail", ["lit", "not a place"]]
        of, field, kind = self.field(node.other, names)
        bare = t.bare(kind)
        if bare != t.ANY and not (isinstance(bare, t.Many) and bare.kind == "list"):
            self._report(
                codes.NOT_A_PLACE, f"this is {article(bare)}, not a list", node.other.at, "only lists can be appended to"
            )
        return ["append", of, field, self.member(node.operand, names, t.element(bare) or t.ANY)]

    def operation(self, node: s.Operation, names: Scope) -> list[Any]:
        form = FORMS[node.op]
        rest = f"{node.preposition} {node.other.id if isinstance(node.other, s.Name) else '…'}" if node.other else ""
        if rest != form.rest and (node.op, node.preposition) != ("append", "to"):
            self._report(codes.EFFECT_SYNTAX, f"`{node.op}` is written `{form.example}`", node.at, "")
        if node.op == "fail":
            return ["fail", self.value(node.operand, names, t.TEXT)[0]]
        if node.op == "append":
            return self.append(node, names)
        named = node.operand.id if isinstance(node.operand, s.Name) else ""
        if node.op == "place":
            if named != "order":
                self._report(codes.NOT_A_PLACE, "only `place order` is an operation", node.operand.at, "write `place order`")
            return ["place"]
        return ["cart", "=", self.value(node.operand, names, PRODUCT)[0], ["lit", 0]]
