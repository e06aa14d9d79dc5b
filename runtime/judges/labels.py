"""Answers of a judge beside labels of people: the answers of a run as lines to be labelled, and labels matched with answers.

A line is `{"judge", "trial", "repeat", "at", "quote", "verdict", "label"}`: `at` is the place of what was judged (null: the trial), `quote` tells the
answers to one question apart. People fill in `label`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shopdsl.dsl.terminal import clean
from shopdsl.runtime.examine import Look
from shopdsl.runtime.judges.agreement import Agreement, agreement
from shopdsl.runtime.judges.asking import Asked

Key = tuple[str, str, int, int | None, str]
MAX_LINE = 1_000_000
_TYPES = (str, str, int, int | None, str, str | None)
"""Of the parts of a key, and of the label."""


@dataclass(frozen=True)
class Answer:
    """One answer of a judge; `verdict` is None where it is unscored. `question` is what was asked, in words."""

    key: Key
    verdict: str | None
    question: str

    def as_line(self) -> dict[str, Any]:
        judge, trial, repeat, at, quote = self.key
        return {
            "judge": judge, "trial": trial, "repeat": repeat, "at": at, "quote": quote, "question": self.question,
            "verdict": self.verdict, "label": None,
        }  # fmt: skip


def called(judge: str, judges: Iterable[str]) -> str:
    """How lines call a judge: by its name, or, where two packages have one of that name, by package and name."""
    short = judge.rpartition(".")[2]
    return short if sum(j.rpartition(".")[2] == short for j in judges) == 1 else judge


def answers(look: Look) -> Iterator[Answer]:
    """Every answer that the metrics of a record got. Two of one place and quotation are told apart by their number."""
    times: Counter[Key] = Counter()
    for asked in look.asked():
        name, data = called(asked.judge, look.examiner.judges), asked.question.judge.data
        base = (name, look.record["trial"], look.record["repeat"], look.at(asked.question.subject))
        told_apart = (
            data["quote"] if data["many"] else None
        )  # a single answer needs no telling, and would be told by what it says
        for quote, verdict in _verdicts(asked, told_apart):
            key: Key = (*base, quote)
            times[key] += 1
            numbered = key if times[key] == 1 else (*base, f"{quote} #{times[key]}".strip())
            yield Answer(numbered, verdict, asked.question.text)


def _verdicts(asked: Asked, quote: str | None) -> Iterator[tuple[str, str | None]]:
    if asked.rows is None:
        yield "", None
        return
    for place, row in enumerate(asked.rows, 1):
        fields = row.fields()
        yield (str(fields[quote] or "") if quote else "" if len(asked.rows) == 1 else str(place)), fields["verdict"]


@dataclass
class Labels:
    """Labels by the answer that they are about, what was asked then, how many lines are left open, and what is wrong with others."""

    by_answer: dict[Key, tuple[int, str]] = field(default_factory=dict)
    questions: dict[Key, str] = field(default_factory=dict)
    open: int = 0
    problems: list[str] = field(default_factory=list)


def read_labels(path: Path, verdicts: dict[str, list[str]]) -> Labels:
    """The labels of a file; `verdicts` are those of every judge by name. An OSError is the caller's."""
    labels = Labels()
    if path.exists() and not path.is_file():
        raise OSError(0, "it is not a file")
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        found = _label(line, verdicts)
        if isinstance(found, str):
            labels.problems.append(f"{path.name}:{number}: {found}")
        elif found is not None and found[0] in labels.by_answer:
            labels.problems.append(
                f"{path.name}:{number}: this answer is labelled already, in line {labels.by_answer[found[0]][0]}"
            )
        elif found is not None:
            labels.by_answer[found[0]] = (number, found[1])
            labels.questions[found[0]] = str(json.loads(line).get("question", ""))
        else:
            labels.open += 1
    return labels


def _label(line: bytes, verdicts: dict[str, list[str]]) -> tuple[Key, str] | str | None:
    """A label, None where it is left open, or what is wrong with the line."""
    try:
        data = json.loads(line[:MAX_LINE])
        key: Key = (data["judge"], data["trial"], data.get("repeat", 0), data.get("at"), data.get("quote", ""))
        label = data.get("label")
    except (ValueError, RecursionError):
        return "this line is not JSON"
    except (KeyError, TypeError, AttributeError):
        return "a label needs `judge`, `trial`, `at` and `label`"
    if not all(isinstance(part, kind) for part, kind in zip((*key, label), _TYPES, strict=True)):
        return "`judge`, `trial`, `quote` and `label` are texts, `repeat` and `at` whole numbers"
    if label is None:
        return None
    if key[0] not in verdicts:
        return clean(f"the run asked no judge `{key[0]}`; it asked: {', '.join(sorted(verdicts)) or 'none'}")
    if label not in verdicts[key[0]]:
        return clean(f"`{label}` is not a verdict of `{key[0]}`; there are: {', '.join(verdicts[key[0]])}")
    return key, label


def calibrate(found: Iterable[Answer], labels: Labels, verdicts: dict[str, list[str]], path: Path) -> dict[str, Agreement]:
    """For each judge with labels how it agrees with them; labels of answers that there are not become problems."""
    pairs: dict[str, list[tuple[str, str | None]]] = {}
    rest: dict[str, list[str | None]] = {}
    used: set[Key] = set()
    silent: set[Key] = set()
    for answer in found:
        silent |= {answer.key} if answer.verdict is None else set()
        label = labels.by_answer.get(answer.key)
        if label is not None and labels.questions[answer.key] not in ("", answer.question):
            used.add(answer.key)
            labels.problems.append(
                clean(f"{path.name}:{label[0]}: this label is about another text than the one in this run; draw again")
            )
            rest.setdefault(answer.key[0], []).append(answer.verdict)
        elif label is not None and answer.key not in used:
            used.add(answer.key)
            pairs.setdefault(answer.key[0], []).append((label[1], answer.verdict))
        else:
            rest.setdefault(answer.key[0], []).append(answer.verdict)
    for key, (number, text) in labels.by_answer.items():
        if key not in used and (*key[:4], "") in silent:
            pairs.setdefault(key[0], []).append((text, None))
        elif key not in used:
            labels.problems.append(
                clean(f"{path.name}:{number}: the judge `{key[0]}` gave no such answer in trial {key[1]} at {key[3]}")
            )
    return {name: agreement(of, rest.get(name, []), verdicts[name]) for name, of in sorted(pairs.items())}
