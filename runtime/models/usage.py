"""What models cost: tokens of every answer, their price, and a purse that can be empty."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from shopdsl.runtime.models.faults import BudgetSpent

PER = 1_000_000
"""Prices are for so many tokens."""


@dataclass
class Usage:
    """Requests that were answered, and their tokens; `cached` is a part of `input`, `reasoning` one of `output`."""

    requests: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0

    @property
    def tokens(self) -> int:
        return self.input + self.output

    def add(self, other: Usage) -> None:
        """Count another's as well."""
        for name, amount in vars(other).items():
            setattr(self, name, getattr(self, name) + amount)

    def as_data(self) -> dict[str, int]:
        """For records; zeros are left out."""
        return {k: v for k, v in vars(self).items() if v}


def read_usage(body: dict[str, Any], guess: tuple[int, int]) -> Usage:
    """The tokens that an answer says it took; where it does not say, a guess from the lengths of question and answer."""
    given = body.get("usage")
    if not isinstance(given, dict) or not _count(given.get("prompt_tokens")) + _count(given.get("completion_tokens")):
        return Usage(1, *guess)
    read, made = given.get("prompt_tokens_details"), given.get("completion_tokens_details")
    return Usage(
        1,
        _count(given.get("prompt_tokens")),
        _count(given.get("completion_tokens")),
        _count(read.get("cached_tokens")) if isinstance(read, dict) else 0,
        _count(made.get("reasoning_tokens")) if isinstance(made, dict) else 0,
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else 0


def guessed(text: str) -> int:
    """Tokens of a text, when nobody counted them: four bytes each."""
    return len(text.encode("utf-8", "replace")) // 4 + 1


def cost(usage: Usage, price: dict[str, Any] | None) -> Decimal:
    """What an answer costs, in the currency of the price; nothing where the model has none."""
    if not price:
        return Decimal(0)
    plain, kept = Decimal(price["input"]), Decimal(price.get("cached") or price["input"])
    fresh = max(0, usage.input - usage.cached)
    return (fresh * plain + usage.cached * kept + usage.output * Decimal(price["output"])) / PER


@dataclass
class Purse:
    """What has been spent in this process, and what may be; `most_cost` and `most_tokens` are the user's limits."""

    most_cost: Decimal | None = None
    most_tokens: int | None = None
    usage: Usage = field(default_factory=Usage)
    cost: Decimal = Decimal(0)
    _held_tokens: int = 0
    _held_cost: Decimal = Decimal(0)

    def pay(self, usage: Usage, price: Decimal) -> None:
        """Count an answer."""
        self.usage.add(usage)
        self.cost += price

    @contextmanager
    def holding(self, tokens: int, price: dict[str, Any] | None) -> Iterator[None]:
        """So many tokens are being read: until the answer is paid for, nobody else may spend them."""
        asked = cost(Usage(1, tokens), price)
        self._held_tokens, self._held_cost = self._held_tokens + tokens, self._held_cost + asked
        try:
            yield
        finally:
            self._held_tokens, self._held_cost = self._held_tokens - tokens, self._held_cost - asked

    def since(self, before: Purse) -> tuple[Usage, Decimal]:
        """What has been spent since this purse was as it is in a copy."""
        spent = {name: amount - getattr(before.usage, name) for name, amount in vars(self.usage).items()}
        return Usage(**spent), self.cost - before.cost

    def check(self) -> None:
        """Raises BudgetSpent where nothing is left."""
        if self.most_cost is not None and self.cost + self._held_cost >= self.most_cost:
            raise BudgetSpent(f"{self.cost:.4f} of {self.most_cost} is spent")
        if self.most_tokens is not None and self.usage.tokens + self._held_tokens >= self.most_tokens:
            raise BudgetSpent(f"{self.usage.tokens:,} of {self.most_tokens:,} tokens are used")

    def share(self) -> float:
        """How much of the budget is gone, 0 to 1 and more; 0 where there is none."""
        shares = [float(self.cost / self.most_cost)] if self.most_cost else []
        return max([*shares, self.usage.tokens / self.most_tokens if self.most_tokens else 0.0])
