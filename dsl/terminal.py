"""Texts of others on a terminal: control characters would move the cursor or change colours, so they are shown and not sent."""

from __future__ import annotations

import unicodedata


def clean(text: str, keep: str = "") -> str:
    """A text whose control characters (but those to `keep`) are replaced."""
    return text if text.isprintable() else "".join(c if c.isprintable() or c in keep else "\ufffd" for c in text)


def columns(text: str) -> int:
    """How wide a text is on a terminal: signs of Chinese take two columns."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def padded(text: str, width: int) -> str:
    """A clean text with spaces up to a width in columns."""
    shown = clean(text)
    return shown + " " * (width - columns(shown))
