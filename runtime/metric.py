"""A metric, compiled: its value for one trial, and the moments of the trial that decided it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shopdsl.dsl.env import Env, Lazy
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.loops import Compiled
from shopdsl.dsl.records import VIEWS
from shopdsl.dsl.values import Failed
from shopdsl.runtime.judges.asking import Ask, Asker


@dataclass(frozen=True)
class Moment:
    """An event of a trial (`at`) that a metric looked at, what it counted for (none: nothing), and a few words."""

    at: int
    value: float | None
    note: str


class MetricValue:
    """A metric; `view` is the evidence that it may use."""

    def __init__(self, data: dict[str, Any], view: str) -> None:
        self.data = data
        self.visible = set(data["evidence"]) <= set(VIEWS[view])
        self.asks = [Ask(a) for a in data.get("ask", ())]
        self.lets: list[tuple[str, Compiled]] = [(n, guarded(compile_tree(t))) for n, t in data["let"]]
        self.when = guarded(compile_tree(data["when"])) if data["when"] else None
        self.value = guarded(compile_tree(data["value"]))

    def of(self, names: dict[str, Any], asker: Asker | None = None) -> float | None:
        """The value for one trial, or None where it does not apply; raises Failed, or Waiting where an answer is not here yet."""
        if not self.visible:
            return None
        env = self._env(names, asker)
        if self.when is not None and not self.when(env):
            return None
        value = self.value(env)
        if value is None:
            return None
        number = float(value)
        if self.data.get("scale") == "count":
            if number < 0:
                raise Failed(f"its value is {number:g}, and a count is not below 0")
            return number
        if not 0 <= number <= 1:
            raise Failed(f"its value is {number:g}, outside of 0 to 1")
        return number

    def _env(self, names: dict[str, Any], asker: Asker | None) -> Env:
        env = Env(dict(names))
        for ask in self.asks:
            assert asker is not None
            env.names[ask.name] = Lazy(lambda ask=ask: asker.answers(ask, env))  # type: ignore[misc]
        for name, run in self.lets:
            env.names[name] = Lazy(lambda run=run: run(env))  # type: ignore[misc]
        return env

    def moments(self, names: dict[str, Any], asker: Asker | None = None) -> list[Moment]:
        """What the comprehensions of its value walked through, in the order of the trial."""
        env = self._env(names, asker)
        found: dict[Moment, None] = {}
        for value, clauses in _walks(self.data["value"], dict(self.data["let"])):
            for subjects, part in _walked(env, value, clauses):
                at = next((a for s in subjects if (a := place(s, names)) is not None), None)
                if at is not None:
                    found[Moment(at, _number(part), _note(subjects))] = None
        for moment in self._verdicts(env, names):
            found[moment] = None
        return sorted(found, key=lambda m: m.at)

    def _verdicts(self, env: Env, names: dict[str, Any]) -> Iterator[Moment]:
        """What judges of the whole trial say, at the last message of the agent that they read."""
        read = [m for m in names["agent_messages"] if not m.twin]
        for ask in self.asks:
            if ask.members is None and read:
                answer = env.names[ask.name].get()
                for row in answer if isinstance(answer, list) else [answer] if answer is not None else []:
                    yield Moment(read[-1].at, None, f"the judge says: {row.get('verdict')}")


Walk = tuple[Any, list[Any]]


def _walks(tree: Any, lets: dict[str, Any]) -> Iterator[Walk]:
    """The comprehensions of a tree that stand in no other one, also those of the `let`s that it names."""
    match tree:
        case ["gen", _, value, clauses, *_] | ["comp", _, _, value, clauses]:
            yield value, clauses
        case ["bin", "/", left, _]:  # what a count is divided by decides nothing by itself
            yield from _walks(left, lets)
        case ["name", str(name)] if name in lets:
            yield from _walks(lets[name], {k: v for k, v in lets.items() if k != name})
        case list():
            for part in tree:
                yield from _walks(part, lets)
        case dict():
            yield from _walks(list(tree.values()), lets)


def _walked(env: Env, value: Any, clauses: list[Any]) -> Iterator[tuple[list[Any], Any]]:
    """What each round of a comprehension bound, and its value; one that fails gives nothing."""
    bound = [["name", name] for name, _, _ in clauses]
    rounds = guarded(compile_tree(["comp", "list", None, ["list", [value, *bound]], clauses]))
    try:
        for part, *subjects in rounds(env):
            yield subjects, part
    except Failed:
        return


def place(subject: Any, names: dict[str, Any]) -> int | None:
    """The event that something belongs to, by its `at`; None where it belongs to none."""
    of = _of(subject)
    if of is not None:
        return place(of, names)
    at = getattr(subject, "at", None) if not hasattr(subject, "fields") else subject.fields().get("at")
    if isinstance(at, int):
        return at
    turn = getattr(subject, "asked_at", None)
    turns = names["turns"]
    return turns[turn - 1].at if isinstance(turn, int) and 0 < turn <= len(turns) else None


def _of(subject: Any) -> Any:
    """What an answer of a judge is about."""
    return subject.fields().get("of") if hasattr(subject, "fields") else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, bool | int | float) else None


def _note(subjects: list[Any]) -> str:
    parts = [_words(s) for s in subjects]
    return ", ".join(p for p in parts if p)


def _words(subject: Any) -> str:
    if hasattr(subject, "fields"):
        return ": ".join(str(v) for k, v in subject.fields().items() if isinstance(v, str))
    product = getattr(subject, "product", None)
    return str(getattr(subject, "tool", None) or (product.title if product is not None else "") or getattr(subject, "kind", ""))
