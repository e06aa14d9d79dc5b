"""Literals of a spec against the types of tools' parameters."""

from __future__ import annotations

from typing import Any


def unlike(kind: Any, given: Any) -> str:
    """What a parameter of a type (as plan data) takes, where a literal cannot be that; else an empty text."""
    match kind:
        case {"optional": inner}:
            return "" if given is None else unlike(inner, given)
        case {"list": inner}:
            return _first(inner, given, "a list of which each member") if isinstance(given, list) else "a list"
        case {"map": inner}:
            return (
                _first(inner, list(given.values()), "a mapping in which each value") if isinstance(given, dict) else "a mapping"
            )
        case {"one_of": members}:
            known = any(given == m and isinstance(given, bool) == isinstance(m, bool) for m in members)
            return "" if known else f"one of {', '.join(str(m).lower() if isinstance(m, bool) else str(m) for m in members)}"
        case {"range": [low, high]}:
            whole = isinstance(given, int) and not isinstance(given, bool)
            return "" if whole and low <= given <= high else f"a whole number from {low} to {high}"
    return _plain(kind, given)


def _first(inner: Any, members: list[Any], words: str) -> str:
    wrong = next((w for m in members if (w := unlike(inner, m))), "")
    return f"{words} is {wrong}" if wrong else ""


def _plain(kind: Any, given: Any) -> str:
    match kind:
        case {"ref": _} | "text" | "duration":
            return "" if isinstance(given, str) else "a text"
        case "int":
            return "" if isinstance(given, int) and not isinstance(given, bool) else "a whole number"
        case "number" | "money":
            return "" if isinstance(given, int | float) and not isinstance(given, bool) else "a number"
        case "bool":
            return "" if isinstance(given, bool) else "true or false"
    return ""
