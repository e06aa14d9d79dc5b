"""Draws one trial of a cohort from its seed. Each drawn name has a stream of its own, so that no line moves another's draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.kinds.cohort import REQUIRED, Cohort, Line
from shopdsl.dsl.catalog import Catalog, Product
from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.items import Item
from shopdsl.dsl.library.collections import walk
from shopdsl.dsl.loops import Compiled
from shopdsl.dsl.pacing import MAX_TURNS
from shopdsl.dsl.random import Stream, digest_int
from shopdsl.dsl.source import Span
from shopdsl.dsl.values import Bag, Failed, Row, order


@dataclass(slots=True)
class Drawn:
    """A drawn trial: its seed, persona, every drawn name, and the items that follow from the target."""

    number: int
    seed: int
    persona: Row
    names: dict[str, Any]
    items: list[Item]

    @property
    def turn_budget(self) -> int:
        return int(self.names["turn_budget"])


class DrawFailed(Exception):
    """A draw that failed, with the place of its line."""

    def __init__(self, name: str, span: Span, message: str, help: str = "") -> None:
        super().__init__(message)
        self.name, self.span, self.message, self.help = name, span, message, help


@dataclass
class StoreView:
    """A store as draws see it."""

    name: str
    catalog: Catalog

    @property
    def categories(self) -> list[Any]:
        return self.catalog.categories

    @property
    def products(self) -> list[Product]:
        return self.catalog.products


class Drawer:
    """Draws the trials of one cohort; expressions are compiled once."""

    def __init__(self, cohort: Cohort, catalog: Catalog, suite_seed: int) -> None:
        self.cohort, self.catalog, self.suite_seed = cohort, catalog, suite_seed
        assert cohort.persona is not None
        self.persona = cohort.persona
        self.dimensions = sorted(self.persona.tables)
        self.base = {
            "store": StoreView(cohort.store.name if cohort.store else "", catalog),
            **{name: list(table.rows.values()) for name, table in cohort.tables.items()},
        }
        self._compiled: dict[int, tuple[Any, Compiled]] = {}

    def draw(self, number: int) -> Drawn:
        """One trial; raises DrawFailed."""
        seed, persona = self.start(number)
        names: dict[str, Any] = {**self.base, "trial": number, "persona": persona}
        self._lines(self.cohort.lines, names, seed, ())
        budget = names["turn_budget"]
        if not 1 <= budget <= MAX_TURNS:
            line = next(line for line in self.cohort.lines if line.name == "turn_budget")
            raise DrawFailed("turn_budget", line.span, f"{budget:g} is not a number of messages, 1 to {MAX_TURNS:,}")
        return Drawn(number, seed, persona, names, self._items(names))

    def start(self, number: int) -> tuple[int, Row]:
        """What every trial begins with: its seed, and its customer's persona."""
        seed = digest_int(self.suite_seed, self.cohort.name, number)
        return seed, self._persona(seed)

    def _persona(self, seed: int) -> Row:
        fields = {}
        for name in self.dimensions:
            weights = self.persona.weights[name]
            stream = Stream(seed, "persona", name)
            fields[name] = self.persona.tables[name].rows[weights.members[weights.index(stream)]]
        return Row("", fields)

    def _lines(self, lines: list[Line], names: dict[str, Any], seed: int, path: tuple[str, ...]) -> None:
        for line in lines:
            here = (*path, line.name)
            if line.block is None:
                names[line.name] = self._value(line, line.made.tree, names, seed, here)
            else:
                names[line.name] = self._block(line, names, seed, here)

    def _block(self, line: Line, names: dict[str, Any], seed: int, path: tuple[str, ...]) -> list[Any]:
        assert line.block is not None
        result: list[Any] = []
        members = walk(self._value(line, line.made.tree, names, seed, path) or [])
        for member in members:
            inner = names | {line.block.member: member}
            here = (*path, str(order(member)))
            self._lines(line.block.lines, inner, seed, here)
            collected = self._value(line, line.block.collect.tree, inner, seed, (*here, "collect"))
            result += collected if isinstance(collected, list) else [collected]
        return result

    def _value(self, line: Line, tree: Any, names: dict[str, Any], seed: int, path: tuple[str, ...]) -> Any:
        kept = self._compiled.get(id(tree))
        if kept is None:
            kept = self._compiled[id(tree)] = (tree, guarded(compile_tree(tree)))
        try:
            value = kept[1](Env(names, Stream(seed, *path)))
        except Failed as error:
            raise DrawFailed(line.name, line.span, str(error)) from None
        if value is None and line.name in REQUIRED:
            raise DrawFailed(line.name, line.span, "it gives none", "give it a value for every trial, for example with `??`")
        return value

    def _items(self, names: dict[str, Any]) -> list[Item]:
        line = next(line for line in self.cohort.lines if line.name == "target")
        target = names["target"]
        counts = target.counts if isinstance(target, Bag) else {k: v for k, v in target.items() if v and v > 0}
        if not counts:
            raise DrawFailed("target", line.span, "nothing is wanted", "the lists that it is drawn from may be empty")
        if None in counts or any(q != int(q) for q in counts.values()):
            raise DrawFailed(
                "target",
                line.span,
                "a product is none, or a quantity is not whole",
                "want products that there are, in whole units",
            )
        withheld = [h for h in names.get("withheld") or [] if h is not None]
        return [Item(i, p, int(q), [h.name for h in withheld if h.product is p]) for i, (p, q) in enumerate(counts.items())]
