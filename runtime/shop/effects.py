"""Runs the effects of tools on a state: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shopdsl.dsl.arithmetic import BINARY
from shopdsl.dsl.entities import Entities, Entity, Path, encoded, measure
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
    """A callable that changes a state; where it raises Refused or Failed, the caller takes the state back."""
    return _block(statements)


def _block(statements: list[Any]) -> Effect:
    steps = [_STEPS[s[0]](*s[1:]) for s in statements]

    def run(env: Env, state: State) -> None:
        for step in steps:
            step(env, state)

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
        env.names["cart"] = state.cart = Bag({**state.cart.counts, p: int(after)})

    return run


def _place() -> Effect:
    def run(env: Env, state: State) -> None:
        state.place()
        env.names["order"] = state.order

    return run


def _put(op: str, of: Any, name: str, value: Any) -> Effect:
    record, given = _tree(of), _tree(value)

    def run(env: Env, state: State) -> None:
        entity = _entity(record(env))
        now = entity.get(name) if op != "=" else None
        _write(env, entity.home, (*entity.path, name), entity.shape.fields[name].kind, _changed(op, now, given(env)))

    return run


def _put_in(op: str, of: Any, name: str, key: Any, value: Any) -> Effect:
    record, at, given = _tree(of), _tree(key), _tree(value)

    def run(env: Env, state: State) -> None:
        entity, place = _entity(record(env)), at(env)
        if place is None or entity.data().get(name) is None:
            raise Refused("This cannot be done.")
        kind = _inner(entity.shape.fields[name].kind)
        now = entity.get(name).get(place) if op != "=" else None
        _write(env, entity.home, (*entity.path, name, place), kind, _changed(op, now, given(env)))

    return run


def _create(record: str, key: Any, value: Any) -> Effect:
    at, given = _tree(key), _tree(value)

    def run(env: Env, state: State) -> None:
        env.spend(100)
        name, home = at(env), state.records
        if not name:
            raise Refused("This cannot be done.")
        data = encoded(given(env), {"record": record}, home)
        key_field = home.tables.shapes[record].key
        home.create(record, name, data | {key_field: name})

    return run


def _append(of: Any, name: str, value: Any) -> Effect:
    record, given = _tree(of), _tree(value)

    def run(env: Env, state: State) -> None:
        entity = _entity(record(env))
        kind = _inner(entity.shape.fields[name].kind)
        data = encoded(given(env), kind, entity.home)
        env.spend(50 + measure(data) + len(entity.data().get(name) or ()))
        entity.home.add((*entity.path, name), data)

    return run


def _entity(value: Any) -> Entity:
    if value is None:
        raise Refused("This cannot be done.")
    return value  # type: ignore[no-any-return]


def _inner(kind: Any) -> Any:
    while isinstance(kind, dict) and "optional" in kind:
        kind = kind["optional"]
    return next(iter(kind.values()))


def _changed(op: str, now: Any, value: Any) -> Any:
    if op == "=":
        return value
    if now is None or value is None:
        raise Refused("This cannot be done.")
    return BINARY["+"](now, value) if op == "+=" else BINARY["-"](now, value)


def _write(env: Env, home: Entities, path: Path, kind: Any, value: Any) -> None:
    if value is None and not (isinstance(kind, dict) and "optional" in kind):
        raise Refused("This cannot be done.")
    data = encoded(value, kind, home)
    env.spend(50 + measure(data))
    home.put(path, data)
    env.spend(measure(home.data(path[:2])) // 100)  # a record that grows makes every further write dearer


def _fail(tree: Any) -> Effect:
    message = _tree(tree)

    def run(env: Env, state: State) -> None:
        raise Refused(show(message(env)))

    return run


_STEPS: dict[str, Callable[..., Effect]] = {
    "let": _let, "if": _if, "for": _for, "cart": _cart, "place": _place, "put": _put, "put_in": _put_in, "create": _create,
    "append": _append, "fail": _fail,
}  # fmt: skip
