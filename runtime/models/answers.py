"""The JSON in a model's text: one object or list of objects, in whatever prose."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_TEXT = 100_000
_DECODER = json.JSONDecoder(object_pairs_hook=lambda pairs: _unique(pairs))
_OPENING = re.compile(r"\{\s*[\"}]|\[\s*[{\]]")
"""How an object or a list of objects begins; brackets of prose do not."""
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
"""What some servers send of a model's reasoning before its answer."""


class Unreadable(ValueError):
    """A text without the JSON that it should hold; the message says why."""


def json_in(text: str) -> Any:
    """The one JSON value in a text; raises Unreadable."""
    if len(text) > MAX_TEXT:
        raise Unreadable(f"the answer has more than {MAX_TEXT:,} characters, and is not read")
    if not text.strip():
        raise Unreadable("the answer is empty")
    try:
        found = list(_values(_THOUGHT.sub("", text, count=1)))
    except RecursionError:
        raise Unreadable("the answer is nested too deeply") from None
    if not found:
        raise Unreadable(f"the answer holds no JSON: {short(text)}")
    if any(value != found[0] for value in found[1:]):
        raise Unreadable(f"the answer holds {len(found)} different JSON values")
    return found[0]


def _values(text: str) -> Iterator[Any]:
    """The JSON objects and lists of objects that stand in a text, outermost first.

    One that cannot be read ends the reading: what stands inside of it may be half of what was meant, and looking for it again and again takes long.
    """
    place = 0
    while (opening := _OPENING.search(text, place)) is not None:
        try:
            value, place = _DECODER.raw_decode(text, opening.start())
        except _Twice as error:
            raise Unreadable(f"in the answer {error}") from None
        except (ValueError, RecursionError):
            raise Unreadable(
                f"the answer breaks off inside of its JSON, or it is none: {short(text[opening.start() :])}"
            ) from None
        if isinstance(value, dict) or all(isinstance(v, dict) for v in value):
            yield value


class _Twice(ValueError):
    """A key that stands twice in one object."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _Twice("a key stands twice")
    return result


def short(value: Any) -> str:
    """A value in a message, in quotes and cut."""
    text = " ".join(str(value).split())
    return repr(text if len(text) <= 60 else text[:57] + "…")
