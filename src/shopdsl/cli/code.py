"""The code of an agent that is a program: digests of its files, so that a report says which version was measured."""

from __future__ import annotations

from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def code_of(played: dict[str, Any], folder: Path | None) -> dict[str, str]:
    """Digests by file name: of the module of a Python function, of the files that a command names; of others nothing is known."""
    files = [folder / w if folder else Path(w) for w in played.get("command") or ()]
    if played.get("python"):
        files += [Path(found)] if (found := _module_file(played["python"].partition(":")[0])) else []
    return {f.name: blake2b(f.read_bytes(), digest_size=16).hexdigest() for f in files if f.is_file() and f.stat().st_size < MOST}


MOST = 20_000_000
"""Larger files are no code of an agent."""


def _module_file(module: str) -> str | None:
    try:
        found = find_spec(module)
    except (ImportError, ValueError):
        return None
    return found.origin if found else None
