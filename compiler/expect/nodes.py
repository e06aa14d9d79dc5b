"""Trees of expectations: `all`, `any`, `at_least` over atoms, with weights and bonuses."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Mapping_
from dataclasses import dataclass, field
from typing import Any

from shopdsl.compiler.expressions import expression
from shopdsl.compiler.unit import Unit, decimal_text, items, text, value
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Mapping, Node, Scalar, Sequence
from shopdsl.dsl.vocabulary import Scope

Data = dict[str, Any]
ABOUT = ("weight", "bonus", "why")
"""What may stand beside an atom."""
FOLDS = ("all", "any", "at_least")


@dataclass(frozen=True)
class Listed:
    """A call that an expectation spells out: its tool and literal arguments, with the places of values and of names.

    One that is not `wanted` must not be made, or only be looked for; one that is `refused` is to meet an error.
    """

    tool: str
    args: dict[str, Any]
    tool_span: Span
    arg_spans: dict[str, Span]
    id: str
    named: dict[str, Span]
    wanted: bool = True
    refused: bool = False


@dataclass(frozen=True)
class Recorded:
    """Fields that a record is to have: plan data `[record, key, fields]`, the place of the record's kind, and the fields as they are written."""

    entry: list[Any]
    span: Span
    fields: Node


@dataclass
class Ground:
    """What parsing an expectation needs, and what it finds on the way."""

    unit: Unit
    names: Scope
    package: str
    turns: int = 1000
    listed: list[Listed] = field(default_factory=list)
    mentioned: list[tuple[str, Span]] = field(default_factory=list)
    """Tools that expectations name without listing a call."""
    recorded: list[Recorded] = field(default_factory=list)
    failed: bool = False

    def bad(self, message: str, span: Span, help: str = "") -> Data:
        """Report an expectation that cannot be read."""
        self.unit.sink.add(codes.EXPECTATION, message, span, help)
        self.failed = True
        return {"op": "all", "of": []}


Atom = Callable[[Ground, str, Node, Mapping], Data]
"""Makes an atom of its key, the key's value and the whole mapping."""


@dataclass(frozen=True)
class Kind:
    """A group of expectations: its atoms by key, what else may stand beside which of them, and what a bare text means."""

    name: str
    atoms: Mapping_[str, Atom]
    beside: Mapping_[str, tuple[str, ...]]
    bare: Callable[[Ground, Scalar], Data] | None = None

    def fits(self, key: str, atom: str) -> bool:
        """May a key stand beside an atom?"""
        return key in ABOUT or atom in self.beside.get(key, ())


def group(ground: Ground, kind: Kind, node: Node) -> Data:
    """A whole group: a list, or a mapping whose keys all count."""
    if isinstance(node, Mapping) and not any(k.text in ("tool",) for k, _ in node):
        mains = [(k, v) for k, v in node if k.text not in (*ABOUT, *kind.beside)]
        if len(mains) > 1:
            rest = [(k, v) for k, v in node if k.text in (*ABOUT, *kind.beside)]
            own = [[(k, v), *((r, w) for r, w in rest if kind.fits(r.text, k.text))] for k, v in mains]
            return {
                "op": "all",
                "of": [_node(ground, kind, Mapping(entries, v.span)) for entries, (_, v) in zip(own, mains, strict=True)],
            }
    made = _node(ground, kind, node)
    return made if made["op"] == "all" else {"op": "all", "of": [made]}


def _node(ground: Ground, kind: Kind, node: Node) -> Data:
    if isinstance(node, Sequence):
        return {"op": "all", "of": [_node(ground, kind, n) for n in node.items]}
    if isinstance(node, Scalar):
        if kind.bare is None:
            return ground.bad("this says nothing to look for", node.span, f"write one of: {', '.join(kind.atoms)}")
        return kind.bare(ground, node)
    return _mapping(ground, kind, node)


def _mapping(ground: Ground, kind: Kind, node: Mapping) -> Data:
    known = (*FOLDS, *kind.atoms)
    mains = [(k, v) for k, v in node if k.text in known]
    for key, _ in node:
        if key.text not in (*known, *ABOUT, *kind.beside):
            help = nearest(key.text, [*known, *ABOUT, *kind.beside]) or f"there are: {', '.join(known)}"
            ground.bad(f"`{key.text}` is nothing that {kind.name} can be expected to have", key.span, help)
    if not mains:
        unknown = any(k.text not in (*ABOUT, *kind.beside) for k, _ in node)
        return (
            {"op": "all", "of": []}
            if unknown
            else ground.bad("this expects nothing", node.span, f"write one of: {', '.join(known)}")
        )
    for key, _ in mains[1:]:
        ground.bad(
            f"this expects `{mains[0][0].text}` already, and so not `{key.text}`", key.span, "write a list, an entry for each"
        )
    key, inner = mains[0]
    for other, _ in node:
        if other.text in kind.beside and not kind.fits(other.text, key.text):
            owners = ", ".join(f"`{a}`" for a in kind.beside[other.text])
            ground.bad(f"`{other.text}` means nothing beside `{key.text}`", other.span, f"remove it; it belongs to {owners}")
    made = _fold(ground, kind, key.text, inner) if key.text in FOLDS else kind.atoms[key.text](ground, key.text, inner, node)
    if key.text in FOLDS and (turn := turn_of(ground, node)) is not None and "turn" in kind.beside:
        _set_turn(made, turn)
    return made | _about(ground, node)


def turn_of(ground: Ground, whole: Mapping) -> int | str | None:
    """The turn in which something is expected: a number, `last`, or None."""
    node = whole.get("turn")
    found: Any = value(node)
    if (
        node is None
        or found == "last"
        or (isinstance(found, int) and not isinstance(found, bool) and 1 <= found <= max(1, ground.turns))
    ):
        return found  # type: ignore[no-any-return]
    help = f"the customer writes {ground.turns} message{'s' if ground.turns != 1 else ''}; count from 1"
    ground.bad("`turn` is the number of a message, or `last`", node.span, help)
    return None


def _set_turn(node: Data, turn: Any) -> None:
    """A turn that stands beside a fold is that of its members."""
    if node["op"] in FOLDS:
        for part in node["of"]:
            _set_turn(part, turn)
    elif "turn" not in node:
        node["turn"] = turn


def _fold(ground: Ground, kind: Kind, op: str, node: Node) -> Data:
    if op != "at_least":
        parts = [_node(ground, kind, n) for n in items(node)]
        if not parts:
            ground.bad(f"`{op}` of nothing", node.span, "name what is expected")
        return {"op": op, "of": parts}
    count, of = (node.get("n"), node.get("of")) if isinstance(node, Mapping) else (None, None)
    parts, n = [_node(ground, kind, x) for x in items(of)], value(count)
    if not isinstance(n, int) or not 1 <= n <= len(parts):
        ground.bad("`at_least` needs `n`, from 1 to the number of members of `of`", node.span, "for example {n: 2, of: [...]}")
        n = 1
    return {"op": "at_least", "n": n, "of": parts}


def _about(ground: Ground, node: Mapping) -> Data:
    made: Data = {}
    weight, bonus = node.get("weight"), node.get("bonus")
    if weight is not None:
        made["weight"] = decimal_text(weight, "-1")
        if not 0 < float(made["weight"]) < 1e9:
            ground.bad("a weight is a number above 0", weight.span, "leave it out for 1")
            made["weight"] = "1"
    if bonus is not None and not isinstance(value(bonus), bool):
        ground.bad("`bonus` is true or false", bonus.span, "leave it out where the expectation counts")
    if value(bonus, False) is True:
        made["bonus"] = True
    if node.get("why") is not None:
        made["why"] = text(node.get("why"))
    return made


def that(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    """A condition over all that metrics know."""
    from shopdsl.compiler.expressions import condition

    made = condition(node, ground.names, ground.unit.sink)
    return {"op": "that", "that": made.tree, "text": text(node)}


def tree_of(ground: Ground, node: Node, names: Scope | None = None) -> Any:
    """The tree of an expression."""
    return expression(node, names or ground.names, ground.unit.sink).tree
