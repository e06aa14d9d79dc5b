"""May another trial begin? Only if what is left of the budget pays for it, and for those that are being played."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from shopdsl.runtime.models.usage import Purse

ENOUGH = 20
"""Of so many trials that are over the mean says what another will cost."""


@dataclass
class Spending:
    """A purse, and what a trial is thought to cost: a `guess` (money, tokens), and the mean of those that are over."""

    purse: Purse = field(default_factory=Purse)
    guess: tuple[Decimal, int] = (Decimal(0), 0)
    _done: int = 0
    _cost: Decimal = Decimal(0)
    _tokens: int = 0

    def finished(self, record: dict[str, Any]) -> None:
        """Learn from a trial that is over."""
        used = record.get("usage", {}).values()
        self._done += 1
        self._cost += sum((Decimal(u.get("cost", 0)) for u in used), Decimal(0))
        self._tokens += sum(u.get("input", 0) + u.get("output", 0) for u in used)

    def may_start(self, running: int) -> bool:
        """Is there enough for one more beside the `running` ones, as if those had not spent anything yet?"""
        cost, tokens = self._thought()
        purse = self.purse
        fits_cost = purse.most_cost is None or purse.cost + cost * (running + 1) <= purse.most_cost
        fits_tokens = purse.most_tokens is None or purse.usage.tokens + tokens * (running + 1) <= purse.most_tokens
        return fits_cost and fits_tokens

    def _thought(self) -> tuple[Decimal, float]:
        """The first that are over are the short ones: before there are enough of them, the guess is the least."""
        if not self._done:
            return self.guess
        cost, tokens = self._cost / self._done, self._tokens / self._done
        return (cost, tokens) if self._done >= ENOUGH else (max(cost, self.guess[0]), max(tokens, self.guess[1]))
