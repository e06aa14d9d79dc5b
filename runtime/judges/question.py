"""A judge, compiled, and a question of it: what it is about, its text, and the form of its answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from shopdsl.dsl.env import Env, Lazy
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.plan import digest
from shopdsl.dsl.values import Failed, Row


class Unscored(Failed):
    """An answer that cannot be used; the message says why."""


class Waiting(Exception):
    """An answer that is not here yet; the question has been noted."""


class Judge:
    """A compiled question of a spec, for any subject."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.name: str = data["name"]
        self.about: str = data["about"]
        self.many: bool = data["many"]
        self.lets = [(n, guarded(compile_tree(t))) for n, t in data["let"]]
        self.text = guarded(compile_tree(data["question"]))
        self.rules = guarded(compile_tree(data["rules"])) if data["rules"] is not None else None
        self.quoted = guarded(compile_tree(data["quoted"])) if data["quoted"] is not None else None

    def ask(self, names: dict[str, Any], subject: Any) -> Question:
        """The question about one subject of a trial (None: the trial itself)."""
        env = Env(names | ({self.about: subject} if subject is not None else {}))
        for name, run in self.lets:
            env.names[name] = Lazy(lambda run=run: run(env))  # type: ignore[misc]
        return Question(self, subject, env)


@dataclass
class Question:
    """One question to one judge."""

    judge: Judge
    subject: Any
    env: Env

    @cached_property
    def text(self) -> str:
        """What is asked, in words."""
        return str(self.judge.text(self.env))

    @cached_property
    def quoted(self) -> str | None:
        """The text in which the answer's quotation must stand, where the judge says so."""
        return None if self.judge.quoted is None else str(self.judge.quoted(self.env))

    @property
    def key(self) -> str:
        """A digest of all that an answer depends on, but for who answers."""
        form = {k: self.judge.data[k] for k in ("verdict", "answer", "many", "quote")}
        return digest({"form": form, "text": self.text, "quoted": self.quoted})

    def answer(self, fields: dict[str, Any]) -> Row:
        """An answer as metrics see it."""
        return Row("", fields | ({"of": self.subject} if self.subject is not None else {}))


class Answerer(Protocol):
    """Who answers questions."""

    title: str
    """How reports call it."""

    def answers(self, question: Question) -> list[dict[str, Any]]:
        """The answers, as fields; raises Unscored, or Waiting."""
