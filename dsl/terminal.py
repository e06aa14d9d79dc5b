"""Texts of others on a terminal: control characters would move the cursor or change colours, so they are shown and not sent."""

from __future__ import annotations


def clean(text: str, keep: str = "") -> str:
    """A text whose control characters (but those to `keep`) are replaced."""
    return text if text.isprintable() else "".join(c if c.isprintable() or c in keep else "\ufffd" for c in text)
