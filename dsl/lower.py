"""Checked syntax to plain data: what a plan carries, and `evaluate` runs."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from shopdsl.dsl import syntax as s
from shopdsl.dsl import types as t
from shopdsl.dsl.functions import FUNCTIONS
from shopdsl.dsl.values import SYMBOLS
from shopdsl.dsl.vocabulary import Scope

Tree = list[Any]
_STATIC = (t.Record("category"), t.Record("store"))


def lower(node: s.Expr, scope: Scope) -> Tree:
    """The tree of an expression; numbers that are not whole are text, so that no float enters a plan."""
    return _Lower(scope).tree(node)


class _Lower:
    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def tree(self, node: s.Expr) -> Tree:
        return _LOWER[type(node)](self, node)

    def literal(self, node: s.Literal) -> Tree:
        return ["dec", str(node.value)] if isinstance(node.value, Decimal) else ["lit", node.value]

    def money(self, node: s.MoneyLiteral) -> Tree:
        return ["money", str(node.amount), SYMBOLS[node.symbol]]

    def duration(self, node: s.DurationLiteral) -> Tree:
        return ["dur", str(node.minutes)]

    def regex(self, node: s.Regex) -> Tree:
        return ["re", node.pattern]

    def name(self, node: s.Name) -> Tree:
        return ["name", node.id]

    def attribute(self, node: s.Attribute) -> Tree:
        return ["attr", self.tree(node.of), node.name]

    def index(self, node: s.Index) -> Tree:
        return ["idx", self.tree(node.of), self.tree(node.key)]

    def slice(self, node: s.Slice) -> Tree:
        return ["slice", self.tree(node.of), *(self.tree(b) if b is not None else None for b in (node.low, node.high))]

    def call(self, node: s.Call) -> Tree:
        keywords = {k.name: self.tree(k.value) for k in node.keywords}
        args = [self.tree(a) for a in node.args]
        if not node.clauses:
            return ["call", node.function, args, keywords]
        each = {k for signature in FUNCTIONS[node.function].signatures for k in signature.each}
        by_member = {k: v for k, v in keywords.items() if k in each}
        rest = {k: v for k, v in keywords.items() if k not in each}
        clauses = [self.clause(c) for c in node.clauses]
        return ["gen", node.function, args[0], clauses, rest, by_member, self._fixed(node)]

    def _fixed(self, node: s.Call) -> list[str] | None:
        """The names that members and weights depend on, if they are all fixed for a whole catalog."""
        if node.function not in ("choice", "sample"):
            return None
        each = [k.value for k in node.keywords if k.name == "weight"]
        names, calls = free_names([*node.args, *each], node.clauses)
        if any(FUNCTIONS[f].draws for f in calls):
            return None
        entries = {n: self._scope.names.get(n) for n in names}
        fixed = all(e is not None and e.type in _STATIC for e in entries.values())
        return sorted(names) if fixed else None

    def clause(self, clause: s.Clause) -> Tree:
        return [clause.name, self.tree(clause.source), [self.tree(c) for c in clause.conditions]]

    def negative(self, node: s.Negative) -> Tree:
        return ["neg", self.tree(node.of)]

    def not_(self, node: s.Not) -> Tree:
        return ["not", self.tree(node.of)]

    def binary(self, node: s.Binary) -> Tree:
        return ["bin", node.op, self.tree(node.left), self.tree(node.right)]

    def logic(self, node: s.Logic) -> Tree:
        return [node.op, [self.tree(p) for p in node.parts]]

    def compare(self, node: s.Compare) -> Tree:
        return ["cmp", list(node.ops), [self.tree(p) for p in node.parts]]

    def if_else(self, node: s.IfElse) -> Tree:
        return ["if", self.tree(node.condition), self.tree(node.then), self.tree(node.other)]

    def items(self, node: s.Items) -> Tree:
        return [node.kind, [self.tree(p) for p in node.parts]]

    def entries(self, node: s.Entries) -> Tree:
        return ["map", [[self.tree(k), self.tree(v)] for k, v in node.parts]]

    def comprehension(self, node: s.Comprehension) -> Tree:
        key = self.tree(node.key) if node.key is not None else None
        return ["comp", node.kind, key, self.tree(node.value), [self.clause(c) for c in node.clauses]]


_LOWER: dict[type, Callable[[_Lower, Any], Tree]] = {
    s.Literal: _Lower.literal, s.MoneyLiteral: _Lower.money, s.DurationLiteral: _Lower.duration, s.Regex: _Lower.regex,
    s.Name: _Lower.name, s.Attribute: _Lower.attribute, s.Index: _Lower.index, s.Slice: _Lower.slice, s.Call: _Lower.call,
    s.Negative: _Lower.negative, s.Not: _Lower.not_, s.Binary: _Lower.binary, s.Logic: _Lower.logic, s.Compare: _Lower.compare,
    s.IfElse: _Lower.if_else, s.Items: _Lower.items, s.Entries: _Lower.entries, s.Comprehension: _Lower.comprehension,
}  # fmt: skip


def free_names(nodes: list[s.Expr], clauses: tuple[s.Clause, ...] = ()) -> tuple[set[str], set[str]]:
    """Names that the nodes take from outside, and functions that they call."""
    names: set[str] = set()
    calls: set[str] = set()
    _walk_clauses(clauses, nodes, frozenset(), names, calls)
    return names, calls


def _walk_clauses(
    clauses: tuple[s.Clause, ...], nodes: list[s.Expr], bound: frozenset[str], names: set[str], calls: set[str]
) -> None:
    for clause in clauses:
        _walk(clause.source, bound, names, calls)
        bound |= {clause.name}
        for condition in clause.conditions:
            _walk(condition, bound, names, calls)
    for node in nodes:
        _walk(node, bound, names, calls)


def _walk(node: Any, bound: frozenset[str], names: set[str], calls: set[str]) -> None:
    match node:
        case s.Name(_, id):
            names |= {id} - bound
        case s.Call(_, function, _, args, keywords, clauses):
            calls.add(function)
            _walk_clauses(clauses, [*args, *(k.value for k in keywords)], bound, names, calls)
        case s.Comprehension(_, _, key, value, clauses):
            _walk_clauses(clauses, [value, *([key] if key is not None else [])], bound, names, calls)
        case tuple() | list():
            for part in node:
                _walk(part, bound, names, calls)
        case _ if hasattr(node, "__dataclass_fields__"):
            for name in node.__dataclass_fields__:
                _walk(getattr(node, name), bound, names, calls)
