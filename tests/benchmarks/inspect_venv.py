"""Inspect AI in an environment of its own in the cache folder, so that it touches nothing that shopdsl uses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from shopdsl.dsl.cache import cache_folder

VERSION = "0.3.285"


def inspect_python(*more: str) -> Path | None:
    """The Python that has Inspect AI, and these further distributions (name==version); None where they cannot be installed."""
    python = _python()
    return python if python is not None and all(_has(python, each) for each in more) else None


def _has(python: Path, wanted: str) -> bool:
    name, _, version = wanted.partition("==")
    known = f"import importlib.metadata, sys; sys.exit(importlib.metadata.version({name!r}) != {version!r})"
    return _does([str(python), "-c", known]) or _does([str(python), "-m", "pip", "install", "-q", wanted])


def _python() -> Path | None:
    folder = cache_folder() / "benchmarks" / f"inspect-{VERSION}"
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if _does([str(python), "-c", "import inspect_ai"]):
        return python
    print(f"   installing inspect-ai {VERSION} into {folder} …", flush=True)
    steps = [
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "-q", f"inspect-ai=={VERSION}"],
    ]
    return python if all(_does(step) for step in steps) else None


def _does(command: list[str]) -> bool:
    """Does this command end well?"""
    try:
        return subprocess.run(command, capture_output=True, timeout=900).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
