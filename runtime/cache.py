"""Where shopdsl keeps what it can make again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """SHOPDSL_CACHE, else `shopdsl` in the user's cache folder."""
    own = os.environ.get("SHOPDSL_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "shopdsl"
