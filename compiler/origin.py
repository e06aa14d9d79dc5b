"""Where an imported document comes from: findings about it point into the file of its author, not into what an importer wrote."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from shopdsl.compiler.package_files import package_file
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, entries, value
from shopdsl.dsl.source import Source, Span
from shopdsl.dsl.tree import Mapping, Scalar


@dataclass(frozen=True)
class Origin:
    """The `origin` of a document: a file of its package, the line of the document there, and the lines of its parts."""

    unit: Unit
    document: Document

    @cached_property
    def _node(self) -> Mapping | None:
        node = self.unit.body(self.document).get("origin")
        return node if isinstance(node, Mapping) else None

    @cached_property
    def _source(self) -> Source | None:
        file = self._node.get("file") if self._node else None
        return (
            self.unit.text_file(file.text, lambda: package_file(self.unit, self.document, file))
            if isinstance(file, Scalar)
            else None
        )

    @cached_property
    def _lines(self) -> dict[str, int]:
        lines = {k.text: value(v) for k, v in entries(self._node.get("lines") if self._node else None)}
        whole = value(self._node.get("line")) if self._node else None
        return lines | ({"": whole} if whole else {})

    def check(self) -> None:
        """Report a file that cannot be read."""
        _ = self._source

    def place(self, part: str, span: Span | None) -> Span | None:
        """The line of a part in its file, else of the document, else the given place."""
        number = next((n for k in (part, part.partition(".")[0], "") if (n := self._lines.get(k)) is not None), None)
        if self._source is None or not isinstance(number, int) or not 1 <= number <= self._source.lines:
            return span
        start = self._source.start(number)
        line = self._source.line(number)
        return Span(self._source, start + len(line) - len(line.lstrip()), start + len(line))
