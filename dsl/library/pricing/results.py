"""What the pricing of a basket gives, and how it says that an exact answer would take too long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

STEPS = 200_000
"""How many steps a search may take; a state costs as many as it has sums to keep, divided by eight."""


class TooLarge(Exception):
    """There is no exact answer within the bound; the message says what to drop."""


@dataclass(frozen=True, slots=True)
class Working:
    """One line of the working; the signed amounts before the line `total` add up to it."""

    what: str
    target: str
    amount: Decimal
    note: str


@dataclass(frozen=True, slots=True)
class Priced:
    """A price: `used` are the rules that took something, in order of application; `refused` says why each other one did not."""

    total: Decimal
    goods: Decimal
    discount: Decimal
    shipping: Decimal
    used: tuple[str, ...]
    refused: dict[str, str]
    working: tuple[Working, ...]
    ties: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Basket:
    """The seller of each wanted product, the price, and other assignments of the same total."""

    assignment: Mapping[str, str]
    priced: Priced
    ties: tuple[Mapping[str, str], ...]


class Budget:
    """Counts the steps of one search."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = STEPS

    def spend(self, steps: int) -> None:
        """Raises TooLarge when there are none left."""
        self.left -= steps
        if self.left < 0:
            raise TooLarge(
                f"the exact price needs more than {STEPS:,} steps; drop products or coupons, or make coupons that can be"
                " put on any product apply to all, or let thresholds look at the list subtotal"
            )
