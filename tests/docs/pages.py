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


def rows(name: str, title: str) -> list[list[str]]:
    """The rows of the tables below a heading of a page, up to the next heading, without their heads."""
    body = re.split(r"^#+ ", page(name).partition(f"# {title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    lines = [line for line in body.splitlines() if line.startswith("|")]
    assert lines, f"{name}: no table below {title}"
    heads = {i + d for i, line in enumerate(lines) if re.match(r"\| ?-", line) for d in (-1, 0)}
    return [[cell.strip() for cell in line.strip("|").split("|")] for i, line in enumerate(lines) if i not in heads]
