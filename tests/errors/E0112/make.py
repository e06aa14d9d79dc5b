"""A file that nobody can open: a socket, since a forbidden file would still be open to root."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest


def make(folder: Path) -> None:
    """Make `bad.yaml`."""
    if not sys.platform.startswith("linux"):
        pytest.skip("other systems do not let everyone make a socket by name, or report it in other words")
    os.mknod(folder / "bad.yaml", stat.S_IFSOCK | 0o600)
