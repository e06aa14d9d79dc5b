"""A file saved as Latin-1."""

from __future__ import annotations

from pathlib import Path

SPEC = """\
kind: metric
name: cafe
title: Café
group: outcome
better: higher
value: size(target & final.cart) / size(target)
"""


def make(folder: Path) -> None:
    """Write `bad.yaml`."""
    (folder / "bad.yaml").write_bytes(SPEC.encode("latin-1"))
