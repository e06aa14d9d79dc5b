"""What a case expects the agent to say: amounts, quantities, phrases, choices, claims with grounds, artefacts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from shopdsl.compiler.constants import literal_tree, money
from shopdsl.compiler.expect.calls import read_call, unwanted
from shopdsl.compiler.expect.nodes import FOLDS, Atom, Data, Ground, Kind, group, that, tree_of, turn_of
from shopdsl.compiler.expressions import expression
from shopdsl.compiler.unit import decimal_text, entries, items, text, value
from shopdsl.dsl import types as t
from shopdsl.dsl.diagnostics import nearest
from shopdsl.dsl.tree import Mapping, Node, Scalar, Sequence

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
PRODUCT = t.Record("product")
PRODUCTS = t.Many("list", PRODUCT)
_WORD = re.compile(r"[a-z][a-z0-9_]*")
_CLAIMS = ("money", "quantity", "says")
_QUANTITY = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(.*?)\s*")


def _turn(ground: Ground, whole: Mapping) -> Data:
    found = turn_of(ground, whole)
    return {} if found is None else {"turn": found}


def _money(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    amount = money(node)
    if amount is not None:
        tree: Any = ["money", str(amount.amount), amount.currency]
    else:
        tree = expression(node, ground.names, ground.unit.sink, t.MONEY).tree
    return {"op": "money", "value": tree} | _turn(ground, whole)


def _quantity(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    match = _QUANTITY.fullmatch(text(node))
    if match is None:
        return ground.bad("this is not a quantity", node.span, "write a number and its unit, such as `14 inch` or `3 天`")
    return {"op": "quantity", "value": match[1], "unit": match[2]} | _turn(ground, whole)


def _phrase(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    if isinstance(node, Sequence) and node.items:
        return {"op": "any", "of": [_phrase(ground, key, n, whole) for n in node.items]}
    if not isinstance(node, Scalar) or not node.text.strip():
        return ground.bad("this is not a phrase", node.span, "write the words; of a list one is enough")
    return {"op": key, "text": node.text} | _turn(ground, whole)


def _choice(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    of = whole.get("of")
    if not isinstance(node, Scalar):
        return ground.bad(
            "`choice` is one option, or the name of a query", node.span, "for example {choice: North, of: [North, South]}"
        )
    if of is None:
        return ground.bad("`choice` needs `of`", node.span, "list all options: {choice: A, of: [A, B, C]}")
    if not items(of):
        ground.bad("`choice` among nothing", of.span, "list all options: {choice: A, of: [A, B, C]}")
    return {"op": "choice", "right": named(ground, node), "of": [named(ground, n) for n in items(of)]} | _turn(ground, whole)


def _none(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    if not items(node):
        return ground.bad("`none` of nothing", node.span, "list what must not be said: {none: [A, B]}")
    return {"op": "none", "of": [_unsaid(ground, n) for n in items(node)]} | _turn(ground, whole)


def _unsaid(ground: Ground, node: Node) -> Any:
    """A product, a text or an amount that must not be named."""
    if not isinstance(node, Scalar):
        ground.bad(
            "`none` lists what must not be said", node.span, "write amounts and texts as they are: {none: [$39, gift card]}"
        )
        return ["lit", ""]
    amount = money(node)
    return ["money", str(amount.amount), amount.currency] if amount is not None else named(ground, node)


def _overlap(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    of, among, least = whole.get("overlap"), whole.get("among"), whole.get("least")
    wanted = [named(ground, n) for n in items(of)]
    others = [named(ground, n) for n in items(among)]
    return {"op": "overlap", "of": wanted, "among": others, "least": decimal_text(least, "1")} | _turn(ground, whole)


def named(ground: Ground, node: Node) -> Any:
    """A product by its name in the case, or a text: a tree that gives one or several of them."""
    if isinstance(node, Scalar) and node.style == "" and _NAME.fullmatch(node.text) and node.text not in ground.names.names:
        near = nearest(node.text, [n for n, e in ground.names.names.items() if e.type in (PRODUCT, PRODUCTS)])
        if near:
            ground.bad(f"there is no product `{node.text}`", node.span, f"{near} A text of its own is put in quotes.")
    if isinstance(node, Scalar) and (node.text in ground.names.names and node.style == ""):
        return ["name", node.text]
    return ["lit", text(node)]


def _grounded(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    if not isinstance(node, Mapping):
        return ground.bad("`grounded` needs what is claimed", node.span, "for example {grounded: {money: ¥549}, in: calc_price}")
    claims = group(ground, Kind("a claim", {k: ATOMS[k] for k in _CLAIMS}, {"turn": _CLAIMS}), node)
    ground.mentioned += [(text(n), n.span) for n in items(whole.get("in"))]
    made = _each(
        claims,
        lambda claim: {"op": "grounded", "claim": _turn(ground, whole) | claim, "in": [text(n) for n in items(whole.get("in"))]},
    )
    return made["of"][0] if made["op"] == "all" and len(made["of"]) == 1 else made


def _each(node: Data, make: Callable[[Data], Data]) -> Data:
    """A tree of expectations with every atom made into another one."""
    return node | {"of": [_each(part, make) for part in node["of"]]} if node["op"] in FOLDS else make(node)


def _never_before(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    claim, observed = (node.get("claim"), node.get("observed")) if isinstance(node, Mapping) else (None, None)
    if claim is None or observed is None:
        help = "for example {never_before: {claim: [we change the address], observed: get_order}}"
        return ground.bad("`never_before` needs `claim` and `observed`", node.span, help)
    if not any(text(n).strip() for n in items(claim)):
        return ground.bad("`claim` is nothing", claim.span, "list the phrases that must not be said before")
    call = unwanted(ground, lambda: read_call(ground, observed))
    return {"op": "never_before", "claim": [text(n) for n in items(claim)], "observed": call}


def _fits(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    if text(node) != "constraints":
        return ground.bad("what is recommended `fits` the `constraints`", node.span, "write `fits: constraints`")
    return {"op": "fits"} | _turn(ground, whole)


def _artefact(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    if not isinstance(node, Mapping):
        return ground.bad("`artefact` needs the values that it must hold", node.span, "for example {artefact: {total: 454}}")
    paths = [k.text for k, _ in entries(node)]
    clash = next((p for p in paths for q in paths if q.startswith(p + ".")), None)
    if not paths or clash is not None:
        message = f"`{clash}` cannot be a value and hold others" if clash else "this artefact holds nothing"
        return ground.bad(message, node.span, "for example {artefact: {total: 454, lines.0.sku: A1}}")
    return {"op": "artefact", "has": {k.text: _computed(ground, v) for k, v in entries(node)}} | _turn(ground, whole)


def _computed(ground: Ground, node: Node) -> Any:
    """A value as it is written, or, where it begins with a name of the case, what that comes to."""
    head = _WORD.match(node.text) if isinstance(node, Scalar) and node.style == "" else None
    return tree_of(ground, node) if head is not None and head[0] in ground.names.names else literal_tree(value(node))


def _asks(ground: Ground, key: str, node: Node, whole: Mapping) -> Data:
    return {"op": "asks", "of": [text(n) for n in items(node) if text(n).strip()]} | _turn(ground, whole)


ATOMS: dict[str, Atom] = {
    "money": _money, "quantity": _quantity, "says": _phrase, "place": _phrase, "choice": _choice, "none": _none,
    "overlap": _overlap, "grounded": _grounded, "never_before": _never_before, "artefact": _artefact, "asks": _asks, "fits": _fits, "that": that,
}  # fmt: skip


def _bare(ground: Ground, node: Scalar) -> Data:
    atom = "money" if money(node) is not None else "says"
    return ground.bad("this does not say how it is looked for", node.span, f"write `{{{atom}: {node.text}}}`")


_SAID = ("money", "quantity", "says", "place", "choice", "none", "overlap", "grounded", "artefact", "asks", "fits")
_BESIDE = {"turn": (*_SAID, *FOLDS), "of": ("choice",), "in": ("grounded",), "among": ("overlap",), "least": ("overlap",)}
ANSWER = Kind("an answer", ATOMS, _BESIDE, _bare)


def compile_answer(ground: Ground, node: Node) -> Data:
    """The group `answer`."""
    return group(ground, ANSWER, node)
