"""Text to nodes: strict YAML, every finding reported with its place, nothing executed and nothing shared."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

from shopdsl.dsl.diagnostics import Sink, codes
from shopdsl.dsl.source import Source, Span
from shopdsl.dsl.tree import Mapping, Node, Scalar, Sequence

MAX_BYTES = 2_000_000
MAX_DEPTH = 40


def read_source(path: Path, shown: str, sink: Sink) -> Source | None:
    """The text of a file, or None (reported) where it cannot be read as UTF-8 of a sane size."""
    nowhere = Span(Source(shown, ""), 0, 0)
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            sink.add(codes.UNREADABLE, "this is not a regular file", nowhere, "specs are files; remove it or rename it")
            return None
        size = status.st_size
        if size > MAX_BYTES:
            help = f"split it: a file of specs holds at most {MAX_BYTES:,} bytes"
            sink.add(codes.TOO_LARGE, f"this file is too large: it has {size:,} bytes", nowhere, help)
            return None
        data = path.read_bytes()
    except OSError as error:
        sink.add(codes.UNREADABLE, f"cannot read this file: {error.strerror or error}", nowhere, "check its permissions")
        return None
    return decode(data, shown, sink)


def decode(data: bytes, shown: str, sink: Sink) -> Source | None:
    """UTF-8 bytes as a source; a byte order mark is dropped, other encodings are reported."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = len(data[: error.start].decode("utf-8", "replace"))
        source = Source(shown, data[:MAX_BYTES].decode("utf-8", "replace"))
        span = Span(source, start, start + 1)
        sink.add(codes.NOT_UTF8, f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8", span, "save the file as UTF-8")
        return None
    return Source(shown, text)


def read_documents(source: Source, sink: Sink) -> list[Node]:
    """The documents of a source; one that is broken is reported, and those before it are kept."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    builder = _Builder(source, sink)
    try:
        for event in YAML(typ="safe", pure=True).parse(source.text):
            builder.feed(event)
    except _TooDeep:
        pass
    except MarkedYAMLError as error:
        _report(error, source, sink)
    except (OverflowError, ValueError) as error:  # an escape past Unicode
        sink.add(codes.YAML_SYNTAX, f"an escape names no character: {error}", Span(source, 0, 1), "write the character itself")
    except YAMLError as error:
        offset = getattr(error, "position", 0) or 0
        span = Span(source, offset, offset + 1)
        sink.add(codes.YAML_SYNTAX, _first_line(str(error)), span, "remove the character; YAML allows printable ones only")
    return builder.documents


class _TooDeep(Exception):
    pass


class _Builder:
    """Builds nodes from parser events without recursion, so that depth is ours to limit."""

    def __init__(self, source: Source, sink: Sink) -> None:
        self.source, self.sink = source, sink
        self.documents: list[Node] = []
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node] = {}

    def feed(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "ScalarEvent":
            self._check(event)
            if not event.value.isascii() and any("\ud800" <= c <= "\udfff" for c in event.value):
                self.sink.add(
                    codes.YAML_SYNTAX, "half a surrogate pair is no text", self._span(event), "write the character itself"
                )
                event.value = event.value.encode("utf-8", "replace").decode()
            scalar = Scalar(event.value, _style(event), self._span(event))
            if event.anchor is not None:
                self._anchors[str(event.anchor)] = scalar
            self._emit(scalar)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._open(event, kind == "MappingStartEvent")
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._close(event)
        elif kind == "AliasEvent":
            help = "write the value out, or use `extends`"
            self.sink.add(codes.ANCHOR, f"the alias `*{event.anchor}` is not allowed", self._span(event), help)
            self._emit(self._anchors.get(str(event.anchor)) or Scalar("", "", self._span(event)))

    def _check(self, event: Any) -> None:
        if event.anchor is not None:
            help = "remove it; `extends` is the way to reuse a document"
            self.sink.add(codes.ANCHOR, f"the anchor `&{event.anchor}` is not allowed", self._first_word(event), help)
        if event.tag is not None and str(event.tag) not in ("!", "None"):
            help = "remove it; types come from the language, not from tags"
            self.sink.add(codes.TAG, f"the tag `{_short(str(event.tag))}` is not allowed", self._first_word(event), help)

    def _open(self, event: Any, is_mapping: bool) -> None:
        self._check(event)
        if len(self._stack) >= MAX_DEPTH:
            self.sink.add(codes.TOO_DEEP, f"more than {MAX_DEPTH} levels of nesting", self._span(event), "flatten the document")
            raise _TooDeep
        self._stack.append(_Open(is_mapping, event.start_mark.index, event.anchor))

    def _close(self, event: Any) -> None:
        top = self._stack.pop()
        span = Span(self.source, top.start, max(top.start, event.end_mark.index))
        node = Mapping(top.entries, span) if top.is_mapping else Sequence(top.items, span)
        if top.anchor is not None:
            self._anchors[str(top.anchor)] = node
        self._emit(node)

    def _emit(self, node: Node) -> None:
        if not self._stack:
            self.documents.append(node)
            return
        top = self._stack[-1]
        if not top.is_mapping:
            top.items.append(node)
        elif top.pending is None:
            top.pending = self._key(node)
        else:
            self._entry(top, top.pending, node)
            top.pending = None

    def _key(self, node: Node) -> Scalar:
        if isinstance(node, Scalar):
            return node
        self.sink.add(codes.KEY_NOT_TEXT, "a key must be text", node.span, "quote the value if it begins with `{` or `[`")
        return Scalar("", "", node.span)

    def _entry(self, top: _Open, key: Scalar, value: Node) -> None:
        if key.text == "<<" and key.style == "":
            self.sink.add(codes.MERGE_KEY, "the merge key `<<` is not allowed", key.span, "use `extends`")
        elif key.text in top.names:
            first = top.names[key.text].span
            message = f"`{key.text}` stands twice in this mapping, first in line {first.place[0]}"
            self.sink.add(codes.DUPLICATE_KEY, message, key.span, "remove one of the two")
        else:
            top.names[key.text] = key
            top.entries.append((key, value))

    def _span(self, event: Any) -> Span:
        return Span(self.source, event.start_mark.index, event.end_mark.index)

    def _first_word(self, event: Any) -> Span:
        start = event.start_mark.index
        end = start
        while end < len(self.source.text) and not self.source.text[end].isspace():
            end += 1
        return Span(self.source, start, end)


class _Open:
    """A mapping or sequence that is still being read."""

    __slots__ = ("anchor", "entries", "is_mapping", "items", "names", "pending", "start")

    def __init__(self, is_mapping: bool, start: int, anchor: Any) -> None:
        self.is_mapping, self.start, self.anchor = is_mapping, start, anchor
        self.items: list[Node] = []
        self.entries: list[tuple[Scalar, Node]] = []
        self.names: dict[str, Scalar] = {}
        self.pending: Scalar | None = None


def _style(event: Any) -> str:
    return event.style if event.style in ("'", '"', "|", ">") else ""


def _short(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!")


def _first_line(message: str) -> str:
    return message.strip().splitlines()[0]


def _report(error: Any, source: Source, sink: Sink) -> None:
    mark = error.problem_mark or error.context_mark
    offset = mark.index if mark is not None else 0
    span = Span(source, offset, min(offset + 1, len(source.text)))
    problem = _first_line(str(error.problem or error.context or "not YAML"))
    line = source.line(span.place[0])
    if source.text[offset : offset + 1] == "\t" or line[: len(line) - len(line.lstrip())].count("\t"):
        sink.add(codes.TAB, "a tab cannot indent YAML", span, "use spaces")
        return
    sink.add(codes.YAML_SYNTAX, problem, span, _advice(problem, line))


def _advice(problem: str, line: str) -> str:
    if "mapping values are not allowed" in problem:
        return "quote the value: `: ` inside a plain text starts a new key"
    if "cannot start any token" in problem or "found character" in problem:
        return "quote the value: it begins with a character that means something in YAML"
    if "{{" in line or "]" in line or "}" in line:
        return "quote an expression that begins with `[` or `{`"
    return "check the indentation and the quotes of this line and of the one above"
