"""YAML to nodes: scalars, sequences and mappings that know their place in the file, to the character."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from shopdsl.dsl.offsets import offsets
from shopdsl.dsl.source import Span


@dataclass(slots=True)
class Scalar:
    """A YAML scalar: its text as YAML reads it, how it was written (`style`: plain ' " | >), and where."""

    text: str
    style: str
    span: Span
    _map: list[int] | None = field(default=None, compare=False, repr=False)

    @property
    def content(self) -> Span:
        """Where the text itself stands: without quotes, or from the first line of a block on."""
        return self.within(0, len(self.text)) if self.text else self.span

    def within(self, start: int, end: int) -> Span:
        """The place in the file of characters `start` to `end` of the scalar's text."""
        if self._map is None:
            raw = self.span.source.text[self.span.start : self.span.end]
            self._map = [self.span.start + o for o in offsets(raw, self.text, self.style)]
        if not self._map:
            return self.span
        last = len(self._map) - 1
        if start > last:
            return Span(self.span.source, self._map[last] + 1, self._map[last] + 1)
        return Span(self.span.source, self._map[start], self._map[min(max(end - 1, start), last)] + 1)


@dataclass(slots=True)
class Sequence:
    """A YAML sequence."""

    items: list[Node]
    span: Span


@dataclass(slots=True)
class Mapping:
    """A YAML mapping; keys are scalars, in the order of the file, duplicates already reported and dropped."""

    entries: list[tuple[Scalar, Node]]
    span: Span

    def get(self, name: str) -> Node | None:
        """The value of a key, or None."""
        return next((value for key, value in self.entries if key.text == name), None)

    def key(self, name: str) -> Scalar | None:
        """The key itself, for its place."""
        return next((key for key, _ in self.entries if key.text == name), None)

    def __iter__(self) -> Iterator[tuple[Scalar, Node]]:
        return iter(self.entries)


Node = Scalar | Sequence | Mapping


def removes(node: Node) -> bool:
    """Is this the `null` by which a document takes a key out of what it extends?"""
    return isinstance(node, Scalar) and node.style == "" and node.text in ("null", "~")


def pruned(node: Node) -> Node:
    """A node without the keys that it only removes from another."""
    if not isinstance(node, Mapping):
        return node
    return Mapping([(k, pruned(v)) for k, v in node if not removes(v)], node.span)


def plain(node: Node | None) -> object:
    """A node as Python data: plain scalars are typed (`true`, whole and decimal numbers, empty), all else is text."""
    match node:
        case Scalar(text, style, _):
            return typed(text) if style == "" else text
        case Sequence(items):
            return [plain(item) for item in items]
        case Mapping(entries):
            return {key.text: plain(value) for key, value in entries}
        case None:
            return None


def typed(text: str) -> object:
    """A plain scalar's value: bool, whole number, decimal number, None for empty, `null` or `~`, else its text."""
    if text in ("true", "false"):
        return text == "true"
    if text in ("", "null", "~"):
        return None
    if len(text) > 30:
        return text
    body = text[1:] if text[:1] in "+-" else text
    if body.isascii() and body.isdigit():
        return int(text)
    whole, dot, part = body.partition(".")
    if dot and (whole + part).isascii() and (whole + part).isdigit() and (not whole or whole.isdigit()):
        return float(text)
    return text
