"""What a case computes: values, and the products that a query gives."""

from __future__ import annotations

from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.loops import Compiled
from shopdsl.runtime.shop.tools import shop_names
from shopdsl.runtime.world import Trial


def case_values(case: dict[str, Any], trial: Trial) -> dict[str, Any]:
    """The names of `solve`, in their order; a query gives the list of the products that fit it best."""
    found: dict[str, Any] = {"products": trial.store.products, "store": trial.store, **shop_names(trial.store)}
    names: dict[str, Any] = {**found, **trial.names}
    for entry in case.get("solve", ()):
        env = Env(dict(names), None, trial.store)
        value = guarded(compile_tree(entry["value"]))(env) if "value" in entry else _query(entry, env)
        names[entry["name"]] = found[entry["name"]] = value
    return found


def _query(entry: dict[str, Any], env: Env) -> list[Any]:
    among = guarded(compile_tree(entry["among"]))(env) or []
    if entry["by"] is None:
        return list(among)
    ranked = [(by, p) for p in among if (by := _by(guarded(compile_tree(entry["by"])), env, p)) is not None]
    if not ranked:
        return []
    best = (max if entry["most"] else min)(by for by, _ in ranked)
    return [p for by, p in ranked if by == best]


def _by(run: Compiled, env: Env, product: Any) -> Any:
    return run(Env({**env.names, "p": product}, None, env.world))
