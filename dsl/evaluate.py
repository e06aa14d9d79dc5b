"""Lowered expressions to Python callables. A tree is plain data (`lower.py` makes it), so a plan can carry it.

Every loop and every list that a function walks through costs steps; an evaluation past its budget fails. None goes through
operators and functions as the language says: arithmetic gives none, order and `in` give false.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from shopdsl.dsl.arithmetic import BINARY, COMPARE
from shopdsl.dsl.entities import Entity
from shopdsl.dsl.env import Env, Lazy
from shopdsl.dsl.functions import FUNCTIONS
from shopdsl.dsl.library.draws import Weighted
from shopdsl.dsl.library.texts import limit
from shopdsl.dsl.loops import EARLY, Clause, Compiled, collector, early
from shopdsl.dsl.values import Bag, Duration, Failed, Money, Row, show


def evaluate(tree: Any, env: Env) -> Any:
    """The value of a tree; errors of arithmetic become Failed."""
    return guarded(compile_tree(tree))(env)


def guarded(run: Compiled) -> Compiled:
    """A callable whose arithmetic errors are Failed, with words for people."""

    def call(env: Env) -> Any:
        try:
            return run(env)
        except (OverflowError, ZeroDivisionError, ArithmeticError) as error:
            raise Failed(f"a number got out of hand ({type(error).__name__})") from None
        except (TypeError, AttributeError, IndexError, ValueError, RecursionError) as error:
            raise Failed(f"cannot be computed: {error}") from None

    return call


def compile_tree(tree: Any) -> Compiled:
    """A callable for a tree; an unknown operation is a ValueError."""
    if not isinstance(tree, list) or not tree or tree[0] not in _OPS:
        raise ValueError(f"not an expression tree: {str(tree)[:60]}")
    return _OPS[tree[0]](*tree[1:])


def _lit(value: Any) -> Compiled:
    return lambda env: value


def _dec(text: str) -> Compiled:
    return _lit(float(text))


def _money(text: str, currency: str) -> Compiled:
    return _lit(Money(text, currency))


def _duration(minutes: str) -> Compiled:
    return _lit(Duration(Decimal(minutes)))


def _name(name: str) -> Compiled:
    def run(env: Env) -> Any:
        value = env.names[name]
        if type(value) is Lazy:
            return value.get()
        return value

    return run


def _attr(of: Any, name: str) -> Compiled:
    if name.startswith("_"):
        raise ValueError(f"no attribute `{name}`")
    inner = compile_tree(of)

    def run(env: Env) -> Any:
        value = inner(env)
        if type(value) is Row or type(value) is Entity:
            return value.get(name)
        if type(value) is dict:
            return value.get(name)
        return None if value is None else getattr(value, name)

    return run


def _index(of: Any, key: Any) -> Compiled:
    inner, at = compile_tree(of), compile_tree(key)

    def run(env: Env) -> Any:
        value, k = inner(env), at(env)
        if value is None or k is None:
            return None
        if isinstance(value, list | str):
            return value[k] if -len(value) <= k < len(value) else None
        if isinstance(value, Row):
            return value.fields().get(str(k))
        if isinstance(value, Bag):
            return value[k]
        return value.get(k) if k in value else value.get(str(k))

    return run


def _slice(of: Any, low: Any, high: Any) -> Compiled:
    inner = compile_tree(of)
    lo = compile_tree(low) if low else _lit(None)
    hi = compile_tree(high) if high else _lit(None)

    def run(env: Env) -> Any:
        value = inner(env)
        if value is None:
            return None
        part = value[lo(env) : hi(env)]
        env.spend(len(part))
        return part

    return run


def _neg(of: Any) -> Compiled:
    inner = compile_tree(of)

    def run(env: Env) -> Any:
        value = inner(env)
        return None if value is None else -value

    return run


def _not(of: Any) -> Compiled:
    inner = compile_tree(of)
    return lambda env: not inner(env)


def _and(parts: list[Any]) -> Compiled:
    runs = [compile_tree(p) for p in parts]

    def run(env: Env) -> bool:
        for part in runs:  # noqa: SIM110 - a generator for all() costs a third of the time
            if not part(env):
                return False
        return True

    return run


def _or(parts: list[Any]) -> Compiled:
    runs = [compile_tree(p) for p in parts]

    def run(env: Env) -> bool:
        for part in runs:  # noqa: SIM110 - a generator for any() costs a third of the time
            if part(env):
                return True
        return False

    return run


def _if(condition: Any, then: Any, other: Any) -> Compiled:
    c, a, b = compile_tree(condition), compile_tree(then), compile_tree(other)
    return lambda env: a(env) if c(env) else b(env)


_COSTLY = (list, str, frozenset, Bag)
_COSTLY_TYPES = frozenset(_COSTLY)


def _bin(op: str, left: Any, right: Any) -> Compiled:
    a, b = compile_tree(left), compile_tree(right)
    if op == "??":

        def fallback(env: Env) -> Any:
            value = a(env)
            return b(env) if value is None else value

        return fallback
    function = BINARY[op]

    def run(env: Env) -> Any:
        x, y = a(env), b(env)
        if x is None or y is None:
            return None
        if isinstance(x, _COSTLY):
            env.spend(len(x) + len(y))
        return function(x, y)

    return run


def _one_comparison(op: str, test: Callable[[Any, Any], Any], a: Compiled, b: Compiled) -> Compiled:
    if op not in ("in", "not in"):
        return lambda env: test(a(env), b(env))

    found, missing = op == "in", op == "not in"

    def search(env: Env) -> Any:
        member, of = a(env), b(env)
        if type(of) is frozenset and member is not None:
            return found if member in of else missing
        if isinstance(of, list | str):
            env.spend(len(of) // 8)
        return test(member, of)

    return search


def _with_literal(op: str, a: Compiled, literal: Any) -> Compiled:
    """`==` and `!=` with a literal, which is no collection, so that nothing needs to be walked through."""
    if literal is None:
        return (lambda env: a(env) is None) if op == "==" else (lambda env: a(env) is not None)
    return (lambda env: bool(a(env) == literal)) if op == "==" else (lambda env: a(env) != literal)


def _cmp(ops: list[str], parts: list[Any]) -> Compiled:
    runs = [compile_tree(p) for p in parts]
    compare = [COMPARE[o] for o in ops]
    if len(compare) == 1 and ops[0] in ("==", "!=") and parts[1][0] == "lit":
        return _with_literal(ops[0], runs[0], parts[1][1])
    if len(compare) == 1:
        return _one_comparison(ops[0], compare[0], runs[0], runs[1])

    def run(env: Env) -> bool:
        left = runs[0](env)
        for test, part in zip(compare, runs[1:], strict=True):
            right = part(env)
            if not test(left, right):
                return False
            left = right
        return True

    return run


# collections


def _list(parts: list[Any]) -> Compiled:
    runs = [compile_tree(p) for p in parts]
    return lambda env: [r(env) for r in runs]


def _set(parts: list[Any]) -> Compiled:
    if all(p[0] == "lit" for p in parts):
        return _lit(frozenset(p[1] for p in parts))
    runs = [compile_tree(p) for p in parts]
    return lambda env: frozenset(r(env) for r in runs)


def _map(entries: list[Any]) -> Compiled:
    runs = [(compile_tree(k), compile_tree(v)) for k, v in entries]
    return lambda env: {k(env): v(env) for k, v in runs}


def _clauses(clauses: list[Any]) -> list[Clause]:
    return [(name, compile_tree(source), [compile_tree(c) for c in conditions]) for name, source, conditions in clauses]


def _comp(kind: str, key: Any, value: Any, clauses: list[Any]) -> Compiled:
    runs = [compile_tree(value)] + ([compile_tree(key)] if kind == "map" else [])
    collect = collector(_clauses(clauses), runs)
    if kind == "map":
        return lambda env: (lambda c: dict(zip(c[1], c[0], strict=True)))(collect(env))
    if kind == "set":
        return lambda env: frozenset(collect(env)[0])
    return lambda env: collect(env)[0]


# functions


def _call(name: str, args: list[Any], keywords: dict[str, Any]) -> Compiled:
    function = FUNCTIONS[name]
    runs = [compile_tree(a) for a in args]
    named = {k: compile_tree(v) for k, v in keywords.items()}
    apply, strict = function.call, not function.takes_none
    plain = not named and not (function.draws or function.world or function.local)

    def run(env: Env) -> Any:
        values = []
        for part in runs:
            value = part(env)
            if value is None and strict:
                return None
            if type(value) in _COSTLY_TYPES:
                env.spend(len(value))
            values.append(value)
        if plain:
            return apply(*values)
        given = {k: r(env) for k, r in named.items()}
        if strict and any(v is None for v in given.values()):
            return None
        return _apply(function, apply, env, values, given)

    return run


def _apply(function: Any, apply: Callable[..., Any], env: Env, values: list[Any], given: dict[str, Any]) -> Any:
    if function.draws:
        env.spend(function.cost)
        return apply(env.stream, *values, **given)
    if function.world or function.local:
        return apply(env.world, *values, **given)
    return apply(*values, **given)


def _gen(
    name: str, value: Any, clauses: list[Any], keywords: dict[str, Any], each: dict[str, Any], fixed: list[str] | None
) -> Compiled:
    """A function over a comprehension; with `fixed`, the names its members and weights depend on, they are made once for equal values."""
    function = FUNCTIONS[name]
    if name in EARLY:
        return early(_clauses(clauses), compile_tree(value), *EARLY[name])
    collect = collector(_clauses(clauses), [compile_tree(value), *(compile_tree(t) for t in each.values())])
    named = {k: compile_tree(v) for k, v in keywords.items()}
    pools: dict[Any, Weighted] = {}

    def pool(env: Env) -> Weighted:
        key = tuple(id(env.names[n]) for n in fixed or ())
        if key not in pools:
            columns = collect(env)
            pools[key] = Weighted(columns[0], columns[1] if each else None)
        return pools[key]

    def run(env: Env) -> Any:
        given = {k: r(env) for k, r in named.items()}
        if fixed is not None:
            return function.call(env.stream, pool(env), **given)
        columns = collect(env)
        given |= dict(zip(each, columns[1:], strict=True))
        return _apply(function, function.call, env, columns[:1], given)

    return run


def _template(parts: list[Any]) -> Compiled:
    runs = [_lit(p) if isinstance(p, str) else compile_tree(p) for p in parts]
    return lambda env: limit("".join([show(r(env)) for r in runs]))


_OPS: dict[str, Callable[..., Compiled]] = {
    "lit": _lit, "dec": _dec, "money": _money, "dur": _duration, "re": _lit, "name": _name, "attr": _attr, "idx": _index, "slice": _slice,
    "neg": _neg, "not": _not, "and": _and, "or": _or, "if": _if, "bin": _bin, "cmp": _cmp, "list": _list, "set": _set, "map": _map,
    "comp": _comp, "call": _call, "gen": _gen, "tmpl": _template,
}  # fmt: skip
