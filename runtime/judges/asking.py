"""Puts the questions of metrics for one trial; what two metrics ask alike is asked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.loops import Compiled
from shopdsl.dsl.values import Row
from shopdsl.runtime.judges.question import Answerer, Judge, Question, Unscored, Waiting


class Ask:
    """One question of a metric: the name of its answers, the judge, and what it is put (None: the trial)."""

    def __init__(self, data: list[Any]) -> None:
        self.name: str = data[0]
        self.judge: str = data[1]
        self.members: Compiled | None = guarded(compile_tree(data[2])) if data[2] is not None else None


@dataclass(frozen=True)
class Asked:
    """A question that was put, and its answers; none where it is unscored, for the reason given."""

    judge: str
    question: Question
    rows: list[Row] | None
    reason: str = ""


class Asker:
    """Asks for the metrics of one trial; `asked` is all that was put."""

    def __init__(self, judges: dict[str, Judge], answerer: Answerer, names: dict[str, Any]) -> None:
        self._judges, self._answerer, self._names = judges, answerer, names
        self._known: dict[tuple[str, int], Asked] = {}

    def answers(self, ask: Ask, env: Env) -> Any:
        """What a metric gets: a list of answers, or one where the trial is asked about; raises Unscored, or Waiting once all is noted."""
        judge = self._judges[ask.judge]
        if ask.members is None:
            found = self._put(judge, ask.judge, None)
            return found if judge.many else (found[0] if found else None)
        waiting: Waiting | None = None
        result: list[Row] = []
        for subject in ask.members(env) or []:
            try:
                result += self._put(judge, ask.judge, subject)
            except Waiting as error:
                waiting = error
        if waiting is not None:
            raise waiting
        return result

    def _put(self, judge: Judge, name: str, subject: Any) -> list[Row]:
        key = (name, id(subject))
        if key not in self._known:
            self._known[key] = self._asked(judge, name, subject)
        asked = self._known[key]
        if asked.rows is None:
            raise Unscored(asked.reason)
        return asked.rows

    def _asked(self, judge: Judge, name: str, subject: Any) -> Asked:
        question = judge.ask(self._names, subject)
        try:
            return Asked(name, question, [question.answer(fields) for fields in self._answerer.answers(question)])
        except Unscored as error:
            return Asked(name, question, None, str(error))

    @property
    def asked(self) -> list[Asked]:
        """Every question that was put, once."""
        return list(self._known.values())
