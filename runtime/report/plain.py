"""Texts of others on a terminal: control characters would move the cursor or change colours, so they are shown and not sent."""

from __future__ import annotations


def clean(text: str) -> str:
    """A text without control characters."""
    return "".join(c if c.isprintable() else "�" if ord(c) < 32 or 127 <= ord(c) < 160 else " " for c in text)
