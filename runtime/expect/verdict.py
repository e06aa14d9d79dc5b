"""What a trial makes of its case: every group of expectations, and whether it is a success."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.values import Failed
from shopdsl.runtime.expect import answers, calls, options, states
from shopdsl.runtime.expect.found import Check, Data, Found, all_of, any_of, at_least
from shopdsl.runtime.expect.scene import Scene
from shopdsl.runtime.expect.unasked import changes_unasked, is_closed


@dataclass(frozen=True)
class Group:
    """A group of expectations in one trial; `counted`: success depends on it."""

    name: str
    ok: bool
    score: float
    counted: bool
    reasons: list[str]


@dataclass(frozen=True)
class Verdict:
    """What a case found: its groups and atoms, the rules that were broken, and success, without what a judge must say.

    A group `unasked` is there where all else holds, but something has changed that no listed call does, and the case says nothing of the
    state. `holds`: it would be a success even of an agent that calls and says nothing, which earns none."""

    groups: list[Group]
    checks: list[Check]
    success: bool
    assertions: list[str]
    broken: list[str]
    holds: bool

    @property
    def reasons(self) -> list[str]:
        """Why it is no success."""
        rules = [f"it breaks the rule `{rule}`" for rule in self.broken]
        return list(dict.fromkeys([*rules, *(r for g in self.groups if g.counted for r in g.reasons)]))


_CALLS = {"call": calls.call, "in_order": calls.in_order, "never": calls.never, "only": calls.only, "at_most": calls.at_most}
_OTHERS: dict[str, Callable[[Scene, Data], Found]] = {
    "money": answers.value, "quantity": answers.value, "says": answers.value, "place": answers.value, "asks": answers.asks,
    "grounded": answers.grounded, "never_before": answers.never_before, "artefact": answers.artefact, "choice": options.choice,
    "none": options.none, "overlap": options.overlap, "fits": options.fits, "records": states.records,
    "same_as_calls": states.same_as_calls, "same_cart": states.same_cart, "cart": states.cart, "order": states.order,
}  # fmt: skip


UNFIT = (ArithmeticError, LookupError, TypeError, ValueError, RecursionError)
"""What comparing can end in where an agent sends what nobody thought of: it must not cost the trial its score."""
UNASKED = "unasked"
IDLE = "nothing was called, and nothing was said"
LOOKED_AT = ("calls", "answer", "state")
"""The groups that are decided here, in the order in which reasons are told."""


def verdict(scene: Scene, broken: list[str]) -> Verdict | None:
    """What the case of a trial finds, or None where it expects nothing of this kind; `broken` are rules of `forbid` that fired."""
    case = scene.trial.case
    expects = case["expects"] if case else None
    if expects is None or not expects["groups"]:
        return None
    found = {n: look(scene, node, n, set()) for n in LOOKED_AT if (node := expects["groups"].get(n)) is not None}
    counted = _names(expects["success"])
    earns = expects["idle"] or scene.acted
    holds = _holds(expects["success"], found) and not broken
    if holds and is_closed(scene.trial) and (changed := changes_unasked(scene)):
        found[UNASKED], holds = _unasked(changed), False
        counted.add(UNASKED)
    groups = [_group(n, f, n in counted) if earns else Group(n, False, 0.0, n in counted, [IDLE]) for n, f in found.items()]
    checks = [c for f in found.values() for c in f.checks]
    asserted = expects["groups"].get("assertions", {}).get("texts", []) if "assertions" in counted else []
    return Verdict(groups, checks, holds and earns, asserted, broken, holds)


def _holds(rule: Any, found: dict[str, Found]) -> bool:
    """Does the rule of success hold? What a judge must say is taken as held."""
    names = {name: found[name].ok if name in found else True for name in ("calls", "answer", "state", "assertions")}
    return bool(guarded(compile_tree(rule))(Env(dict(names))))


def _unasked(changes: list[str]) -> Found:
    return Found(False, 0.0, [Check(UNASKED, "change", "nothing else", False, 0.0, reason=change) for change in changes])


def _group(name: str, found: Found, counted: bool) -> Group:
    return Group(name, found.ok, found.score, counted, found.reasons)


def look(scene: Scene, node: Data, group: str, used: set[int]) -> Found:
    """A tree of expectations in a trial."""
    op = node["op"]
    if op == "all":
        return _all(scene, node, group, used)
    if op in ("any", "at_least"):
        return _some(scene, node, group, used)
    try:
        if op == "that":
            return _that(scene, node, group)
        return _CALLS[op](scene, node, used) if op in _CALLS else _OTHERS[op](scene, node)
    except Failed as error:
        return _found(node, group, False, f"cannot be computed: {error}")
    except UNFIT as error:
        return _found(node, group, False, f"cannot be compared ({type(error).__name__}: {error})"[:200])


def _all(scene: Scene, node: Data, group: str, used: set[int]) -> Found:
    """Every part; calls with more arguments take theirs first, so that one with fewer does not take it away."""
    parts: dict[int, Found] = {}
    for place in sorted(range(len(node["of"])), key=lambda i: -len(node["of"][i].get("args", ()))):
        parts[place] = look(scene, node["of"][place], group, used)
    return all_of([(parts[i], part) for i, part in enumerate(node["of"])])


def _some(scene: Scene, node: Data, group: str, used: set[int]) -> Found:
    """Alternatives: only those that hold take calls away from others."""
    parts = []
    for part in node["of"]:
        own = set(used)
        found = look(scene, part, group, own)
        parts.append((found, part))
        if found.ok and (node["op"] == "at_least" or not any(f.ok for f, _ in parts[:-1])):
            used |= own
    return any_of(parts) if node["op"] == "any" else at_least(parts, node["n"])


def _that(scene: Scene, node: Data, group: str) -> Found:
    ok = scene.holds(node["that"])
    return _found(node, group, ok, f"`{node['text']}` does not hold")


def _found(node: Data, group: str, ok: bool, reason: str) -> Found:
    shown = "" if ok else node.get("why") or reason
    what = str(node.get("text", node["op"]))
    return Found(
        ok,
        float(ok),
        [Check(group, node["op"], what, ok, float(ok), float(node.get("weight", 1)), bool(node.get("bonus")), shown)],
    )


def _names(tree: Any) -> set[str]:
    if isinstance(tree, list):
        if tree[:1] == ["name"] and len(tree) == 2:
            return {tree[1]}
        return set().union(*map(_names, tree)) if tree else set()
    return set()
