"""Reads what a model answered: one JSON object in whatever prose, verdicts of a closed list, quotations that stand in the text.

What cannot be read is Unscored, with the reason: never a pass, never a fail.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from shopdsl.dsl.library.texts import words
from shopdsl.runtime.judges.question import Question, Unscored

MAX_ANSWER = 100_000
_DECODER = json.JSONDecoder(object_pairs_hook=lambda pairs: _unique(pairs))


def read_answers(question: Question, text: str) -> list[dict[str, Any]]:
    """The answers in a model's text, as fields; raises Unscored."""
    data = _json(text)
    if question.judge.many:
        entries = data.get("answers") if isinstance(data, dict) else data
        if not isinstance(entries, list):
            raise Unscored("the answer has no list `answers`")
    else:
        entries = [data]
    return [_fields(question, entry) for entry in entries]


def _json(text: str) -> Any:
    if len(text) > MAX_ANSWER:
        raise Unscored(f"the answer has {len(text):,} characters; more than {MAX_ANSWER:,} are not read")
    if not text.strip():
        raise Unscored("the answer is empty")
    found = list(_values(text))
    if not found:
        what = "breaks off inside of its JSON" if re.search(r"[{\[]\s*[\"{\[]", text) else "holds no JSON"
        raise Unscored(f"the answer {what}: {_short(text)}")
    if any(value != found[0] for value in found[1:]):
        raise Unscored(f"the answer holds {len(found)} different JSON values")
    return found[0]


def _values(text: str) -> Iterator[Any]:
    """The JSON objects and lists of objects that stand in a text, outermost first."""
    place = 0
    while (start := _opening(text, place)) >= 0:
        try:
            value, place = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            place = start + 1
            continue
        if isinstance(value, dict) or (isinstance(value, list) and all(isinstance(v, dict) for v in value)):
            yield value


def _opening(text: str, place: int) -> int:
    found = re.compile(r"[{\[]").search(text, place)
    return found.start() if found else -1


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key stands twice")
    return result


def _fields(question: Question, entry: Any) -> dict[str, Any]:
    data = question.judge.data
    if not isinstance(entry, dict):
        raise Unscored(f"an answer is {_short(entry)}, and not an object")
    fields = {"verdict": _verdict(entry.get("verdict"), data["verdict"])}
    for name, kind in data["answer"].items():
        fields[name] = _field(name, kind, entry)
    quote = data["quote"]
    if quote is not None and question.quoted is not None and not _stands(fields[quote], question.quoted):
        raise Unscored(f"the quotation {_short(fields[quote])} does not stand in the text")
    return fields


def _verdict(given: Any, verdicts: list[str]) -> str:
    """A verdict in whatever case and spacing; one in other words, or several, is none."""
    if not isinstance(given, str):
        raise Unscored("the answer has no verdict" if given is None else f"the verdict is {_short(given)}")
    folded = re.sub(r"[\s-]+", "_", unicodedata.normalize("NFKC", given).casefold().strip(" \t\n.\"'`*"))
    if folded not in verdicts:
        raise Unscored(f"the verdict is {_short(given)}, which is none of {', '.join(verdicts)}")
    return folded


def _field(name: str, kind: Any, entry: dict[str, Any]) -> Any:
    value = entry.get(name)
    if isinstance(kind, dict) and "optional" in kind:
        return None if value is None else _field(name, kind["optional"], entry)
    if value is None:
        raise Unscored(f"the answer has no `{name}`")
    if not _is(value, kind):
        raise Unscored(f"`{name}` is {_short(value)}")
    return value


def _is(value: Any, kind: Any) -> bool:
    match kind:
        case "text":
            return isinstance(value, str)
        case "bool":
            return isinstance(value, bool)
        case "int":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool) and value == value
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


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return repr(text if len(text) <= 60 else text[:57] + "…")
