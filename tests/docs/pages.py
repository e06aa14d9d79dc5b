"""Pages that hold a package: blocks whose first line is a comment with the name of a file."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conftest import ROOT

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"# (\w+\.yaml)\n")


def page(name: str) -> str:
    """The text of a page of docs/."""
    return (ROOT / "docs" / name).read_text("utf-8")


def blocks(name: str, language: str) -> list[str]:
    """The blocks of a page in one language, in their order."""
    return [body for kind, body in FENCE.findall(page(name)) if kind == language]


def files(name: str) -> dict[str, str]:
    """The files that a page asks its reader to write."""
    return {found[1]: body for body in blocks(name, "yaml") if (found := NAMED.match(body))}


def written(name: str, folder: Path) -> Path:
    """The package of a page, in a folder."""
    folder.mkdir()
    for file, body in files(name).items():
        (folder / file).write_text(body, "utf-8")
    return folder
