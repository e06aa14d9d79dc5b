"""How products and texts are called in what an agent says."""

from __future__ import annotations

from typing import Any

from shopdsl.dsl.catalog import Product


def naming(thing: Any) -> list[str]:
    """The names of a product, its title first; a text is its own name."""
    if isinstance(thing, Product):
        return list(dict.fromkeys([thing.title, *thing.divergent]))
    return [str(thing)]
