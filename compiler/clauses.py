"""`NAME in EXPRESSION if …`, as `ask: {for: …}` has it: the members that something is done for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.expressions import NOTHING, Compiled, Reporter, check
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import Sink, codes
from shopdsl.dsl.parse import ParseError, parse_expression
from shopdsl.dsl.tree import Scalar
from shopdsl.dsl.types import Type
from shopdsl.dsl.vocabulary import Scope

_NAME = re.compile(r"\s*([a-z][a-z0-9_]*)\s+in\s")


@dataclass(frozen=True)
class Members:
    """The list of members, and the type of one."""

    made: Compiled
    member: Type

    @property
    def tree(self) -> Any:
        return self.made.tree


def members(node: Scalar, scope: Scope, sink: Sink) -> Members:
    """A checked clause; what is wrong with it is reported at its place."""
    match = _NAME.match(node.text)
    if match is None:
        sink.add(codes.SYNTAX, "this reads `NAME in EXPRESSION`", node.span, "for example `m in agent_messages`")
        return Members(NOTHING, t.ANY)
    before = f"[{match[1]} for "
    report = Reporter(node, sink, -len(before))
    try:
        made = check(parse_expression(f"{before}{node.text}]"), scope, report)
    except ParseError as error:
        report.syntax(error, "clause")
        return Members(NOTHING, t.ANY)
    return Members(made, t.element(made.type) or t.ANY)
