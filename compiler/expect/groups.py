"""What a case expects, all of it: its groups, and the rule of success over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.expect.answers import compile_answer
from shopdsl.compiler.expect.calls import compile_calls
from shopdsl.compiler.expect.constraints import compile_constraints
from shopdsl.compiler.expect.nodes import Data, Ground, Listed, Recorded
from shopdsl.compiler.expect.states import compile_state
from shopdsl.compiler.expressions import condition
from shopdsl.compiler.unit import Unit, items, text
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.records import Entry
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Mapping, Node, Scalar
from shopdsl.dsl.vocabulary import Scope, scope

MOST = 200
"""So many expectations a case may have in one group: every one is spoiled in its proof."""
ANYTHING = "anything"
"""What `state` is where an agent may change what it likes."""
GROUPS = ("calls", "answer", "state", "assertions")
_MAKERS = {"calls": compile_calls, "answer": compile_answer, "state": compile_state}


@dataclass(frozen=True)
class Expected:
    """What a case expects: plan data, the calls that it lists, the place of each group, and the groups that success counts."""

    data: dict[str, Any]
    listed: list[Listed]
    mentioned: list[tuple[str, Span]]
    recorded: list[Recorded]
    spans: dict[str, Span]
    counted: frozenset[str]
    success_span: Span | None
    failed: bool


def compile_expected(unit: Unit, body: Mapping, package: str, names: Scope, turns: int) -> Expected:
    """Checks every group of `expect` and the rule `success`."""
    expect = body.get("expect")
    node = expect if isinstance(expect, Mapping) else Mapping([], body.span)
    ground = Ground(unit, names, package, turns)
    steps = compile_constraints(ground, body.get("constraints"), names, turns)
    open_state = text(node.get("state")) == ANYTHING
    given = {g: part for g in _MAKERS if (part := node.get(g)) is not None and not (g == "state" and open_state)}
    groups: dict[str, Data] = {g: _MAKERS[g](ground, part) for g, part in given.items()}
    if (part := node.get("assertions")) is not None:
        groups["assertions"] = {"op": "assertions", "texts": [text(n) for n in items(part)]}
        for blank in (n for n in items(part) if not text(n).strip()):
            ground.bad("this asserts nothing", blank.span, "write a sentence that can be true or false")
    spans = {g: place.span for g in GROUPS if (place := node.key(g)) is not None}
    rule, counted = _success(unit, body.get("success"), groups)
    data: dict[str, Any] = {"groups": groups, "success": rule, "idle": text(body.get("inaction")) == "right"}
    if steps:
        data["constraints"] = steps
    if open_state:
        data["open"] = True
    for name, group in groups.items():
        if sum(1 for _ in _walk(group)) > MOST:
            ground.bad(f"this expects more than {MOST} things", spans[name], "make several cases of it")
    _check_fits(ground, groups.get("answer"), body.key("constraints"), spans)
    rule_node = body.get("success")
    return Expected(
        data,
        ground.listed,
        ground.mentioned,
        ground.recorded,
        spans,
        counted,
        rule_node.span if rule_node is not None else None,
        ground.failed,
    )


def _check_fits(ground: Ground, node: Data | None, steps: Scalar | None, spans: dict[str, Span]) -> None:
    """`constraints` and `fits` go together."""
    looked_at = node is not None and any(n["op"] == "fits" for n in _walk(node))
    if looked_at and steps is None:
        ground.bad("the case has no `constraints` to fit", spans["answer"], "add `constraints:`, a list of steps")
    if steps is not None and not looked_at:
        ground.bad(
            "nothing looks at the `constraints`",
            steps.span,
            "expect `answer: {fits: constraints}`, with a `turn` where it matters",
        )


def _walk(node: Data) -> Iterator[Data]:
    yield node
    for part in node.get("of", ()):
        if isinstance(part, dict):
            yield from _walk(part)


def _success(unit: Unit, node: Node | None, groups: dict[str, Data]) -> tuple[Any, frozenset[str]]:
    """The rule as a tree, and the groups that it counts; without a rule all that is expected counts."""
    if not isinstance(node, Scalar):
        return ["and", [["name", g] for g in GROUPS if g in groups]], frozenset(groups)
    names = scope("reference", {g: Entry(t.BOOL, f"What is expected of `{g}` holds.") for g in GROUPS})
    made = condition(node, names, unit.sink)
    return made.tree, made.used & frozenset(GROUPS)


def is_empty(group: Data) -> bool:
    """Does a group expect nothing?"""
    if group["op"] == "assertions":
        return not group["texts"]
    return group["op"] == "all" and all(part.get("bonus") for part in group["of"])


def lint_expected(unit: Unit, expected: Expected, place: Any) -> None:
    """Report what nothing counts, and what is counted and not expected; `place` says where a group or call stands for its author."""
    groups = expected.data["groups"]
    for name, group in groups.items() if not expected.failed else ():
        if name not in expected.counted and not is_empty(group):
            help = f"count it in `success`, for example `success: {' and '.join(g for g in GROUPS if g in expected.counted or g == name)}`, or remove it"
            unit.sink.add(
                codes.UNCOUNTED,
                f"{_many(name, group)}, and nothing counts {_them(group)}",
                place(name, expected.spans[name]),
                help,
            )
    for name in sorted(expected.counted) if not expected.failed else ():
        if name not in groups or is_empty(groups[name]):
            span = expected.spans.get(name, expected.success_span)
            help = f"expect something under `{name}`, or take it out of `success`"
            unit.sink.add(codes.VACUOUS, f"success counts `{name}`, and the case expects nothing there", place(name, span), help)


def _many(name: str, group: Data) -> str:
    count = _size(group)
    one, several = _WORDS[name]
    return f"this case lists {count} {one if count == 1 else several}"


_WORDS = {
    "calls": ("call", "calls"), "answer": ("part of the answer", "parts of the answer"), "state": ("state", "states"),
    "assertions": ("assertion", "assertions"),
}  # fmt: skip


def _them(group: Data) -> str:
    return "it" if _size(group) == 1 else "them"


def _size(group: Data) -> int:
    return len(group["texts"] if group["op"] == "assertions" else group["of"])
