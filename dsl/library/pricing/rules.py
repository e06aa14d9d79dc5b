"""What a shop's promotions, shipping fees and offers are, as data.

What a set of rules means, in the order in which it is applied:

1. Lines of one product, seller and category are one line. Rules of scope `product` come first, then `category`, `seller`, `order`;
   inside one scope in the order in which they are listed.
2. A rule looks at the lines of one target at a time: the order, a seller's lines, a category's, one product's; only those in
   `only`. Its base is their list subtotal, or what the rules before it have left of that (`running`).
3. The step that takes most, of those whose conditions hold for the base and the quantity, gives the amount; it is rounded to
   minor units, bounded by `cap`, and never more than what is left of the target's lines.
4. What is taken from several lines is taken from each in proportion to what is left of it, exactly: no share is rounded.
5. A rule is applied to every target where it takes something; where `once_per` is wider than its scope, to one target, of the
   customer's choice, in each order, seller, category or product.
6. Rules that do not stack are not applied to one order, whatever their targets are. A coupon is applied only if it is held, and
   as a whole or not at all. An automatic rule is applied wherever it can be, and left out only if it does not stack with one
   that is applied.
7. Shipping is looked at last, and its fee is never discounted.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

Scope = Literal["order", "seller", "category", "product"]


@dataclass(frozen=True, slots=True)
class Line:
    """One product of a basket, with the price of one unit."""

    product: str
    price: Decimal
    quantity: int = 1
    seller: str = ""
    category: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """What the base of a rule, or the number of units in its target, must reach."""

    measure: Literal["subtotal", "quantity"]
    op: Literal[">=", ">"]
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Step:
    """One tier: `take`, `percent` of the base, or `take` for every full `each` of it. Raises ValueError for another mix."""

    when: tuple[Condition, ...] = ()
    take: Decimal | None = None
    percent: Decimal | None = None
    each: Decimal | None = None

    def __post_init__(self) -> None:
        if (self.take is None) == (self.percent is None) or (self.each is not None and self.take is None):
            raise ValueError("a step has either `take`, alone or with `each`, or `percent`")
        if (self.take or 0) < 0 or not 0 <= (self.percent or 0) <= 100 or (self.each is not None and self.each <= 0):
            raise ValueError("a step takes no negative amount, at most 100 percent, and for each positive amount")


@dataclass(frozen=True, slots=True)
class Rule:
    """A promotion; the module says how rules are applied. Two stack if each names the other's group, or has `stacks_with` None.

    Two rules of one group stack only if both name that group. `group` "" is no group. `valid_from` is inclusive, `valid_until`
    exclusive. `of` is the one seller or category that a rule of that scope is for, "" for each of them.
    """

    name: str
    scope: Scope
    steps: tuple[Step, ...]
    only: frozenset[str] | None = None
    cap: Decimal | None = None
    base: Literal["list", "running"] = "list"
    group: str = ""
    stacks_with: frozenset[str] | None = None
    coupon: bool = False
    once_per: Literal["order", "seller", "category", "product", "none"] = "none"
    valid_from: date | None = None
    valid_until: date | None = None
    rounding: Literal["half_up", "up", "down"] = "half_up"
    say: str = ""
    of: str = ""


@dataclass(frozen=True, slots=True)
class Shipping:
    """A fee of the order, or of a seller (`of`; "" for each), spared from a subtotal of `free_from`; no lines, no fee."""

    scope: Literal["order", "seller"]
    of: str
    fee: Decimal
    free_from: Decimal | None = None
    op: Literal[">=", ">"] = ">="
    base: Literal["list", "running"] = "list"


@dataclass(frozen=True, slots=True)
class Offer:
    """Where a product can be bought, at what price, in how many days it is delivered (None: not known), and its category."""

    product: str
    seller: str
    price: Decimal
    days: int | None = None
    category: str = ""
