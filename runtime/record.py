"""Trial records of a run folder, as they are read: one JSON line a finished trial, each of the form that scoring relies on.

Lines end with LF only; U+2028 and U+0085 are text. A torn last line is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shopdsl.runtime.manifest import RECORDS, RunBroken

MOST_FRUSTRATED = 10
_TEXT_OR_NONE = (str, type(None))
_IN_RECORD: dict[str, Any] = {
    "trial": str,
    "cohort": str,
    "task": str,
    "events": list,
    "end": dict,
    "final": dict,
    "repeat": int,
    "says": list,
}
_IN_EVENT: dict[str, dict[str, Any]] = {
    "customer": {
        "text": str, "rationale": str, "frustration": int, "stop": _TEXT_OR_NONE, "beats": list, "asked": list, "due": list,
        "directives": list, "said": list,
    },
    "agent": {"text": str},
    "call": {"tool": str, "finds": list, "error": _TEXT_OR_NONE, "query": _TEXT_OR_NONE, "product": _TEXT_OR_NONE},
}  # fmt: skip


def read_records(folder: Path, problems: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """Every whole record, one after the other; a torn last line is left out.

    A broken line inside is a RunBroken, or, where `problems` is given, named there and passed over.
    """
    for number, line in record_lines(folder):
        record = parse_record(line)
        if record is not None:
            yield record
            continue
        problem = not_a_record(folder, number)
        if problems is None:
            raise RunBroken(problem)
        problems.append(problem)


def record_lines(folder: Path) -> Iterator[tuple[int, bytes]]:
    """Every line of the records with its number; a torn last one is left out."""
    path = folder / RECORDS
    try:
        with path.open("rb") as file:
            yield from ((number, line) for number, line in enumerate(file, 1) if line.endswith(b"\n"))
    except OSError as error:
        raise RunBroken(f"cannot read {path}: {error.strerror}") from None


def not_a_record(folder: Path, number: int) -> str:
    """What is said of a line that cannot be read."""
    return f"{folder / RECORDS}:{number}: this line is not a record; it was edited or damaged"


def parse_record(line: bytes) -> dict[str, Any] | None:
    """The record of a line, or None where it is none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not line.endswith(b"\n"):
        return None
    whole = _has(record, _IN_RECORD) and isinstance(record["end"].get("reason"), str) and _is_cart(record["final"].get("cart"))
    return record if whole and all(_is_event(e) for e in record["events"]) else None


def _has(data: dict[str, Any], kinds: dict[str, Any]) -> bool:
    return all(isinstance(data.get(k), kind) for k, kind in kinds.items())


def _is_cart(cart: Any) -> bool:
    return isinstance(cart, dict) and all(isinstance(n, int) for n in cart.values())


def _is_event(event: Any) -> bool:
    """Has an event what is read of its kind? One of a kind that is not known here is left to who reads it, and named there."""
    return (
        isinstance(event, dict)
        and isinstance(event.get("type"), str)
        and _has(event, _IN_EVENT.get(event["type"], {}))
        and _is_plain(event)
    )


def _is_plain(event: dict[str, Any]) -> bool:
    """What is not read by everybody, where it is there at all."""
    directives, frustration = event.get("directives", []), event.get("frustration", 0)
    return (
        isinstance(event.get("meant", ""), str)
        and all(isinstance(d, str) for d in directives)
        and 0 <= frustration <= MOST_FRUSTRATED
    )
