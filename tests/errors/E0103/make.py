"""A spec with two megabytes of pasted notes."""

from __future__ import annotations

from pathlib import Path

SPEC = """\
kind: metric
name: bought
group: outcome
better: higher
value: size(target & final.cart) / size(target)
doc: """


def make(folder: Path) -> None:
    """Write `bad.yaml`."""
    (folder / "bad.yaml").write_bytes((SPEC + "note " * 400_000 + "\n").encode())
