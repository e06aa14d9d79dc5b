"""Data files that a spec names: read only below the folder of its package."""

from __future__ import annotations

import os
from pathlib import Path

from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit
from shopdsl.dsl.diagnostics import codes
from shopdsl.dsl.source import Source
from shopdsl.dsl.tree import Scalar

MAX_BYTES = 64_000_000


def package_file(unit: Unit, document: Document, node: Scalar) -> Source | None:
    """The text of a file that a spec names, or None (reported)."""
    package = unit.workspace.package(document.package)
    assert package is not None
    folder = package.folder.resolve()
    path = folder / node.text
    if not _inside(path, folder) or not path.is_file():
        help = f"files of a spec lie in the folder of its package, {package.name}"
        unit.sink.add(codes.BAD_JSON, f"there is no file `{node.text}` in this package", node.span, help)
        return None
    try:
        if path.stat().st_size > MAX_BYTES:
            unit.sink.add(codes.BAD_JSON, f"`{node.text}` has more than {MAX_BYTES:,} bytes", node.span, "split it")
            return None
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        unit.sink.add(codes.BAD_JSON, f"`{node.text}` cannot be read: {reason}", node.span, "save it as UTF-8 text")
        return None
    return Source(node.text, text)


def _inside(path: Path, folder: Path) -> bool:
    """Is this a file below the folder, reached through no link?"""
    try:
        return path.resolve() == Path(os.path.abspath(path)) and folder in path.resolve().parents and ".." not in path.parts
    except (ValueError, OSError, RuntimeError):  # a name that no file can have, links in a circle
        return False
