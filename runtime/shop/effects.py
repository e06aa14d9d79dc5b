"""Runs the effects of tools on a state: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.library.collections import walk
from shopdsl.dsl.loops import Compiled
from shopdsl.dsl.values import Bag, show
from shopdsl.runtime.shop.state import State


class Refused(Exception):
    """A tool call that the shop refuses; the message is for the agent."""


Effect = Callable[[Env, State], None]


def _tree(tree: Any) -> Compiled:
    return guarded(compile_tree(tree))


def compile_effect(statements: list[Any]) -> Effect:
    """A callable that changes a state; it raises Refused before it has changed anything that stays."""
    inner = _block(statements)

    def run(env: Env, state: State) -> None:
        draft = State(state.cart, state.order)
        inner(env, draft)
        state.cart, state.order = draft.cart, draft.order

    return run


def _block(statements: list[Any]) -> Effect:
    steps = [_STEPS[s[0]](*s[1:]) for s in statements]

    def run(env: Env, state: State) -> None:
        for step in steps:
            step(env, state)
            env.names["cart"], env.names["order"] = state.cart, state.order

    return run


def _let(name: str, tree: Any) -> Effect:
    value = _tree(tree)

    def run(env: Env, state: State) -> None:
        env.names[name] = value(env)

    return run


def _if(condition: Any, then: list[Any], other: list[Any]) -> Effect:
    test, yes, no = _tree(condition), _block(then), _block(other)
    return lambda env, state: yes(env, state) if test(env) else no(env, state)


def _for(name: str, source: Any, body: list[Any]) -> Effect:
    values, inner = _tree(source), _block(body)

    def run(env: Env, state: State) -> None:
        members = walk(values(env) or [])
        env.spend(len(members))
        for env.names[name] in members:
            inner(env, state)

    return run


def _cart(op: str, key: Any, value: Any) -> Effect:
    product, amount = _tree(key), _tree(value)

    def run(env: Env, state: State) -> None:
        p, n = product(env), amount(env)
        if p is None or n is None:
            raise Refused("This cannot be done.")
        env.spend(100 + 10 * len(state.cart))
        before = state.cart[p]
        after = {"=": n, "+=": before + n, "-=": before - n}[op]
        if after < 0:
            raise Refused("There are not so many in the cart.")
        state.cart = Bag({**state.cart.counts, p: int(after)})

    return run


def _place() -> Effect:
    return lambda env, state: state.place()


def _fail(tree: Any) -> Effect:
    message = _tree(tree)

    def run(env: Env, state: State) -> None:
        raise Refused(show(message(env)))

    return run


_STEPS: dict[str, Callable[..., Effect]] = {"let": _let, "if": _if, "for": _for, "cart": _cart, "place": _place, "fail": _fail}
