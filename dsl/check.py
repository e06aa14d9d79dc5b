"""The static check of expressions: every name, type and call, before anything runs. It yields findings and infers evidence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from shopdsl.dsl import syntax as s
from shopdsl.dsl import types as t
from shopdsl.dsl.comparisons import WALK, Report, check_comparison, check_member
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.functions import FUNCTIONS, Function, Signature
from shopdsl.dsl.misspelt import ALIASES, SPELT
from shopdsl.dsl.operators import binary_type
from shopdsl.dsl.records import Entry
from shopdsl.dsl.types import Type
from shopdsl.dsl.typewords import article
from shopdsl.dsl.values import SYMBOLS
from shopdsl.dsl.vocabulary import Scope

ANSWER, JUDGED = "answer of ", "what was judged"
"""How records of answers are called, and what `used` holds where one is followed to what it is about."""


SHOWS = ("text", "join", "untagged", "contains", "mentions", "matches")
"""Functions that make a text of what they are given; of a product they show its title, which the catalog has."""


class Checker:
    """Checks one expression: `infer` gives its type and reports what is wrong; `evidence` holds the letters it needs, `used` the names."""

    def __init__(self, scope: Scope, report: Report) -> None:
        self.scope, self._report = scope, report
        self._locals: dict[str, Type] = {}
        self.evidence: set[str] = set()
        self.used: set[str] = set()

    def infer(self, node: s.Expr) -> Type:
        """The type of an expression; `any` where a finding was reported."""
        match node:
            case s.Literal():
                return self.literal(node)
            case s.Name():
                return self.name(node)
            case s.Attribute():
                return self.attribute(node)
            case s.Call():
                return self.call(node)
            case s.Compare():
                return self.compare(node)
            case s.Binary():
                return self.binary(node)
            case s.Logic():
                return self.logic(node)
            case s.Not():
                return self.not_(node)
            case s.Negative():
                return self.negative(node)
            case s.IfElse():
                return self.if_else(node)
            case s.Index():
                return self.index(node)
            case s.Slice():
                return self.slice(node)
            case s.Items():
                return t.Many(node.kind, self._common(node.parts))
            case s.Entries():
                return t.Map(self._common([k for k, _ in node.parts]), self._common([v for _, v in node.parts]))
            case s.Comprehension():
                return self.comprehension(node)
            case s.Regex():
                return self.regex(node)
            case s.MoneyLiteral():
                return self.money(node)
            case s.DurationLiteral():
                return t.DURATION
        assert_never(node)

    def expect(self, node: s.Expr, wanted: Type) -> Type:
        """Infer, and report where the value could not stand for `wanted`."""
        found = self.infer(node)
        bare = t.bare(wanted)
        if isinstance(bare, t.Enum) and isinstance(node, s.Literal):
            check_member(self._report, node, bare)
        elif not t.fits(found, wanted):
            help = "round it with `round`, `floor` or `ceil`" if (t.bare(found), t.bare(wanted)) == (t.NUMBER, t.INT) else ""
            self._report(codes.EXPECTED_TYPE, f"this is {article(found)}, and {article(wanted)} is needed here", node.at, help)
        return found

    def condition(self, node: s.Expr) -> None:
        """Infer a condition: a bool, or something that can be empty."""
        found = t.bare(self.infer(node))
        if found not in (t.BOOL, t.TEXT, t.ANY, t.NONE) and t.element(found) is None and not isinstance(found, t.Record):
            help = f"compare it, for example `{'x > 0' if found in (t.INT, t.NUMBER) else 'x == …'}`"
            self._report(codes.CONDITION, f"a condition must be true or false, and this is {article(found)}", node.at, help)

    # one rule a kind of node

    def literal(self, node: s.Literal) -> Type:
        match node.value:
            case None:
                return t.NONE
            case bool():
                return t.BOOL
            case int():
                return t.INT
            case str():
                return t.TEXT
        return t.NUMBER

    def regex(self, node: s.Regex) -> Type:
        self._pattern(node.pattern, node.at)
        return t.TEXT

    def _pattern(self, regex: str, at: s.At) -> None:
        from shopdsl.dsl.library.texts import pattern

        try:
            pattern(regex)
        except Exception as error:  # re2.error is not typed, and RE2 raises nothing else
            reason = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
            help = "expressions use RE2's syntax: no look-around, no back references"
            self._report(codes.REGEX, f"this regular expression cannot be read: {reason}", at, help)

    def money(self, node: s.MoneyLiteral) -> Type:
        wanted, found = self.scope.currency, SYMBOLS[node.symbol]
        if wanted and found != wanted and (found, wanted) != ("CNY", "JPY"):
            self._report(
                codes.CURRENCY,
                f"`{node.symbol}` is {found}, and this store sells in {wanted}",
                node.at,
                f"write the amount in {wanted}",
            )
        return t.MONEY

    def name(self, node: s.Name) -> Type:
        if node.id in self._locals:
            return self._locals[node.id]
        entry = self.scope.names.get(node.id)
        if entry is None:
            known = [*self._locals, *self.scope.names]
            help = nearest(node.id, known) or f"known here: {', '.join(sorted(known)[:12])}"
            help = SPELT.get(node.id, help)
            what = "a function, call it with `(…)`" if node.id in FUNCTIONS else "not a name known here"
            self._report(codes.UNKNOWN_NAME, f"`{node.id}` is {what}", node.at, help)
            return t.ANY
        self.used.add(node.id)
        self.evidence |= set(entry.evidence)
        return entry.type

    def attribute(self, node: s.Attribute) -> Type:
        of = self.infer(node.of)
        bare = t.bare(of)
        if bare == t.ANY:
            return t.ANY
        if bare == t.MONEY and node.name == "number":
            return _like(of, t.NUMBER)
        fields = self.scope.records.get(bare.name) if isinstance(bare, t.Record) else None
        if fields is None:
            self._report(codes.UNKNOWN_ATTRIBUTE, f"{article(of)} has no attributes", node.name_at, "")
            return t.ANY
        entry = fields.get(node.name)
        if entry is None:
            return self._no_attribute(node, of, fields)
        self.evidence |= set(entry.evidence)
        if isinstance(bare, t.Record) and bare.name.startswith(ANSWER) and node.name == "of":
            self.used.add(JUDGED)
        return _like(of, entry.type)

    def _no_attribute(self, node: s.Attribute, of: Type, fields: dict[str, Entry]) -> Type:
        help = nearest(node.name, fields) or f"it has: {', '.join(sorted(fields))}"
        self._report(codes.UNKNOWN_ATTRIBUTE, f"{article(of)} has no attribute `{node.name}`", node.name_at, help)
        return t.ANY

    def index(self, node: s.Index) -> Type:
        of, key = self.infer(node.of), self.infer(node.key)
        match t.bare(of):
            case t.Many("bag", _):
                return t.INT
            case t.Many("list", inner):
                self._want(key, t.INT, node.key)
                return t.optional(inner)
            case t.Map(k, value):
                self._want(key, k, node.key)
                return t.optional(value)
            case t.Record(name) if name.startswith("table "):
                return self._row(node, name.removeprefix("table "))
            case t.Basic("any"):
                return t.ANY
        self._report(
            codes.NOT_INDEXABLE,
            f"{article(of)} has no `[…]`",
            node.at,
            "lists, maps, bags and tables have; make a list with `list(…)`",
        )
        return t.ANY

    def _row(self, node: s.Index, table: str) -> Type:
        rows = self.scope.records[f"table {table}"]
        if isinstance(node.key, s.Literal) and isinstance(node.key.value, str) and node.key.value not in rows:
            self._report(
                codes.UNKNOWN_ROW,
                f"`{table}` has no row `{node.key.value}`",
                node.key.at,
                nearest(node.key.value, rows) or f"rows: {', '.join(rows)}",
            )
        return t.Record(f"row {table}")

    def slice(self, node: s.Slice) -> Type:
        of = self.infer(node.of)
        for bound in (node.low, node.high):
            if bound is not None:
                self._want(self.infer(bound), t.INT, bound)
        if (isinstance(t.bare(of), t.Many) and t.bare(of).kind == "list") or t.bare(of) in (t.TEXT, t.ANY):  # type: ignore[union-attr]
            return of
        self._report(codes.NOT_INDEXABLE, f"{article(of)} has no `[a:b]`", node.at, "")
        return t.ANY

    def negative(self, node: s.Negative) -> Type:
        found = self.infer(node.of)
        if t.bare(found) not in (t.INT, t.NUMBER, t.MONEY, t.ANY, t.NONE):
            self._report(codes.OPERAND, f"`-` takes a number or money, not {article(found)}", node.at, "")
        return found

    def not_(self, node: s.Not) -> Type:
        self.condition(node.of)
        return t.BOOL

    def logic(self, node: s.Logic) -> Type:
        for part in node.parts:
            self.condition(part)
        return t.BOOL

    def if_else(self, node: s.IfElse) -> Type:
        self.condition(node.condition)
        a, b = self.infer(node.then), self.infer(node.other)
        joined = t.join(a, b)
        if joined is None:
            self._report(
                codes.OPERAND, f"the two sides of `if … else` are {article(a)} and {article(b)}", node.at, "give both one type"
            )
            return t.ANY
        return joined

    def binary(self, node: s.Binary) -> Type:
        left, right = self.infer(node.left), self.infer(node.right)
        if node.op == "??":
            return self._fallback(node, left, right)
        found = binary_type(node.op, t.bare(left), t.bare(right))
        if found is None:
            self._mismatch(node, left, right)
            return t.ANY
        if isinstance(left, t.Optional) or isinstance(right, t.Optional) or node.op in ("/", "//"):
            return t.optional(found) if node.op not in ("/", "//") or not _is_nonzero(node.right) else _like(left, found)
        return found

    def _fallback(self, node: s.Binary, left: Type, right: Type) -> Type:
        joined = right if left == t.NONE else t.join(t.bare(left), right)
        if joined is None:
            self._report(codes.OPERAND, f"`??` joins {article(left)} and {article(right)}", node.at, "give both sides one type")
        return joined or t.ANY

    def _mismatch(self, node: s.Binary, left: Type, right: Type) -> None:
        kinds = {t.bare(left), t.bare(right)}
        if t.MONEY in kinds and kinds & {t.INT, t.NUMBER}:
            help = "use an amount such as `$5`, or `.number` for the bare number"
            self._report(codes.MONEY_AND_NUMBER, f"`{node.op}` cannot mix money with a number", node.at, help)
            return
        help = "make a text of the other side with `text(…)`" if t.TEXT in kinds and node.op == "+" else ""
        self._report(codes.OPERAND, f"`{node.op}` does not go between {article(left)} and {article(right)}", node.at, help)

    def compare(self, node: s.Compare) -> Type:
        found = [self.infer(part) for part in node.parts]
        for op, a, b, left, right in zip(node.ops, node.parts, node.parts[1:], found, found[1:], strict=False):
            check_comparison(self.scope, self._report, op, (a, left), (b, right))
        return t.BOOL

    def _common(self, parts: Iterable[s.Expr]) -> Type:
        result: Type | None = None
        for part in parts:
            found = self.infer(part)
            joined = found if result is None else t.join(result, found)
            if joined is None:
                self._report(
                    codes.OPERAND, f"members of one collection are {article(result or t.ANY)} and {article(found)}", part.at, ""
                )
                return t.ANY
            result = joined
        return result or t.ANY

    def comprehension(self, node: s.Comprehension) -> Type:
        saved = dict(self._locals)
        self._clauses(node.clauses)
        value = self.infer(node.value)
        key = self.infer(node.key) if node.key is not None else None
        self._locals = saved
        return t.Map(key, value) if key is not None else t.Many(node.kind, value)

    def _clauses(self, clauses: tuple[s.Clause, ...]) -> None:
        for clause in clauses:
            source = self.infer(clause.source)
            inner = t.element(source)
            if inner is None:
                self._report(codes.NOT_ITERABLE, f"{article(source)} cannot be walked through", clause.source.at, WALK)
            self._locals[clause.name] = inner or t.ANY
            for condition in clause.conditions:
                self.condition(condition)

    def call(self, node: s.Call) -> Type:
        function = FUNCTIONS.get(node.function)
        if function is None:
            help = ALIASES.get(node.function, "") or nearest(node.function, FUNCTIONS)
            self._report(codes.UNKNOWN_FUNCTION, f"there is no function `{node.function}`", node.function_at, help)
            return t.ANY
        if function.draws and not self.scope.draws:
            help = "draw the value in the cohort's `draw` and use it here"
            self._report(codes.DRAWING, f"`{function.name}` draws, and nothing may be drawn here", node.function_at, help)
        if function.world and not self.scope.world:
            self._report(codes.UNKNOWN_FUNCTION, f"`{function.name}` is a function of tools only", node.function_at, "")
        return self._record(node) if function.name == "record" else self._overload(node, function)

    def _record(self, node: s.Call) -> Type:
        fields = {k.name: Entry(self.infer(k.value), "") for k in node.keywords}
        if node.args:
            self._report(codes.ARGUMENTS, "`record` takes keywords only", node.at, "write `record(name=value)`")
        alike = (n for n, known in self.scope.records.items() if n.startswith("record ") and _types(known) == _types(fields))
        name = next(alike, f"record {len(self.scope.records)}")
        self.scope.records[name] = fields
        return t.Record(name)

    def _overload(self, node: s.Call, function: Function) -> Type:
        saved = dict(self._locals)
        self._clauses(node.clauses)
        args = [self.infer(a) for a in node.args]
        if node.clauses:
            args[0] = t.Many("list", args[0])
        keywords = {k.name: self.infer(k.value) for k in node.keywords}
        self._locals = saved
        self._keywords(node, function)
        if function.name == "matches" and len(args) == 2 and isinstance(regex := node.args[1], s.Literal):
            self._pattern(str(regex.value), regex.at)
        self.evidence |= set(function.evidence) | {"K" for a in args if function.name in SHOWS and _is_product(a)}
        for signature in function.signatures:
            found: dict[str, Type] = {}
            if _accepts(signature, args, keywords, found):
                return self._result(function, signature, args, found)
        self._no_overload(node, function, args)
        return t.ANY

    def _result(self, function: Function, signature: Signature, args: list[Type], found: dict[str, Type]) -> Type:
        result = t.fill(signature.result, found)
        spread = not function.takes_none or len(args) > 1
        return t.optional(result) if spread and any(isinstance(a, t.Optional) for a in args) else result

    def _keywords(self, node: s.Call, function: Function) -> None:
        known = {k for signature in function.signatures for k in signature.keywords}
        for keyword in node.keywords:
            if keyword.name not in known:
                help = nearest(keyword.name, known) or (f"it takes: {', '.join(sorted(known))}" if known else "it takes none")
                self._report(codes.UNKNOWN_KEYWORD, f"`{function.name}` takes no keyword `{keyword.name}`", keyword.at, help)

    def _no_overload(self, node: s.Call, function: Function, args: list[Type]) -> None:
        known = {k for signature in function.signatures for k in signature.keywords}
        if any(k.name not in known for k in node.keywords):
            return
        given = ", ".join(article(a) for a in args) or "nothing"
        help = (
            "it takes "
            + " or ".join(text.partition(" -> ")[0] for text in function.signatures_text)
            + f", for example `{function.example}`"
        )
        self._report(codes.ARGUMENTS, f"`{function.name}` does not take {given}", node.at, help)

    def _want(self, found: Type, wanted: Type, node: s.Expr) -> None:
        if not t.fits(found, wanted):
            self._report(codes.EXPECTED_TYPE, f"this is {article(found)}, and {article(wanted)} is needed here", node.at, "")


def _accepts(signature: Signature, args: list[Type], keywords: dict[str, Type], found: dict[str, Type]) -> bool:
    wanted = list(signature.positional)
    if signature.variadic:
        wanted += [wanted[-1]] * (len(args) - len(wanted))
    if len(args) != len(wanted):
        return False
    if not all(t.bind(w, a, found) for w, a in zip(wanted, args, strict=True)):
        return False
    return all(t.bind(signature.keywords[k], kind, found) for k, kind in keywords.items() if k in signature.keywords)


def _is_product(kind: Type) -> bool:
    return t.Record("product") in (t.bare(kind), t.element(kind))


def _types(fields: dict[str, Entry]) -> dict[str, Type]:
    return {name: entry.type for name, entry in fields.items()}


def _like(of: Type, result: Type) -> Type:
    return t.optional(result) if isinstance(of, t.Optional) else result


def _is_nonzero(node: s.Expr) -> bool:
    return isinstance(node, s.Literal) and bool(node.value)
