"""What calls a case expects: a set or an order of them, with arguments, none but these, never those, at most so many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from shopdsl.compiler.constants import literal_tree
from shopdsl.compiler.expect.nodes import ABOUT, Data, Ground, Kind, Listed, group, that, tree_of
from shopdsl.compiler.unit import entries, items, text, value
from shopdsl.dsl.diagnostics import nearest
from shopdsl.dsl.tree import Mapping, Node, Scalar

T = TypeVar("T")
BESIDE = ("args", "with", "id", "error", "ignore", "any_order")


def _call(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    return read_call(ground, whole)


def read_call(ground: Ground, node: Node) -> Data:
    """A call: a tool's name, or `{tool, args, with, id, error, ignore, any_order}`."""
    if isinstance(node, Scalar):
        return _listed(ground, node, Mapping([], node.span))
    tool = node.get("tool") if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or not isinstance(tool, Scalar):
        return ground.bad("this is not a call", node.span, "write the name of a tool, or {tool: NAME, args: {…}}")
    return _listed(ground, tool, node)


def _listed(ground: Ground, tool: Scalar, node: Mapping) -> Data:
    for other, _ in node:
        if other.text not in ("tool", *BESIDE, *ABOUT):
            help = nearest(other.text, ["tool", *BESIDE]) or f"there are: tool, {', '.join(BESIDE)}"
            ground.bad(f"a call has no `{other.text}`", other.span, help)
    literal, given = node.get("args"), node.get("with")
    args: dict[str, Any] = {k.text: literal_tree(value(v)) for k, v in entries(literal)}
    args |= {k.text: tree_of(ground, v) for k, v in entries(given)}
    for part in (literal, given):
        if part is not None and not isinstance(part, Mapping):
            ground.bad("arguments are given by name", part.span, "for example args: {product_id: K1}")
    for twice, _ in entries(given):
        if literal is not None and isinstance(literal, Mapping) and literal.get(twice.text) is not None:
            ground.bad(f"`{twice.text}` stands in `args` and in `with`", twice.span, "keep one of the two")
    spans = {k.text: v.span for part in (literal, given) for k, v in entries(part)}
    named = {k.text: k.span for part in (literal, given) for k, v in entries(part)}
    named |= {text(n): n.span for key in ("ignore", "any_order") for n in items(node.get(key))}
    plain = {k.text: value(v) for k, v in entries(literal)}
    id, refused = text(node.get("id")), _refused(ground, node.get("error"))
    ground.listed.append(Listed(tool.text, plain, tool.span, spans, id, named, refused=refused))
    made: Data = {"op": "call", "tool": tool.text, "args": args}
    if id:
        made["id"] = id
        if any(other.id == id for other in ground.listed[:-1]):
            place = node.get("id")
            assert place is not None
            ground.bad(f"there are two calls `{id}`", place.span, "give each its own `id`")
    for key in ("ignore", "any_order"):
        if node.get(key) is not None:
            made[key] = [text(n) for n in items(node.get(key))]
    if node.get("error") is not None:
        made["error"] = refused
    return made


def _refused(ground: Ground, node: Node | None) -> bool:
    found = value(node, False)
    if not isinstance(found, bool):
        assert node is not None
        ground.bad("`error` is true or false", node.span, "leave it out where the call must work")
    return found is True


def _in_order(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    calls = [read_call(ground, n) for n in items(node)]
    plain_members(ground, "in_order", node, ABOUT)
    return {"op": "in_order", "of": calls} if calls else ground.bad("`in_order` of nothing", node.span, "list calls")


def _never(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    if not items(node):
        return ground.bad("`never` of nothing", node.span, "list calls that must not be made")
    plain_members(ground, "never", node, (*ABOUT, "error"))
    return {"op": "never", "of": unwanted(ground, lambda: [read_call(ground, n) for n in items(node)])}


def plain_members(ground: Ground, of: str, node: Node, keys: tuple[str, ...]) -> None:
    """Report keys that mean nothing at a single member."""
    for member in items(node):
        for key, _ in member if isinstance(member, Mapping) else ():
            if key.text in keys:
                help = f"write it beside `{of}`, or leave it out"
                ground.bad(f"`{key.text}` means nothing at one call of `{of}`", key.span, help)


def unwanted(ground: Ground, read: Callable[[], T]) -> T:
    """What reading calls gives, that are not to be made."""
    before = len(ground.listed)
    made = read()
    ground.listed[before:] = [replace(call, wanted=False) for call in ground.listed[before:]]
    return made


def _only(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    ground.mentioned += [(text(n), n.span) for n in items(node)]
    return {"op": "only", "tools": [text(n) for n in items(node)]}


def _at_most(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    most = value(node)
    if not isinstance(most, int) or isinstance(most, bool) or most < 0:
        return ground.bad("this is not a number of calls", node.span, "write a whole number")
    return {"op": "at_most", "n": most}


CALLS = Kind(
    "calls",
    {"tool": _call, "in_order": _in_order, "never": _never, "only": _only, "at_most": _at_most, "that": that},
    dict.fromkeys(BESIDE, ("tool",)),
    read_call,
)


def compile_calls(ground: Ground, node: Node) -> Data:
    """The group `calls`."""
    return group(ground, CALLS, node)
