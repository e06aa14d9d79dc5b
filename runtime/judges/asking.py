"""Puts the questions of metrics for one trial; what two metrics ask alike is asked once."""

from __future__ import annotations

from typing import Any

from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.env import Env
from shopdsl.dsl.loops import Compiled
from shopdsl.dsl.values import Row
from shopdsl.runtime.judges.question import Answerer, Judge, Waiting


class Ask:
    """One question of a metric: the name of its answers, the judge, and what it is put (None: the trial)."""

    def __init__(self, data: list[Any]) -> None:
        self.name: str = data[0]
        self.judge: str = data[1]
        self.members: Compiled | None = guarded(compile_tree(data[2])) if data[2] is not None else None


class Asker:
    """Asks for the metrics of one trial."""

    def __init__(self, judges: dict[str, Judge], answerer: Answerer, names: dict[str, Any]) -> None:
        self._judges, self._answerer, self._names = judges, answerer, names
        self._known: dict[tuple[str, int], list[Row]] = {}

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
            question = judge.ask(self._names, subject)
            self._known[key] = [question.answer(fields) for fields in self._answerer.answers(question)]
        return self._known[key]
