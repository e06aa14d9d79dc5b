"""The static check of comparisons: can they be true, and are texts members of the enum or table that they are compared with?"""

from __future__ import annotations

from collections.abc import Callable

from shopdsl.dsl import syntax as s
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import Code, codes, nearest
from shopdsl.dsl.operators import comparable
from shopdsl.dsl.types import Type
from shopdsl.dsl.typewords import article
from shopdsl.dsl.vocabulary import Scope

Report = Callable[[Code, str, s.At, str], None]
Side = tuple[s.Expr, Type]
WALK = "a list, a set, a map, a bag or a table can; write `[x]` for a list of one"
_AMOUNT = "use an amount such as `$5`, or `.number` for the bare number"


def check_comparison(scope: Scope, report: Report, op: str, left: Side, right: Side) -> None:
    """Report what is wrong with `left op right`, each a node and its type."""
    if op in ("in", "not in"):
        _membership(scope, report, left, right)
        return
    if _named(scope, report, left, right) or _named(scope, report, right, left):
        return
    at = (left[0].at[0], right[0].at[1])
    kinds = {t.bare(left[1]), t.bare(right[1])}
    if t.MONEY in kinds and kinds & {t.INT, t.NUMBER}:
        report(codes.MONEY_AND_NUMBER, f"`{op}` compares money with a bare number", at, _AMOUNT)
    elif not comparable(op, left[1], right[1]):
        message = f"{article(left[1])} `{op}` {article(right[1])} can never be true"
        report(codes.UNRELATED, message, at, "compare two of one kind, for example `x.id` with a text")


def _membership(scope: Scope, report: Report, member: Side, of: Side) -> None:
    bare = t.bare(of[1])
    inner = t.TEXT if bare == t.TEXT else t.element(bare)
    if inner is None:
        report(codes.NOT_ITERABLE, f"`in` needs a list, set, map, bag or text, and this is {article(of[1])}", of[0].at, WALK)
    elif isinstance(t.bare(member[1]), t.Enum) and isinstance(of[0], s.Items):
        for part in of[0].parts:
            _named(scope, report, (part, t.TEXT), member)
    elif bare == t.Many("bag", t.Record("product")) and t.bare(member[1]) == t.Record("item"):
        return  # an item is in a cart if its product is
    elif not comparable("==", member[1], inner):
        message = f"{article(member[1])} is never in {article(of[1])}"
        report(codes.UNRELATED, message, member[0].at, "look for something of the kind that it holds")


def _named(scope: Scope, report: Report, value: Side, of: Side) -> bool:
    """Is a text compared with an enum or a table's row? Then it must name a member."""
    node, bare = value[0], t.bare(of[1])
    if not (isinstance(node, s.Literal) and isinstance(node.value, str)):
        return False
    if isinstance(bare, t.Enum):
        check_member(report, node, bare)
        return True
    if isinstance(bare, t.Record) and bare.name.startswith("row ") and f"table {bare.name[4:]}" in scope.records:
        _row_name(scope, report, node, bare.name[4:])
        return True
    return False


def check_member(report: Report, node: s.Literal, of: t.Enum) -> None:
    """Report a text that is no member of an enum."""
    if node.value not in of.members:
        help = nearest(str(node.value), of.members) or f"members: {', '.join(of.members)}"
        report(codes.NOT_A_MEMBER, f'"{node.value}" is not a known {of}', node.at, help)


def _row_name(scope: Scope, report: Report, node: s.Literal, table: str) -> None:
    rows = scope.records[f"table {table}"]
    if node.value not in rows:
        what = "value" if table.startswith("persona.") else "row"
        help = nearest(str(node.value), rows) or f"{what}s: {', '.join(rows)}"
        report(codes.UNKNOWN_ROW, f'`{table}` has no {what} "{node.value}"', node.at, help)
