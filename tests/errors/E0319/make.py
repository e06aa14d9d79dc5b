"""A sum written out by a program instead of with `sum`."""

from __future__ import annotations

from pathlib import Path

SPEC = """\
kind: metric
name: capped
title: Capped
group: outcome
better: higher
value: clip(({terms}) / 1000)
"""


def make(folder: Path) -> None:
    """Write `bad.yaml`."""
    terms = " + ".join(f"calls[{n}].quantity" for n in range(400))
    (folder / "bad.yaml").write_text(SPEC.format(terms=terms), "utf-8")
