"""Atoms over the state at the end: records, the cart, the order."""

from __future__ import annotations

from typing import Any

from shopdsl.dsl.entities import foreign
from shopdsl.dsl.values import Bag
from shopdsl.runtime.expect.found import Check, Data, Found
from shopdsl.runtime.expect.likeness import alike
from shopdsl.runtime.expect.scene import Records, Scene

MOST = 3
"""So many differences are told."""


def _found(node: Data, what: str, ok: bool, score: float, reason: str) -> Found:
    shown = "" if ok else node.get("why") or reason
    return Found(
        ok, score, [Check("state", node["op"], what, ok, score, float(node.get("weight", 1)), bool(node.get("bonus")), shown)]
    )


def records(scene: Scene, node: Data) -> Found:
    """The declared fields have their values, and nothing else has changed."""
    now, before = scene.end.records, scene.opening.changed
    wanted = {(r, k): fields for r, k, fields in node["wanted"]}
    wrong = [why for key, fields in wanted.items() for why in _wrong(scene, now, key, fields)]
    extra = [why for key in scene.differing(now, before) for why in _extra(scene, now, before, key, wanted.get(key))]
    count = sum(len(f) for f in wanted.values())
    score = (count - len(wrong)) / (count + len(extra)) if count else 1 / (1 + len(extra))
    what = ", ".join(f"{r} {k}" for r, k in wanted) or "unchanged"
    return _found(node, what, not wrong and not extra, max(0.0, score), "; ".join([*wrong, *extra][:MOST]))


def _wrong(scene: Scene, now: Records, key: tuple[str, str], fields: dict[str, Any]) -> list[str]:
    data = scene.data(now, key)
    if data is None:
        return [f"there is no {key[0]} {key[1]}"] * max(1, len(fields))
    shown = {
        n: (_shown(scene, key[0], n, data.get(n)), _shown(scene, key[0], n, v))
        for n, v in fields.items()
        if not alike(data.get(n), v)
    }
    return [f"`{n}` of {key[0]} {key[1]} is {was}, and {want} is expected" for n, (was, want) in shown.items()]


def _extra(scene: Scene, now: Records, before: Records, key: tuple[str, str], fields: dict[str, Any] | None) -> list[str]:
    old, new = scene.data(before, key) or {}, scene.data(now, key) or {}
    if not old and fields is not None:
        return []  # what is expected to be new is looked at by its fields
    names = [n for n in {**old, **new} if not alike(old.get(n), new.get(n)) and n not in (fields or {})]
    if fields is None:
        return [f"{key[0]} {key[1]} has changed, and should not"]
    return [f"`{n}` of {key[0]} {key[1]} has changed, and should not" for n in names]


def _shown(scene: Scene, record: str, field: str, value: Any) -> str:
    shape = scene.opening.tables.shapes[record]
    found = foreign(value, shape.fields[field].kind, scene.opening.tables.shapes)
    return "none" if found is None else repr(found)[:80]


def same_as_calls(scene: Scene, node: Data) -> Found:
    """All records are as the listed calls leave them."""
    now, wanted = scene.end.records, scene.after_listed
    bad = scene.differing(now, wanted)
    owed = scene.differing(wanted, scene.opening.changed)
    reasons = [_difference(scene, now, wanted, key) for key in bad]
    right = len([k for k in owed if k not in bad])
    extra = len([k for k in bad if k not in owed])
    score = right / (len(owed) + extra) if owed or extra else 1.0
    return _found(node, "as the listed calls leave it", not bad, score, "; ".join(reasons[:MOST]))


def _difference(scene: Scene, now: Records, wanted: Records, key: tuple[str, str]) -> str:
    is_now, should = scene.data(now, key), scene.data(wanted, key)
    if is_now is None or should is None:
        return f"{key[0]} {key[1]} is {'not there' if is_now is None else 'there, and should not be'}"
    name = next((n for n in {**should, **is_now} if not alike(is_now.get(n), should.get(n))), None)
    if name is None or should == scene.data(scene.opening.changed, key):
        return f"{key[0]} {key[1]} has changed, and should not"
    was, want = (_shown(scene, key[0], name, data.get(name)) for data in (is_now, should))
    return f"`{name}` of {key[0]} {key[1]} is {was}, and {want} is expected"


def cart(scene: Scene, node: Data) -> Found:
    """The cart, or the order made of it, holds just this."""
    held = scene.end.cart
    options = [(scene.value(tree), count) for tree, count in node["of"]]
    wanted = _wanted(held, options)
    both, total = (held & wanted).size(), held.size() + wanted.size()
    score = 2 * both / total if total else 1.0
    reason = f"the cart holds {_named(held)}, and {_named(wanted)} is expected"
    return _found(node, "the cart", held == wanted, score, reason)


def _wanted(held: Bag, options: list[tuple[Any, int]]) -> Bag:
    """What is expected, of accepted products those that are there; each unit stands for one expectation."""
    result = Bag()
    choices = [(v if isinstance(v, list) else [v], count) for v, count in options]
    for accepted, count in sorted(choices, key=lambda c: len(c[0])):
        there = next((p for p in accepted if held[p] - result[p] >= count), None) or next(iter(accepted), None)
        if there is not None:
            result = result + Bag({there: count})
    return result


def _named(bag: Bag) -> str:
    return ", ".join(f"{bag[p]} of {p}" for p in bag) or "nothing"


def same_cart(scene: Scene, node: Data) -> Found:
    """The cart is as it was at the beginning, and nothing was ordered."""
    held, before = scene.end.cart, scene.trial.opening().cart
    ok = held == before and scene.end.order is None
    reason = (
        "an order was placed"
        if scene.end.order is not None
        else f"the cart holds {_named(held)}, and {_named(before)} at the beginning"
    )
    return _found(node, "the cart as it was", ok, float(ok), reason)


def order(scene: Scene, node: Data) -> Found:
    """An order was placed, or none."""
    fresh = [k for k in scene.end.records if k[0] == "order" and scene.data(scene.opening.changed, k) is None]
    placed = scene.end.order is not None or bool(fresh)
    reason = "no order was placed" if node["placed"] else "an order was placed, and should not be"
    return _found(node, "an order", placed == node["placed"], float(placed == node["placed"]), reason)
