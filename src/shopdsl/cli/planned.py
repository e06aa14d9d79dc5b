"""A trial of a plan as text: what was drawn and where it is written, what the customer will write, and what a right agent does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shopdsl.runtime.expect.oracle import Reply, right_replies
from shopdsl.runtime.world import Trial

Places = dict[str, Any]


def source_map(plan: Path) -> Places:
    """Where the values of a plan come from, or nothing where the file beside it is gone."""
    beside = plan.with_name(plan.name.removesuffix(".jsonl") + ".map.json")
    try:
        data: Places = json.loads(beside.read_text("utf-8"))
        return data
    except (OSError, ValueError):
        return {"cohorts": {}, "documents": {}}


def planned(trial: Trial, places: Places) -> Iterator[str]:
    """The lines that tell a trial."""
    data = trial.data
    yield f"trial {data['trial']}, seed {data['seed']}, task {data['task']}"
    yield ""
    if data.get("case"):
        yield from _value("case", data["case"], places["documents"].get("case", {}).get(data["case"]))
    messages = data.get("script", {}).get("messages")
    yield from _fixed(trial, messages) if messages else _drawn(trial, places)


def _fixed(trial: Trial, messages: list[Any]) -> Iterator[str]:
    """The messages of the customer, each with what a right agent does about it."""
    expected = trial.case is not None and bool(trial.case["expects"]["groups"])
    replies = right_replies(trial) if expected else [Reply() for _ in messages]
    for message, reply in zip(messages, replies, strict=True):
        yield f"customer  {message['text']}"
        for call in reply.calls:
            yield f"    > {call.tool} {json.dumps(call.args, ensure_ascii=False, default=str)}"
        yield from (f"right     {line}" for line in reply.say.splitlines())


def _drawn(trial: Trial, places: Places) -> Iterator[str]:
    """What was drawn, and in which order it comes out."""
    data, items = trial.data, trial.items()
    cohort = places["cohorts"].get(data["cohort"], {"draw": {}})
    rows = places.get("personas", {}).get(data["cohort"], {})
    for name, value in data["persona"].items():
        yield from _value(f"persona.{name}", value, rows.get(name, {}).get(value))
    drawn = data["drawn"] | {
        "target": [f"{i.quantity} × {i.product.title} ({i.product.id}, {i.product.price})" for i in items],
        "withheld": [f"{i.product.id}: {', '.join(h.say for h in i.withheld)}" for i in items if i.withheld],
        "turn_budget": data["turn_budget"],
        "reveal": data["reveal"],
    }
    for name in [*(n for n in cohort["draw"] if n in drawn), *(n for n in drawn if n not in cohort["draw"])]:
        yield from _value(name, drawn[name], cohort["draw"].get(name))
    plans = places["documents"].get("reveal", {})
    yield from _value("itinerary", [_beat(b, items) for b in data["beats"]], plans.get(data["reveal"]))


def _value(name: str, value: Any, place: Places | None) -> list[str]:
    where = f"    ← {place['file']}:{place['line']}  {place['text'][:90]}" if place else ""
    if isinstance(value, list) and value and sum(len(str(v)) for v in value) > 60:
        return [f"{name}:{where}", *(f"    {v}" for v in value)]
    shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return [f"{name}: {shown}{where}"]


def _beat(beat: dict[str, Any], items: list[Any]) -> str:
    about = f" about {beat['about']}" if beat["about"] else ""
    to = f" to {beat['to']}" if beat["to"] is not None else ""
    guard = " (the next waits for it)" if beat["guard"] is not None else ""
    return f"{beat['beat']} {'; '.join(items[i].product.title for i in beat['items'])}".rstrip() + about + to + guard
