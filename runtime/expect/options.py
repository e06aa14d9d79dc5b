"""Atoms over what the agent names among options: the one that it chooses, none of them, a set of them, one that fits the wishes of a turn."""

from __future__ import annotations

from typing import Any

from shopdsl.dsl.catalog import Product
from shopdsl.dsl.library import answers as said
from shopdsl.dsl.values import Money
from shopdsl.runtime.expect.answers import found
from shopdsl.runtime.expect.constraints import recommended, wishes
from shopdsl.runtime.expect.found import Data, Found
from shopdsl.runtime.expect.naming import naming
from shopdsl.runtime.expect.scene import MOST, Scene

TOO_LONG = "a message is longer than what is looked at, and may name anything there"


def _options(scene: Scene, trees: list[Any]) -> list[list[str]]:
    """The ways to call each option; a list of products gives an option for each."""
    return [names for tree in trees for names in scene.called(tree)]


def _asserted(scene: Scene, text: str, options: list[list[str]]) -> list[list[str]]:
    """The options that a text asserts: a longer name of the store that holds a shorter one is not the shorter one."""
    known = [name for option in [*options, *map(naming, scene.trial.store.products)] for name in option]
    names = set(said.asserted(text, known, scene.locale))
    return [option for option in options if names.intersection(option)]


def choice(scene: Scene, node: Data) -> Found:
    """One of the right options is chosen, and no other: what counts is the last message that names one."""
    right, options = _options(scene, [node["right"]]), _options(scene, node["of"])
    every = [*right, *(o for o in options if o not in right)]
    what = " or ".join(names[0] for names in right)
    if scene.too_long(node.get("turn")):
        return found(node, what, False, TOO_LONG)
    naming_ones = [(m, named) for m in scene.texts(node.get("turn")) if (named := _asserted(scene, m, every))]
    if not right or not naming_ones:
        last = (scene.texts(node.get("turn")) or [""])[-1]
        others = [name for option in options for name in option]
        reason = said.choice(last, right[0][0], others, scene.locale).reason if right else "there is no right option"
        return found(node, what, False, reason)
    named = naming_ones[-1][1]
    wrong = [option[0] for option in named if option not in right]
    if wrong:
        beside = f' beside "{what}"' if len(wrong) < len(named) else f', and "{what}" is right'
        return found(node, what, False, f'it names "{wrong[0]}"{beside}')
    return found(node, what, True, "")


def none(scene: Scene, node: Data) -> Found:
    """None of the options is recommended, and something is said."""
    texts = scene.texts(node.get("turn"))
    amounts = [v for tree in node["of"] if isinstance(v := scene.value(tree), Money)]
    options = _options(scene, [tree for tree in node["of"] if not isinstance(scene.value(tree), Money)])
    named = [option[0] for text in texts for option in _asserted(scene, text, options)]
    named += [str(a) for a in amounts if any(said.quoted(t[:MOST], a, scene.locale) for t in texts)]
    reason = f'"{named[0]}" stands there, and should not' if named else TOO_LONG if scene.too_long(node.get("turn")) else ""
    if not reason and not any(t.strip() for t in texts):
        reason = "it says nothing"
    return found(node, "none of the options", not reason, reason)


def overlap(scene: Scene, node: Data) -> Found:
    """The options that are named, against those that are wanted: F1."""
    wanted = _options(scene, node["of"])
    others = [option for option in _options(scene, node["among"]) if option not in wanted]
    named = [option for text in scene.texts(node.get("turn")) for option in _asserted(scene, text, [*wanted, *others])]
    hits, extra = (sum(option in named for option in options) for options in (wanted, others))
    score = 2 * hits / (len(wanted) + hits + extra) if wanted else 0.0
    if scene.too_long(node.get("turn")):
        return found(node, f"{len(wanted)} options", False, TOO_LONG, 0.0)
    reason = f"{hits} of {len(wanted)} are named, and {extra} that are not wanted"
    return found(node, f"{len(wanted)} options", score >= float(node["least"]) - 1e-9, reason, min(1.0, score))


def _shown(scene: Scene, turn: int) -> list[Product | None]:
    """What the last turn that recommended something recommended: "the one shown" may be any of several."""
    earlier = [(m.turn, recommended(m.text, scene.trial.store.products, scene.locale)) for m in scene.messages if m.turn < turn]
    last = max((t for t, found in earlier if found), default=None)
    return [p for t, found in earlier if t == last for p in found] or [None]


def fits(scene: Scene, node: Data) -> Found:
    """What is recommended in a turn meets the constraints of that turn; where nothing can, nothing is."""
    assert scene.trial.case is not None
    products = scene.trial.store.products
    turns = len(scene.ledger.turns)
    turn = turns if node.get("turn") in (None, "last") else node["turn"]
    shown = _shown(scene, turn)
    active = wishes(scene.trial.case["expects"].get("constraints", []), turn)
    fitting = [p for s in shown for p in active.allowed(products, scene.names, s)]
    allowed = [p for p in products if p in fitting]
    named = [p for text in scene.texts(turn) for p in recommended(text, products, scene.locale)]
    wrong = [p for p in named if p not in allowed]
    what = f"fits the constraints of turn {turn}"
    if wrong:
        why = ", ".join(active.broken(wrong[0], scene.names, shown[-1])) or "nothing fits, so that nothing may be recommended"
        return found(node, what, False, f"in turn {turn} it recommends {wrong[0]}: {why}")
    if allowed and not named:
        return found(node, what, False, f"in turn {turn} it recommends nothing, and {allowed[0]} fits")
    if not any(t.strip() for t in scene.texts(turn)) or scene.too_long(turn):
        return found(node, what, False, TOO_LONG if scene.too_long(turn) else f"in turn {turn} it says nothing")
    return found(node, what, True, "")
