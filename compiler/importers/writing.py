"""What importers share: reading foreign files, names of the language for foreign ones, and files of cases."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shopdsl.compiler.importers.yaml_text import document, documents
from shopdsl.dsl import json_text


class ImportFailed(Exception):
    """Files that cannot be imported; the message says what is wrong."""


@dataclass(frozen=True)
class Imported:
    """What was imported: cases, records, and what a case cannot say."""

    cases: int
    records: int
    left: list[str]


MOST = 1_000_000
"""So many characters of cases stand in one file: a file of specs has a limit."""


def write_cases(target: Path, cases: list[dict[str, Any]]) -> None:
    """Write cases to `cases.yaml`, or to several files where they are many."""
    parts: list[list[dict[str, Any]]] = [[]]
    size = 0
    for case in cases:
        length = len(document(case).encode())
        if parts[-1] and size + length > MOST:
            parts.append([])
            size = 0
        parts[-1].append(case)
        size += length
    for number, part in enumerate(parts, 1):
        name = "cases.yaml" if len(parts) == 1 else f"cases_{number}.yaml"
        (target / name).write_text(documents(part), "utf-8")


def read_text(path: Path) -> str:
    """The text of a file; raises ImportFailed."""
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise ImportFailed(f"cannot read {path}: {reason}") from None


def parsed(name: str, text: str) -> Any:
    """The JSON of a text; raises ImportFailed."""
    try:
        return json_text.parse(text)
    except json_text.BadJson as error:
        line = text.count("\n", 0, error.offset) + 1
        raise ImportFailed(f"{name}:{line} is not JSON: {error}") from None


def unique(name: str, taken: set[str]) -> str:
    """A name that is not taken yet; it is from now on."""
    made, number = name, 2
    while made in taken:
        made, number = f"{name}_{number}", number + 1
    taken.add(made)
    return made


def slug(id: Any) -> str:
    """A name of the language for a foreign one."""
    made = re.sub(r"[^a-z0-9]+", "_", str(id).lower()).strip("_")
    return made if made[:1].isalpha() else f"x_{made}"
