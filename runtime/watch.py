"""What can be watched while a run goes on: each step is one event, a mapping with its name under `event`.

| event | further keys |
|---|---|
| `run_started` | `agent`, `plan`, `trials`, `left` |
| `trial_started` | `trial`, `repeat` |
| `request` | `role` (agent, customer, judge), `trial`, `repeat`, `model`, `place`, `seconds`, `usage`, `cost`, `tries`, `finish` |
| `retry` | `role`, `trial`, `repeat`, `model`, `place`, `status` (0: no answer), `seconds`, `why`, `wait` (seconds) |
| `call` | `trial`, `repeat`, `tool`, `error`, `seconds` |
| `trial_finished` | `trial`, `repeat`, `reason`, `turns`, `seconds` |
| `trial_lost` | `trial`, `repeat`, `reason`, `detail` |
| `worker_died` | `trial`, `repeat`, `detail`; the trial is played by another worker |
| `run_stopping` | `why` |
| `run_finished` | `finished`, `lost`, `seconds`, `usage`, `cost` |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Note = Callable[[dict[str, Any]], None]
"""Is told each event; it must return at once, and must not raise."""


def unwatched(event: dict[str, Any]) -> None:
    """Nobody watches."""


def together(notes: list[Note]) -> Note:
    """Everybody is told."""
    if not notes:
        return unwatched

    def note(event: dict[str, Any]) -> None:
        for each in notes:
            each(event)

    return note
