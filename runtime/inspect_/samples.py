"""A trial as a sample of Inspect."""

from __future__ import annotations

from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem

from shopdsl.runtime.world import Trial

RECORD = "shopdsl"
"""Where the record of its trial stands in a sample's store."""


def sample(trial: Trial) -> Sample:
    """What the agent is told, what the customer wants, and what was drawn."""
    wanted = [f"{i.quantity} × {i.product.title}" for i in trial.items()]
    return Sample(id=trial.id, input=[ChatMessageSystem(content=trial.system)], target=wanted or "", metadata=_about(trial))


def _about(trial: Trial) -> dict[str, Any]:
    """What samples can be grouped by."""
    data, drawn = trial.data, trial.data["drawn"]
    found = {"cohort": data["cohort"], "tier": drawn.get("tier"), "difficulty": drawn.get("difficulty"), "case": data.get("case")}
    return {k: v for k, v in found.items() if v is not None} | {"persona": data["persona"], "task": data["task"]}
