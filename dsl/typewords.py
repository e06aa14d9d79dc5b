"""Types in words, for messages."""

from __future__ import annotations

from shopdsl.dsl import types as t
from shopdsl.dsl.types import Type


def article(kind: Type) -> str:
    """A type in words, with its article."""
    text = "nothing (none)" if kind == t.NONE else _plain(kind)
    if text in ("money", "text", "nothing (none)") or text.startswith(("money ", "text ")):
        return text
    return ("an " if text[0] in "aeiou" else "a ") + text


def _plain(kind: Type) -> str:
    match kind:
        case t.Basic("int"):
            return "whole number"
        case t.Optional(of):
            return f"{_plain(of)} or none"
        case t.Record(name) if name.startswith("record "):
            return "record"
        case t.Record(name) if name.startswith("row "):
            return f"row of {name[4:]}"
        case t.Record(name) if name.startswith("table "):
            return f"table ({name[6:]})"
        case t.Many(kind_, of):
            return f"{kind_} of {_plain(of)}"
    return str(kind)
