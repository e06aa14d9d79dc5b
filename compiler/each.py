"""`each: NAME in EXPRESSION`: a block or a rule that is repeated for every member."""

from __future__ import annotations

import re

from shopdsl.compiler.expressions import NOTHING, Compiled, Reporter, check
from shopdsl.compiler.unit import Unit
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.parse import ParseError, parse_expression
from shopdsl.dsl.tree import Node, Scalar
from shopdsl.dsl.vocabulary import Scope

_EACH = re.compile(r"\s*([a-z][a-z0-9_]*)\s+in\s+(.*)", re.DOTALL)


def read_each(unit: Unit, node: Node | None, names: Scope) -> tuple[str, Compiled]:
    """The member's name, and what is walked through."""
    if not isinstance(node, Scalar):
        return "member", NOTHING
    match = _EACH.fullmatch(node.text)
    if match is None:
        unit.sink.add(codes.SYNTAX, "`each` reads `NAME in EXPRESSION`", node.span, "for example `each: c in categories`")
        return "member", NOTHING
    report = Reporter(node, unit.sink, match.start(2))
    try:
        made = check(parse_expression(match[2]), names, report)
    except ParseError as error:
        report.syntax(error, "expression")
        return match[1], NOTHING
    if t.element(made.type) is None:
        report(codes.NOT_ITERABLE, "this cannot be walked through", (0, len(match[2])), "")
    return match[1], made
