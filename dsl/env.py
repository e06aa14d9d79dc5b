"""What an evaluation sees and spends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shopdsl.dsl.random import Stream
from shopdsl.dsl.values import Failed

STEPS = 1_000_000


class Env:
    """What an evaluation sees: names, the stream it may draw from, the world that answers, and its steps."""

    __slots__ = ("names", "steps", "stream", "world")

    def __init__(self, names: dict[str, Any], stream: Stream | None = None, world: Any = None) -> None:
        self.names, self.stream, self.world = names, stream, world
        self.steps = STEPS

    def spend(self, n: int) -> None:
        """Pay for n steps; raises Failed past the budget."""
        self.steps -= n
        if self.steps < 0:
            raise Failed(f"this takes more than {STEPS:,} steps")


class Lazy:
    """A value computed when it is first asked for."""

    __slots__ = ("_done", "_make", "_value")

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make, self._done, self._value = make, False, None

    def get(self) -> Any:
        if not self._done:
            self._value, self._done = self._make(), True
        return self._value
