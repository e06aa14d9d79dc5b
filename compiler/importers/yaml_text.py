"""Data as YAML that this project reads: block style, quotes only where they are needed."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_ ./-]*[A-Za-z0-9_.]|[A-Za-z_]")
_WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])
_WIDE, _KEY = 100, 1000
_ODD = re.compile("[^\t\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""What YAML does not print, or takes for the end of a line."""


def document(data: dict[str, Any]) -> str:
    """One document."""
    return "".join(f"{line}\n" for line in _mapping(data, ""))


def documents(members: list[dict[str, Any]]) -> str:
    """Several documents of one file."""
    return "---\n".join(document(d) for d in members)


def _mapping(data: dict[str, Any], indent: str) -> list[str]:
    lines: list[str] = []
    for key, value in data.items():
        name = scalar(key)
        lines += [f"{indent}? {name}"] if len(name) > _KEY else []
        lines += _entry(f"{indent}:" if len(name) > _KEY else f"{indent}{name}:", value, indent)
    return lines


def _entry(head: str, value: Any, indent: str) -> list[str]:
    flow = _flow(value)
    if flow is not None and (len(head) + len(flow) < _WIDE or flow in ("{}", "[]")):
        return [f"{head} {flow}"]
    if isinstance(value, dict):
        return [head, *_mapping(value, indent + "  ")]
    if isinstance(value, list):
        return [head, *(line for member in value for line in _member(member, indent + "  "))]
    if isinstance(value, str) and _is_block(value):
        mark = "|" if value.endswith("\n") else "|-"
        return [f"{head} {mark}", *(f"{indent}  {line}".rstrip() for line in value.removesuffix("\n").split("\n"))]
    return [f"{head} {scalar(value)}"]


def _member(value: Any, indent: str) -> list[str]:
    flow = _flow(value)
    if flow is not None and len(flow) < _WIDE:
        return [f"{indent}- {flow}"]
    if isinstance(value, dict | list):
        inner = indent + "  "
        first, *rest = _mapping(value, inner) if isinstance(value, dict) else [line for v in value for line in _member(v, inner)]
        return [f"{indent}- {first.lstrip()}", *rest]
    return [f"{indent}- {scalar(value)}"]


def _flow(value: Any) -> str | None:
    """A value on one line; None where a text of it has several."""
    if isinstance(value, dict):
        parts = [(scalar(k), _flow(v)) for k, v in value.items()]
        short = all(v is not None and len(k) <= _KEY for k, v in parts)
        return "{" + ", ".join(f"{k}: {v}" for k, v in parts) + "}" if short else None
    if isinstance(value, list):
        members = [_flow(v) for v in value]
        return "[" + ", ".join(v for v in members if v is not None) + "]" if None not in members else None
    return None if isinstance(value, str) and "\n" in value else scalar(value)


def scalar(value: Any) -> str:
    """A scalar; texts that YAML would read as something else are quoted."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    if isinstance(value, float):
        plain = format(Decimal(repr(value)), "f")
        return plain if "." in plain else plain + ".0"
    return _ODD.sub(_escaped, json.dumps(value, ensure_ascii=False, default=str))


def _is_block(value: str) -> bool:
    """Can a text stand as lines of a block: several, none that begins or ends with what a reader would drop?"""
    lines = value.removesuffix("\n").split("\n")
    clean = all(line == line.rstrip() for line in lines) and not _ODD.search(value)
    return len(lines) > 1 and clean and bool(lines[0][:1].strip()) and bool(lines[-1])


def _escaped(match: re.Match[str]) -> str:
    """The escape of a character."""
    return f"\\u{ord(match[0]):04x}"
