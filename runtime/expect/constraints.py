"""What a customer wants turn by turn, and whether what the agent recommends fits: hard wishes bind, soft ones where something meets them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.dsl.catalog import Product
from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.library import answers as said
from shopdsl.runtime.expect.naming import naming

Step = dict[str, Any]


@dataclass(frozen=True)
class Wishes:
    """The constraints of one turn: name, condition, and whether it is soft."""

    active: list[tuple[str, Any, bool]]

    def allowed(self, products: list[Product], names: dict[str, Any], shown: Product | None) -> list[Product]:
        """The products that may be recommended; none where a hard wish cannot be met."""
        whole = [p for p in products if all(_holds(tree, names, p, shown) for _, tree, _ in self.active)]
        if whole:
            return whole
        hard = [tree for _, tree, soft in self.active if not soft]
        if len(hard) == len(self.active):
            return []
        return [p for p in products if all(_holds(tree, names, p, shown) for tree in hard)]

    def broken(self, product: Product, names: dict[str, Any], shown: Product | None) -> list[str]:
        """The wishes that a product does not meet."""
        return [name for name, tree, _ in self.active if not _holds(tree, names, product, shown)]


def _holds(tree: Any, names: dict[str, Any], product: Product, shown: Product | None) -> bool:
    return bool(guarded(compile_tree(tree))(Env({**names, "p": product, "shown": shown})))


def wishes(steps: list[Step], turn: int) -> Wishes:
    """What holds in a turn."""
    active: dict[str, tuple[Any, bool]] = {}
    for step in steps:
        if step["turn"] > turn:
            break
        match step["way"]:
            case "drop":
                active.pop(step["name"], None)
            case "harden":
                tree, _ = active.get(step["name"], (step["that"], False))
                active[step["name"]] = (step["that"] or tree, False)
            case _:
                active[step["name"]] = (step["that"], step["soft"])
    return Wishes([(name, tree, soft) for name, (tree, soft) in active.items() if tree is not None])


def recommended(text: str, products: list[Product], locale: str) -> list[Product]:
    """The products that a text asserts; one that others are only compared with is not recommended."""
    names = set(said.asserted(text, (name for p in products for name in naming(p)), locale))
    return [p for p in products if names.intersection(naming(p))]
