"""Reads what a model answered: one JSON object in whatever prose, verdicts of a closed list, quotations that stand in the text.

What cannot be read is Unscored, with the reason: never a pass, never a fail.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from shopdsl.dsl.library.texts import words
from shopdsl.runtime.judges.question import Question, Unscored
from shopdsl.runtime.models.answers import Unreadable, json_in, short

_MOST = 2**53
"""Beyond, whole numbers and others are no longer told apart; infinity and what is not a number are beyond too."""
_LONE = re.compile(r"[\ud800-\udfff]")
"""Halves of characters, which JSON can spell and no file can hold."""


def read_answers(question: Question, text: str) -> list[dict[str, Any]]:
    """The answers in a model's text, as fields; raises Unscored."""
    try:
        return _answers(question, json_in(text))
    except Unreadable as error:
        raise Unscored(str(error)) from None
    except RecursionError:
        raise Unscored("the answer is nested too deeply") from None


def _answers(question: Question, data: Any) -> list[dict[str, Any]]:
    if question.judge.many:
        entries = data.get("answers") if isinstance(data, dict) else data
        if not isinstance(entries, list):
            raise Unscored("the answer has no list `answers`")
    else:
        entries = [data]
    return [_fields(question, entry) for entry in entries]


def _fields(question: Question, entry: Any) -> dict[str, Any]:
    data = question.judge.data
    if not isinstance(entry, dict):
        raise Unscored(f"an answer is {short(entry)}, and not an object")
    fields = {"verdict": _verdict(entry.get("verdict"), data["verdict"])}
    for name, kind in data["answer"].items():
        fields[name] = _field(name, kind, entry)
    quote = data["quote"]
    given = fields[quote] if quote is not None else None
    if given is not None and question.quoted is not None and not _stands(str(given), question.quoted):
        raise Unscored(f"the quotation {short(given)} does not stand in the text")
    return fields


def _verdict(given: Any, verdicts: list[str]) -> str:
    """A verdict in whatever case and spacing; one in other words, or several, is none."""
    if not isinstance(given, str):
        raise Unscored("the answer has no verdict" if given is None else f"the verdict is {short(given)}")
    folded = re.sub(r"[\s-]+", "_", unicodedata.normalize("NFKC", given).casefold().strip(" \t\n.\"'`*"))
    if folded not in verdicts:
        raise Unscored(f"the verdict is {short(given)}, which is none of {', '.join(verdicts)}")
    return folded


def _field(name: str, kind: Any, entry: dict[str, Any]) -> Any:
    value = entry.get(name)
    if isinstance(kind, dict) and "optional" in kind:
        return None if value is None else _field(name, kind["optional"], entry)
    if value is None:
        raise Unscored(f"the answer has no `{name}`")
    if not _is(value, kind):
        raise Unscored(f"`{name}` is {short(value)}")
    return value


def _is(value: Any, kind: Any) -> bool:
    match kind:
        case "text":
            return isinstance(value, str) and _LONE.search(value) is None
        case "bool":
            return isinstance(value, bool)
        case "int":
            return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MOST
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _MOST
        case {"range": [low, high]}:
            return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        case {"one_of": members}:
            return value in members
        case {"list": inner}:
            return isinstance(value, list) and all(_is(v, inner) for v in value)
    return False


def _stands(quote: str, text: str) -> bool:
    """Do the words of a quotation stand in the text, one after the other?"""
    return bool(words(quote)) and f" {' '.join(words(quote))} " in f" {' '.join(words(text))} "
