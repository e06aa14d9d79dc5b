"""Trees of files without a finding, kept on disk: parsing and checking the same text again takes ten times as long.

A file with findings is always read afresh, so that no message ever comes from the cache. What is kept is sealed with the text it was
read from and with all that read it; whatever does not fit its seal, or is no tree of that text, is as good as not there.
"""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from shopdsl.dsl.cache import cache_folder, keep_bytes, kept_bytes
from shopdsl.dsl.diagnostics import Code, Sink
from shopdsl.dsl.read import MAX_BYTES, MAX_DEPTH
from shopdsl.dsl.source import Source, Span
from shopdsl.dsl.tree import Mapping, Node, Scalar, Sequence

MOST = 16 * MAX_BYTES
"""A tree that takes more bytes than this is not kept."""
LIBRARIES = ("ruamel.yaml", "jsonschema", "referencing")
STYLES = ("", "'", '"', "|", ">")
OURS = ("dsl/*.py", "dsl/diagnostics/*.py", "dsl/schemas/*.json", "compiler/kept.py", "compiler/packages.py", "compiler/shape.py")


class Heard(Sink):
    """Passes findings on at once, and keeps them to tell whether there were any."""

    def __init__(self, outer: Sink) -> None:
        super().__init__()
        self._outer = outer

    def add(self, code: Code, message: str, span: Span | None = None, help: str = "") -> None:
        super().add(code, message, span, help)
        self._outer.add(code, message, span, help)


def kept(path: Path, role: str, source: Source) -> list[Node] | None:
    """The documents of a file in which nothing was found when the same text was read for the same `role`; else None."""
    data = kept_bytes(_place(path, role), MOST)
    if data is None:
        return None
    seal, _, body = data.partition(b"\n")
    if seal != _seal(role, source, body):
        return None
    try:
        return [_node(row, source, 0) for row in json.loads(body)]
    except (ValueError, TypeError, RecursionError):
        return None


def keep(path: Path, role: str, source: Source, nodes: list[Node]) -> None:
    """Keep the documents of a file in which nothing was found."""
    body = json.dumps([_row(node) for node in nodes], separators=(",", ":")).encode()
    seal = _seal(role, source, body)
    if seal is not None and len(body) < MOST - len(seal):
        keep_bytes(_place(path, role), seal + b"\n" + body)


def _place(path: Path, role: str) -> Path:
    """A file has one place for each role, so that the cache does not grow while the file is edited."""
    name = blake2b(os.fsencode(f"{role}\0{os.path.abspath(path)}"), digest_size=20).hexdigest()
    return cache_folder() / "read" / f"{name}.json"


def _seal(role: str, source: Source, body: bytes) -> bytes | None:
    reader = _reader()
    if reader is None:
        return None
    read = blake2b(f"{reader}\0{role}\0{source.text}".encode()).digest()
    return blake2b(body, key=read, digest_size=20).hexdigest().encode()


@cache
def _reader() -> str | None:
    """All that a tree and its findings depend on beside the text, or None where that cannot be told."""
    total = blake2b(sys.version.encode(), digest_size=20)
    try:
        for part in (*map(_ours, OURS), *map(_library, LIBRARIES)):
            if not part:
                return None
            total.update(b"\0".join(part) + b"\0")
    except (OSError, ImportError):
        return None
    return total.hexdigest()


def _ours(pattern: str) -> list[bytes]:
    """Files of this program, by name and content."""
    root = Path(__file__).resolve().parents[1]
    return [blake2b(p.read_bytes()).digest() + os.fsencode(p.name) for p in sorted(root.glob(pattern))]


def _library(name: str) -> list[bytes]:
    """Files of a library, by name, size and time: to ask for its version takes longer."""
    spec = find_spec(name)
    folders = (spec and spec.submodule_search_locations) or ()
    files = sorted((e for f in folders for e in os.scandir(f) if e.is_file()), key=lambda e: e.path)
    return [os.fsencode(f"{e.name}\0{e.stat().st_size}\0{e.stat().st_mtime_ns}") for e in files]


def _row(node: Node) -> list[Any]:
    """A node as plain data; a scalar that stands in the text just as it is read needs no text of its own."""
    start, end = node.span.start, node.span.end
    match node:
        case Sequence(items):
            return [start, end, [_row(item) for item in items]]
        case Mapping(entries):
            return [start, end, [_row(key) for key, _ in entries], [_row(value) for _, value in entries]]
    if node.style == "" and node.text == node.span.source.text[start:end]:
        return [start, end]
    return [start, end, node.text, node.style]


def _node(row: Any, source: Source, depth: int) -> Node:
    """The node of a row; raises ValueError or TypeError where a row is none."""
    start, end, *rest = row
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= len(source.text) or depth > MAX_DEPTH:
        raise ValueError
    span = Span(source, start, end)
    match rest:
        case []:
            return Scalar(source.text[start:end], "", span)
        case [str(text), str(style)] if style in STYLES:
            text.encode()  # half a surrogate pair is no text
            return Scalar(text, style, span)
        case [list(items)] if depth < MAX_DEPTH:
            return Sequence([_node(item, source, depth + 1) for item in items], span)
        case [list(keys), list(values)] if depth < MAX_DEPTH:
            return Mapping(_entries(keys, values, source, depth + 1), span)
    raise ValueError


def _entries(keys: list[Any], values: list[Any], source: Source, depth: int) -> list[tuple[Scalar, Node]]:
    """Keys with their values; a key is a scalar, and stands once."""
    names = [key for key in (_node(key, source, depth) for key in keys) if isinstance(key, Scalar)]
    if len({name.text for name in names}) != len(keys):
        raise ValueError
    return list(zip(names, (_node(value, source, depth) for value in values), strict=True))
