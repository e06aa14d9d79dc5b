"""Atoms over what the agent says: amounts, quantities, phrases, questions, grounds, what comes too early, artefacts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from shopdsl.dsl.library import answers as said
from shopdsl.dsl.library.answers import Verdict
from shopdsl.dsl.values import Money
from shopdsl.runtime.expect.calls import wrong_arguments
from shopdsl.runtime.expect.found import Check, Data, Found
from shopdsl.runtime.expect.likeness import alike
from shopdsl.runtime.expect.listed import arguments
from shopdsl.runtime.expect.scene import MOST, Scene
from shopdsl.runtime.ledger import Call

MANY = 40
"""A message that quotes more different amounts or numbers than this states none of them."""


def found(node: Data, what: str, ok: bool, reason: str, score: float | None = None, at: int | None = None) -> Found:
    """An atom of the answer as it was found."""
    credit = float(ok) if score is None else score
    shown = "" if ok else node.get("why") or reason
    weight, bonus = float(node.get("weight", 1)), bool(node.get("bonus"))
    return Found(ok, credit, [Check("answer", node["op"], what, ok, credit, weight, bonus, shown, at)])


def value(scene: Scene, node: Data) -> Found:
    """An amount, a quantity, a phrase or a place; one message that says it is enough."""
    texts = scene.texts(node.get("turn")) or [""]
    verdicts = [_verdict(scene, node, text) for text in texts]
    what = verdicts[0][1]
    ok = any(v.ok for v, _ in verdicts)
    told = [v.reason for v, _ in verdicts if v.reason]
    return found(node, what, ok, "" if ok else max(told, key=len, default=""))


def _verdict(scene: Scene, node: Data, text: str) -> tuple[Verdict, str]:
    match node["op"]:
        case "money":
            return _money(scene, node, text)
        case "quantity":
            return _quantity(scene, node, text)
        case "place":
            return said.place(text, node["text"], scene.locale), node["text"]
    return said.says(text, node["text"], scene.locale), node["text"]


def _money(scene: Scene, node: Data, text: str) -> tuple[Verdict, str]:
    amount = scene.value(node["value"])
    if amount is None:
        return Verdict(False, "the amount that is expected cannot be computed"), "money"
    quoted = {n.value for n in said.numbers(text, scene.locale) if n.currency or not n.unit}
    if len(quoted) > MANY:
        return Verdict(False, f"it quotes {len(quoted)} different amounts, and so none"), str(amount)
    return said.money(text, amount, scene.locale), str(amount)


def _quantity(scene: Scene, node: Data, text: str) -> tuple[Verdict, str]:
    shown = f"{node['value']} {node['unit']}".strip()
    counted = {n.value for n in said.numbers(text, scene.locale) if not n.currency}
    if len(counted) > MANY:
        return Verdict(False, f"it says {len(counted)} different numbers, and so none"), shown
    return said.quantity(text, Decimal(node["value"]), node["unit"], scene.locale), shown


def asks(scene: Scene, node: Data) -> Found:
    """The agent asks a question that holds one of the phrases; without phrases, any question."""
    questions = [q for text in scene.texts(node.get("turn")) for q in said.requests(text)]
    hit = any(not node["of"] or any(any(said.hits(q, phrase, scene.locale)) for phrase in node["of"]) for q in questions)
    about = f" about {' or '.join(node['of'])}" if node["of"] else ""
    count = f"{len(questions)} question{'s' if len(questions) != 1 else ''}"
    reason = f"it asks {count}, and none{about}" if questions else "it asks nothing"
    return found(node, f"a question{about}", hit, reason)


def grounded(scene: Scene, node: Data) -> Found:
    """A claim is made, and a result that came before it shows what it claims."""
    claim = node["claim"]
    told = value(scene, claim)
    what = told.checks[0].what
    if not told.ok:
        return found(node, what, False, told.checks[0].reason)
    spoken = [m.at for m in scene.within(claim.get("turn")) if _verdict(scene, claim, m.text)[0].ok]
    shown = [c.at for c in scene.worked(node["in"]) if _shows(scene, claim, c)]
    ok = bool(shown) and min(shown) < min(spoken)
    source = f"result of {' or '.join(node['in'])}" if node["in"] else "result of a tool"
    return found(node, what, ok, f"{what} is said, and no {source} before it shows that", None if ok else 0.5)


def _shows(scene: Scene, claim: Data, call: Call) -> bool:
    texts = [v for v in _leaves(call.result) if isinstance(v, str)]
    if claim["op"] == "says":
        return any(said.says(t[:MOST], claim["text"], scene.locale).ok for t in texts)
    if claim["op"] == "quantity" and any(_verdict(scene, claim, t[:MOST])[0].ok for t in texts):
        return True
    wanted = scene.value(claim["value"]) if claim["op"] == "money" else Decimal(claim["value"])
    target = wanted.amount if isinstance(wanted, Money) else wanted
    numbers = [Decimal(repr(v)) for v in _leaves(call.result) if isinstance(v, int | float) and not isinstance(v, bool)]
    return any(abs(n - target) < Decimal("0.005") for n in numbers) or (claim["op"] == "money" and _quoted(texts, target))


def _quoted(texts: list[str], target: Decimal) -> bool:
    return any(n.value == target for t in texts for n in said.numbers(t[:MOST], "en"))


def _leaves(value: Any) -> Iterator[Any]:
    """The values of a result, without its keys."""
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _leaves(member)
    else:
        yield value


def never_before(scene: Scene, node: Data) -> Found:
    """A claim is not made before something was observed."""
    wanted = arguments(node["observed"], scene.names)
    tool = node["observed"]["tool"]
    seen = [c.at for c in scene.worked([tool]) if not wrong_arguments(scene, c, wanted, node["observed"])]
    before = [m for m in scene.messages if not seen or m.at < seen[0]]
    early = [m for m in before if said.first(m.text, node["claim"], scene.locale)]
    what = f"before `{tool}`"
    if early:
        return found(node, what, False, f"in turn {early[0].turn} it says so {what}: {early[0].text[:80]!r}", at=early[0].at)
    long = [m for m in before if scene.is_long(m.text)]
    return found(node, what, not long, f"a message {what} is longer than what is looked at")


def artefact(scene: Scene, node: Data) -> Found:
    """The answer holds a JSON object with these values; of several with one of the keys the last counts."""
    wanted = {path: scene.value(tree) for path, tree in node["has"].items()}
    candidates = [c for text in scene.texts(node.get("turn")) for c in objects(text)]
    own = [c for c in candidates if any(at_path(c, path) is not None for path in wanted)]
    lacks = [path for path, v in wanted.items() if not own or not alike(at_path(own[-1], path), _plain(v))]
    reason = f"no JSON object has {lacks[0]} = {_plain(wanted[lacks[0]])!r}" if lacks else ""
    return found(node, "an artefact", not lacks, reason, (len(wanted) - len(lacks)) / len(wanted))


def _plain(value: Any) -> Any:
    return float(value.amount) if isinstance(value, Money) else value


def objects(text: str) -> Iterator[Any]:
    """The JSON objects that stand in a text."""
    decoder, place = json.JSONDecoder(), text.find("{")
    tries = 0
    while place >= 0 and tries < 50:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, place)
            yield value
        except (ValueError, RecursionError):
            end = place + 1
        place = text.find("{", end)


def at_path(value: Any, path: str) -> Any:
    """The value at `a.b.0`."""
    for step in path.split("."):
        if isinstance(value, list) and step.isdecimal() and step.isascii() and len(step) < 7 and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value
