"""Who watches a run: a live table on a terminal, quiet in a pipe; a file of events for machines, spans for OpenTelemetry."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from shopdsl.cli.common import USAGE, Trouble
from shopdsl.runtime.watch import Note, together


@contextmanager
def watched(events: Path | None, otel: bool) -> Iterator[Note]:
    """Tell everybody whom the user has asked for."""
    with ExitStack() as stack:
        notes: list[Note] = []
        if events is not None:
            notes.append(stack.enter_context(_file(events)))
        if otel:
            notes.append(stack.enter_context(_spans()))
        yield together(notes)


@contextmanager
def shown(note: Note) -> Iterator[Note]:
    """Those who watch, and while the block lasts a live table if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield note
        return
    from shopdsl.cli.live import live

    with live() as table:
        yield together([note, table])


@contextmanager
def _file(path: Path) -> Iterator[Note]:
    """One JSON object a line, with the time in seconds since 1970, written as it happens. What the disk does not take is left out: records come first."""
    if path.is_file() and path.stat().st_size and not _are_events(path):
        raise Trouble(f"{path} holds something else than events; name another file", USAGE)
    try:
        file = path.open("a", encoding="utf-8", newline="\n", buffering=1)
    except OSError as error:
        raise Trouble(f"cannot write {path}: {error.strerror}", USAGE) from None

    def note(event: dict[str, Any]) -> None:
        try:
            file.write(json.dumps({"time": round(time.time(), 3), **event}, ensure_ascii=False) + "\n")
        except OSError:
            return

    with file:
        yield note


def _are_events(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            first = json.loads(file.readline(1_000_000))
        except (ValueError, RecursionError):
            return False
    return isinstance(first, dict) and "event" in first


@contextmanager
def _spans() -> Iterator[Note]:
    try:
        from shopdsl.runtime.spans import Misconfigured, spans
    except ImportError:
        raise Trouble(
            "--otel needs the packages of OpenTelemetry; install them with `pip install 'shopdsl[otel]'`", USAGE
        ) from None
    with ExitStack() as stack:
        try:
            note = stack.enter_context(spans())
        except Misconfigured as error:
            raise Trouble(str(error), USAGE) from None
        yield note
