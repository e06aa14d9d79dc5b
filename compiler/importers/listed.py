"""A file of cases, in JSON or YAML: the cases as data, and where they and their fields stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from shopdsl.compiler.importers.writing import ImportFailed, parsed
from shopdsl.dsl import json_text
from shopdsl.dsl.diagnostics import Sink
from shopdsl.dsl.read import read_documents
from shopdsl.dsl.source import Source
from shopdsl.dsl.tree import Mapping, Node, Sequence, plain


class Listing(Protocol):
    """The cases of a file with their places."""

    @property
    def data(self) -> list[Any]:
        """The cases."""

    def line(self, number: int, key: str | None = None) -> int:
        """The line of a case, or of a field of it."""


def read_listing(source: Source, name: str) -> Listing:
    """The cases of a file; one that ends in .yaml or .yml is YAML. Raises ImportFailed."""
    found: Listing = _Yaml.read(source, name) if name.lower().endswith((".yaml", ".yml")) else _Json.read(source, name)
    if not isinstance(found.data, list) or not found.data:
        raise ImportFailed(f"{name} must hold a list of cases")
    return found


@dataclass(frozen=True)
class _Json:
    source: Source
    data: list[Any]
    starts: list[int]

    @classmethod
    def read(cls, source: Source, name: str) -> _Json:
        data = parsed(name, source.text)
        starts = json_text.elements(source.text, source.text.index("[")) if isinstance(data, list) else []
        return cls(source, data, starts)

    def line(self, number: int, key: str | None = None) -> int:
        place = self.starts[number]
        return self.source.position(json_text.locate(self.source.text, (key,), place)[0] if key else place)[0]


@dataclass(frozen=True)
class _Yaml:
    data: list[Any]
    nodes: list[Node]

    @classmethod
    def read(cls, source: Source, name: str) -> _Yaml:
        """Either one document that is a list, or a document for each case."""
        sink = Sink()
        documents = read_documents(source, sink)
        if sink.has_errors:
            first = sink.all()[0]
            line = first.span.place[0] if first.span else 1
            raise ImportFailed(f"{name}:{line}: {first.message}")
        nodes = list(documents[0].items) if len(documents) == 1 and isinstance(documents[0], Sequence) else documents
        return cls([plain(n) for n in nodes], nodes)

    def line(self, number: int, key: str | None = None) -> int:
        node = self.nodes[number]
        found = node.key(key) if key and isinstance(node, Mapping) else None
        return (found or node).span.place[0]
