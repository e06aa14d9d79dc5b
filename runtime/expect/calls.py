"""Atoms over calls: made, in order, never, only these, at most so many."""

from __future__ import annotations

from typing import Any

from shopdsl.runtime.expect.found import Check, Data, Found
from shopdsl.runtime.expect.likeness import alike
from shopdsl.runtime.expect.listed import arguments
from shopdsl.runtime.expect.scene import Scene
from shopdsl.runtime.ledger import Call

WRONG = 0.5
"""What the right tool with a wrong argument is worth, and a right call that was refused."""


def call(scene: Scene, node: Data, used: set[int]) -> Found:
    """A call was made that no other expectation has taken."""
    wanted = arguments(node, scene.names)
    own = [c for c in scene.calls if c.tool == node["tool"] and c.at not in used]
    right = [c for c in own if not wrong_arguments(scene, c, wanted, node)]
    fit = [c for c in right if (c.error is not None) == bool(node.get("error"))]
    for hit in fit[:1]:
        used.add(hit.at)
        hit.listed = True
        return _one(node, True, 1.0, "", hit.at)
    near = (right or own)[:1]
    reason = (
        _why(scene, node, near[0], wanted)
        if near
        else f"`{node['tool']}` was never called" + (" again" if used and _called(scene, node) else "")
    )
    return _one(node, False, WRONG if near else 0.0, reason, near[0].at if near else None)


def _called(scene: Scene, node: Data) -> bool:
    return any(c.tool == node["tool"] for c in scene.calls)


def _why(scene: Scene, node: Data, near: Call, wanted: dict[str, Any]) -> str:
    if wrong := wrong_arguments(scene, near, wanted, node):
        name = wrong[0]
        given = f"{name}={near.given[name]!r}" if name in near.given else f"without {name}"
        return f"`{near.tool}` was called {'with ' if name in near.given else ''}{given}, and {wanted[name]!r} is expected"
    if node.get("error"):
        return f"`{near.tool}` was expected to be refused, and was not"
    return f"`{near.tool}` was refused: {near.error}"


def wrong_arguments(scene: Scene, made: Call, wanted: dict[str, Any], node: Data) -> list[str]:
    """The expected arguments that a call does not have."""
    compared = {k: v for k, v in wanted.items() if k not in node.get("ignore", ())}
    given = _defaults(scene, made.tool) | {k: v for k, v in made.given.items() if v is not None}
    return [k for k, v in compared.items() if not alike(given.get(k), v, k in node.get("any_order", ()))]


def _defaults(scene: Scene, tool: str) -> dict[str, Any]:
    """What the parameters of a tool are where an agent leaves them out."""
    known = scene.trial.store.tools.get(tool)
    return {p["name"]: p["default"] for p in known.data["params"] if p["default"] is not None} if known else {}


def _one(node: Data, ok: bool, score: float, reason: str, at: int | None = None) -> Found:
    what = node["tool"] if node["op"] == "call" else node["op"]
    return Found(ok, score, [_check(node, what, ok, score, reason, at)])


def _check(node: Data, what: str, ok: bool, score: float, reason: str, at: int | None) -> Check:
    shown = node.get("why") or reason
    return Check(
        "calls", node["op"], what, ok, score, float(node.get("weight", 1)), bool(node.get("bonus")), "" if ok else shown, at
    )


def in_order(scene: Scene, node: Data, used: set[int]) -> Found:
    """The calls were made one after the other; others may lie between."""
    place, found, reasons = -1, 0, []
    for wanted in node["of"]:
        after = [c for c in scene.calls if c.at > place and c.at not in used]
        args = arguments(wanted, scene.names)
        met = [c for c in after if c.tool == wanted["tool"] and (c.error is not None) == bool(wanted.get("error"))]
        hit = next((c for c in met if not wrong_arguments(scene, c, args, wanted)), None)
        if hit is not None:
            place, hit.listed = hit.at, True
            used.add(hit.at)
            found += 1
        else:
            reasons.append(_missing(scene, wanted, args, place))
    ok, score = not reasons, found / len(node["of"])
    what = " → ".join(w["tool"] for w in node["of"])
    return Found(ok, score, [_check(node, what, ok, score, "; ".join(reasons), None)])


def _missing(scene: Scene, wanted: Data, args: dict[str, Any], place: int) -> str:
    early = [c for c in scene.calls if c.tool == wanted["tool"] and c.at <= place and not wrong_arguments(scene, c, args, wanted)]
    if early:
        return f"`{wanted['tool']}` was called too early"
    own = [c for c in scene.calls if c.tool == wanted["tool"]]
    return _why(scene, wanted, own[-1], args) if own else f"`{wanted['tool']}` was never called"


def never(scene: Scene, node: Data, used: set[int]) -> Found:
    """None of the calls was tried."""
    bad = [
        c
        for c in scene.calls
        for w in node["of"]
        if c.tool == w["tool"] and not wrong_arguments(scene, c, arguments(w, scene.names), w)
    ]
    what = ", ".join(w["tool"] for w in node["of"])
    reason = f"`{bad[0].tool}` was called in turn {bad[0].turn}, and never should be" if bad else ""
    return Found(not bad, float(not bad), [_check(node, what, not bad, float(not bad), reason, bad[0].at if bad else None)])


def only(scene: Scene, node: Data, used: set[int]) -> Found:
    """No other tool was called."""
    bad = [c for c in scene.calls if c.tool not in node["tools"]]
    score = 1 - len(bad) / len(scene.calls) if bad else 1.0
    reason = f"`{bad[0].tool}` was called; allowed are {', '.join(node['tools'])}" if bad else ""
    return _one(node, not bad, score, reason, bad[0].at if bad else None)


def at_most(scene: Scene, node: Data, used: set[int]) -> Found:
    """So many calls at most."""
    count, most = len(scene.calls), node["n"]
    score = 1.0 if count <= most else most / count
    return _one(node, count <= most, score, f"{count} calls were made, and {most} are allowed" if count > most else "")
