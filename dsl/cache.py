"""Where shopdsl keeps what it can make again."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path


def cache_folder() -> Path:
    """SHOPDSL_CACHE, else `shopdsl` in the user's cache folder; without a home, a place where nothing can be kept."""
    own = os.environ.get("SHOPDSL_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    if base:
        return Path(base) / "shopdsl"
    try:
        return Path.home() / ".cache" / "shopdsl"
    except RuntimeError:
        return Path(os.devnull) / "shopdsl"


def kept_bytes(path: Path, most: int) -> bytes | None:
    """What a file of the cache holds, or None where it cannot be read or is longer than `most`."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > most:
            return None
        return path.read_bytes()
    except OSError:
        return None


def keep_bytes(path: Path, data: bytes) -> None:
    """Put a file into the cache: whole, or not at all; a cache that cannot be written costs time only."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with partial.open("xb") as file:
                file.write(data)
            os.replace(partial, path)
        except OSError:
            partial.unlink(missing_ok=True)
