"""Faults that a spec injects into tools, drawn from the trial's seed: the same trial meets the same faults."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from shopdsl.dsl.random import Stream


@dataclass(frozen=True)
class Fault:
    """What a call meets: an error instead of a result, and seconds to wait."""

    error: str = ""
    wait: float = 0.0


@dataclass
class Faults:
    """The faults of one trial."""

    rules: list[dict[str, Any]]
    seed: int
    _calls: Counter[str] = field(default_factory=Counter)
    _met: Counter[str] = field(default_factory=Counter)

    def next(self, tool: str) -> Fault | None:
        """What the next call of a tool meets."""
        self._calls[tool] += 1
        for name, rule in self._named.items():
            if rule["tool"] in (None, tool) and self._meets(name, rule, tool):
                self._met[name] += 1
                return Fault(rule["error"], float(rule["wait"]))
        return None

    @cached_property
    def _named(self) -> dict[str, dict[str, Any]]:
        """The rules by a name that other rules do not change."""
        alike = [f"{r['tool'] or ''}/{r['error']}" for r in self.rules]
        return {f"{name}/{alike[:place].count(name)}": r for place, (name, r) in enumerate(zip(alike, self.rules, strict=True))}

    def _meets(self, name: str, rule: dict[str, Any], tool: str) -> bool:
        if rule["times"] is not None and self._met[name] >= rule["times"]:
            return False
        from shopdsl.dsl.library.draws import chance

        return chance(Stream(self.seed, "faults", name, tool, str(self._calls[tool])), float(rule["chance"]))
