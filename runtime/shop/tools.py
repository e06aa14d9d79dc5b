"""Tools of a toolset, ready to be called."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shopdsl.dsl.catalog import Catalog, Product
from shopdsl.dsl.entities import Entity, foreign
from shopdsl.dsl.env import Env, Lazy
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.library.collections import walk
from shopdsl.dsl.loops import Compiled
from shopdsl.dsl.values import Bag, Duration, Failed, Money, Row, show
from shopdsl.runtime.shop.effects import Effect, Refused, compile_effect
from shopdsl.runtime.shop.parameters import json_schema, resolve
from shopdsl.runtime.shop.state import State


@dataclass
class Outcome:
    """What a call gave: a result as JSON data or an error, the products it showed, and what it was about."""

    result: Any = None
    error: str | None = None
    finds: list[Product] = field(default_factory=list)
    query: str | None = None
    product: Product | None = None
    quantity: int | None = None


class Tool:
    """One tool; `call` is all or nothing."""

    def __init__(self, name: str, data: dict[str, Any], shared: list[tuple[str, Compiled]]) -> None:
        self.name, self.data = name, data
        self.kind, self.role = data["class"], data["role"]
        self._lets = [*shared, *((n, guarded(compile_tree(tree))) for n, tree in data["let"])]
        self._require = [_requirement(r) for r in data["require"]]
        self._effect: Effect | None = compile_effect(data["effect"]) if data["effect"] else None
        self._finds = guarded(compile_tree(data["finds"])) if data["finds"] else None
        self._result = guarded(compile_tree(data["result"]))

    def schema(self) -> dict[str, Any]:
        """The tool as an agent gets it: name, description, JSON Schema of its arguments."""
        return {"name": self.name, "description": self.data["doc"], "parameters": json_schema(self.data["params"])}

    def call(self, args: Any, state: State, catalog: Catalog, world: Any, store: Any) -> Outcome:
        """Call the tool; a refusal is an outcome with `error`."""
        outcome = Outcome()
        before = state.begin()
        try:
            self._run(args, state, catalog, world, store, outcome)
        except Refused as refused:
            state.restore(before)
            return Outcome(error=str(refused), query=outcome.query, product=outcome.product, quantity=outcome.quantity)
        except Failed as failed:
            state.restore(before)
            return Outcome(
                error=f"This tool cannot do that: {failed}.",
                query=outcome.query,
                product=outcome.product,
                quantity=outcome.quantity,
            )
        except Exception:  # a query without a vector: the call is made again
            state.restore(before)
            raise
        return outcome

    def _run(self, args: Any, state: State, catalog: Catalog, world: Any, store: Any, outcome: Outcome) -> None:
        names = resolve(self.data["params"], args, catalog, state.records)
        self._about(names, outcome)
        tables = {name: state.records.table(name) for name in state.records.tables.named}
        known = {"cart": state.cart, "order": state.order, "store": store, **shop_names(store)}
        env = Env({**known, **tables, **names}, None, world)
        self._bind(env)
        for check in self._require:
            check(env)
        if self._effect is not None:
            self._effect(env, state)
            self._bind(env)
        outcome.finds = list(self._finds(env) or []) if self._finds else []
        outcome.result = plain(self._result(env))

    def _bind(self, env: Env) -> None:
        for name, run in self._lets:
            env.names[name] = Lazy(lambda run=run: run(env))  # type: ignore[misc]

    def _about(self, names: dict[str, Any], outcome: Outcome) -> None:
        outcome.product = next((v for v in names.values() if isinstance(v, Product)), None)
        quantity, query = names.get("quantity"), names.get("query")
        outcome.quantity = quantity if isinstance(quantity, int) else None
        outcome.query = query if isinstance(query, str) else None


def shop_names(store: Any) -> dict[str, Any]:
    """What tools and cases know of a shop beside its products and records."""
    return {
        "coupons": store.coupons, "facts": store.facts, "today": store.today,
        "promotions": Lazy(lambda: store.market.promotions), "policies": Lazy(lambda: store.market.policies),
    }  # fmt: skip


def _requirement(data: dict[str, Any]) -> Callable[[Env], None]:
    """A precondition, for one or for every member of a list; it raises Refused with its text."""
    that, otherwise = guarded(compile_tree(data["that"])), guarded(compile_tree(data["else"]))

    def check(env: Env) -> None:
        if not that(env):
            raise Refused(show(otherwise(env)))

    return _repeated(check, *data["each"]) if "each" in data else check


def _repeated(check: Callable[[Env], None], member: str, source: Any) -> Callable[[Env], None]:
    values = guarded(compile_tree(source))

    def run(env: Env) -> None:
        members = walk(values(env) or [])
        env.spend(len(members))
        for env.names[member] in members:
            check(env)

    return run


def toolset(data: dict[str, Any]) -> dict[str, Tool]:
    """The tools of a toolset by name."""
    shared = [(name, guarded(compile_tree(tree))) for name, tree in data["let"]]
    return {name: Tool(name, tool, shared) for name, tool in data["tools"].items()}


def plain(value: Any) -> Any:
    """A result as JSON data: money as a number in major units, records as objects, none left out of records."""
    match value:
        case bool() | int() | str() | None:
            return value
        case float():
            if not math.isfinite(value):
                raise Failed("a result is no number")
            return round(value, 6)
        case Money():
            return float(value.amount)
        case Entity():
            return foreign(value.data(), {"record": value.shape.name}, value.home.tables.shapes)
        case Row():
            return {k: plain(v) for k, v in value.fields().items() if v is not None}
        case list() | tuple():
            return [plain(v) for v in value]
        case dict():
            return {str(plain(k)): plain(v) for k, v in value.items()}
        case Bag():
            return {str(getattr(k, "id", k)): n for k, n in value.counts.items()}
        case Duration():
            return str(value)
    return getattr(value, "id", None) or str(value)
