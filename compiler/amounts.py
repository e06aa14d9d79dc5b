"""Amounts of money in lowered expressions, for checks against the currency of a store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def foreign_amounts(tree: Any, currency: str) -> Iterator[str]:
    """Every amount that a tree spells out in other money; the yen and the yuan share their sign."""
    if isinstance(tree, list) and len(tree) == 3 and tree[0] == "money":
        if tree[2] != currency and (tree[2], currency) != ("CNY", "JPY"):
            yield f"{tree[2]} {tree[1]}"
    elif isinstance(tree, list | dict):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from foreign_amounts(part, currency)
