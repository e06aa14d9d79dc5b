"""Comprehensions: loops over clauses, and the functions that need not see every member."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.library.collections import walk

Compiled = Callable[[Env], Any]
Clause = tuple[str, Compiled, list[Compiled]]
"""A name, what it walks through, and the conditions."""


def _loop(clauses: list[Clause], emit: Callable[[Env], None]) -> Callable[[Env], None]:
    if not clauses:
        return emit
    name, values, tests = clauses[0]
    inner = _loop(clauses[1:], emit)

    def run(env: Env) -> None:
        members = values(env)
        if members is None:
            return
        names = env.names
        members = walk(members)
        env.spend(len(members))
        for names[name] in members:
            for test in tests:
                if not test(env):
                    break
            else:
                inner(env)

    return run


class Scope:
    """Runs a comprehension and puts the names it used back as they were."""

    __slots__ = ("names", "run")

    def __init__(self, clauses: list[Clause], emit: Callable[[Env], None]) -> None:
        self.names = [c[0] for c in clauses]
        self.run = _loop(clauses, emit)

    def __call__(self, env: Env) -> None:
        saved = [(n, env.names.get(n, self)) for n in self.names]
        try:
            self.run(env)
        finally:
            for name, value in saved:
                if value is self:
                    env.names.pop(name, None)
                else:
                    env.names[name] = value


def collector(clauses: list[Clause], runs: list[Compiled]) -> Callable[[Env], list[list[Any]]]:
    """For each run the list of its values over the loop."""
    stack: list[list[list[Any]]] = []

    def emit(env: Env) -> None:
        for column, run in zip(stack[-1], runs, strict=True):
            value = run(env)
            if isinstance(value, list | frozenset | dict):
                env.spend(len(value))
            column.append(value)

    scope = Scope(clauses, emit)

    def call(env: Env) -> list[list[Any]]:
        stack.append([[] for _ in runs])
        try:
            scope(env)
            return stack[-1]
        finally:
            stack.pop()

    return call


class _Found(Exception):
    """Ends a comprehension whose result is known."""

    def __init__(self, value: Any) -> None:
        self.value = value


EARLY: dict[str, tuple[Callable[[Any], bool], Callable[[Any], Any], Any]] = {
    "any": (bool, lambda value: True, False),
    "all": (lambda value: value is not None and not value, lambda value: False, True),
    "first": (lambda value: value is not None, lambda value: value, None),
}
"""Functions that need not see every member: when to stop, what it gives then, what it gives at the end."""


def early(
    clauses: list[Clause], run: Compiled, stop: Callable[[Any], bool], result: Callable[[Any], Any], otherwise: Any
) -> Compiled:
    """A function of EARLY over a comprehension."""

    def emit(env: Env) -> None:
        value = run(env)
        if stop(value):
            raise _Found(value)

    scope = Scope(clauses, emit)

    def call(env: Env) -> Any:
        try:
            scope(env)
        except _Found as found:
            return result(found.value)
        return otherwise

    return call
