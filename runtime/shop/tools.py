"""Tools of a toolset, ready to be called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shopdsl.dsl.catalog import Catalog, Product
from shopdsl.dsl.env import Env, Lazy
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.loops import Compiled
from shopdsl.dsl.values import Bag, Duration, Failed, Money, Row
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
        self._require = [(guarded(compile_tree(r["that"])), r["else"]) for r in data["require"]]
        self._effect: Effect | None = compile_effect(data["effect"]) if data["effect"] else None
        self._finds = guarded(compile_tree(data["finds"])) if data["finds"] else None
        self._result = guarded(compile_tree(data["result"]))

    def schema(self) -> dict[str, Any]:
        """The tool as an agent gets it: name, description, JSON Schema of its arguments."""
        return {"name": self.name, "description": self.data["doc"], "parameters": json_schema(self.data["params"])}

    def call(self, args: Any, state: State, catalog: Catalog, world: Any, store: Any) -> Outcome:
        """Call the tool; a refusal is an outcome with `error`."""
        outcome = Outcome()
        try:
            names = resolve(self.data["params"], args, catalog)
            self._about(names, outcome)
            env = Env({**names, "cart": state.cart, "order": state.order, "store": store}, None, world)
            self._bind(env)
            for test, otherwise in self._require:
                if not test(env):
                    raise Refused(otherwise)
            if self._effect is not None:
                self._effect(env, state)
                self._bind(env)
            outcome.finds = list(self._finds(env) or []) if self._finds else []
            outcome.result = plain(self._result(env))
        except Refused as refused:
            outcome.error = str(refused)
        except Failed as failed:
            outcome.error = f"This tool cannot do that: {failed}."
        return outcome

    def _bind(self, env: Env) -> None:
        for name, run in self._lets:
            env.names[name] = Lazy(lambda run=run: run(env))  # type: ignore[misc]

    def _about(self, names: dict[str, Any], outcome: Outcome) -> None:
        outcome.product = next((v for v in names.values() if isinstance(v, Product)), None)
        quantity, query = names.get("quantity"), names.get("query")
        outcome.quantity = quantity if isinstance(quantity, int) else None
        outcome.query = query if isinstance(query, str) else None


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
            return round(value, 6)
        case Money():
            return float(value.amount)
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
