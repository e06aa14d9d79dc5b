"""What an agent has changed although nothing that its case expects does that."""

from __future__ import annotations

from shopdsl.runtime.expect.scene import Scene
from shopdsl.runtime.shop.state import State
from shopdsl.runtime.world import Trial


def is_closed(trial: Trial) -> bool:
    """May only listed calls change something? So it is where a case says nothing of the state, and nothing is wanted by plan."""
    expects = trial.case["expects"] if trial.case else {}
    return "state" not in expects.get("groups", {}) and not expects.get("open") and not trial.data["items"]


def changes_unasked(scene: Scene) -> list[str]:
    """Records, cart and order that differ from what the agent's listed calls lead to; to be asked once these are found."""
    before, end = scene.trial.opening(), scene.end
    touched = scene.differing(end.records, before.records.changed)
    if not (touched or end.cart != before.cart or end.order is not None):
        return []
    due = _after_listed(scene)
    records = [f"{record} {key}" for record, key in scene.differing(end.records, due.records.changed)]
    changed = [*records, *(["the cart"] if end.cart != due.cart else [])]
    placed = ["an order was placed, and no listed call does that"] if end.order is not None and due.order is None else []
    return [*(f"{what} has changed, and no listed call does that" for what in changed), *placed]


def _after_listed(scene: Scene) -> State:
    """The state that the calls of the agent which the case lists lead to."""
    state = scene.trial.opening()
    for call in scene.calls:
        tool = scene.trial.store.tools.get(call.tool)
        if call.listed and call.error is None and tool is not None and tool.data["effect"]:
            scene.trial.store.call(call.tool, call.given, state)
    return state
