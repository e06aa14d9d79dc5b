"""One run of the compiler over a workspace: finds documents, resolves references, and keeps what was compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from shopdsl.compiler.inherit import inherit
from shopdsl.compiler.packages import STD, Document, Workspace
from shopdsl.compiler.shape import check_complete
from shopdsl.dsl.diagnostics import Sink, codes, nearest
from shopdsl.dsl.tree import Mapping, Node, Scalar, Sequence, plain

T = TypeVar("T")


class Unit:
    """The workspace, the findings, and each document compiled once."""

    def __init__(self, workspace: Workspace, sink: Sink) -> None:
        self.workspace, self.sink = workspace, sink
        self._bodies: dict[int, Mapping] = {}
        self._done: dict[tuple[str, int], Any] = {}
        self._files: dict[str, Any] = {}

    def documents(self, kind: str, package: str | None = None) -> list[Document]:
        """All documents of a kind, of one package or of all, by name."""
        found = [d for p in self.workspace.packages for (k, _), d in p.documents.items() if k == kind]
        return sorted((d for d in found if package in (None, d.package)), key=lambda d: (d.package, d.name))

    def visible(self, kind: str, package: str) -> list[Document]:
        """What an unqualified name in a package can mean: the documents of `std`, then its own."""
        own = self.documents(kind, package)
        names = {d.name for d in own}
        return [d for d in self.documents(kind, STD) if d.name not in names] + own if package != STD else own

    def body(self, document: Document) -> Mapping:
        """The document's mapping, merged with what it extends; what a whole document lacks is reported once."""
        key = id(document.node)
        if key not in self._bodies:
            body, whole = inherit(document, self.workspace, self.sink)
            self._bodies[key] = body
            if whole:
                partial = document.node.get("extends") is not None
                check_complete(document.kind, body, document.span, partial, self.sink)
        return self._bodies[key]

    def lineage(self, document: Document) -> list[str]:
        """The names of a document and of all that it extends: what is meant for one of them is meant for it."""
        names = [document.name]
        seen = {id(document.node)}
        while True:
            reference = document.node.get("extends")
            base = self.workspace.find(document.kind, reference.text, document.package) if isinstance(reference, Scalar) else None
            if base is document:
                base = self.workspace.find(document.kind, f"{STD}.{document.name}", document.package)
            if base is None or id(base.node) in seen:
                return names
            seen.add(id(base.node))
            names.append(base.name)
            document = base

    def compiled(self, compile: Callable[[Unit, Document], T], document: Document) -> T:
        """A document compiled by a function, once."""
        key = (f"{compile.__module__}.{compile.__qualname__}", id(document.node))
        if key not in self._done:
            self._done[key] = compile(self, document)
        result: T = self._done[key]
        return result

    def text_file(self, name: str, read: Callable[[], T]) -> T:
        """A data file, read once."""
        if name not in self._files:
            self._files[name] = read()
        result: T = self._files[name]
        return result

    def resolve(self, kind: str, reference: Node | None) -> Document | None:
        """The document that a scalar names; one that is not there is reported."""
        if not isinstance(reference, Scalar):
            return None
        package = self.workspace.owner(reference.span)
        found = self.workspace.find(kind, reference.text, package)
        if found is None:
            known = self.workspace.names(kind, package)
            help = nearest(reference.text, known) or (
                f"there are: {', '.join(known[:10])}" if known else f"define a {kind} of this name"
            )
            self.sink.add(codes.UNRESOLVED, f"there is no {kind} `{reference.text}`", reference.span, help)
        return found


def entries(node: Node | None) -> list[tuple[Scalar, Node]]:
    """The entries of a mapping in sorted order of their keys (their order in the file means nothing)."""
    return sorted(node.entries, key=lambda e: e[0].text) if isinstance(node, Mapping) else []


def ordered_entries(node: Node | None) -> list[tuple[Scalar, Node]]:
    """The entries of a `draw` or `let`, whose order means something."""
    return node.entries if isinstance(node, Mapping) else []


def items(node: Node | None) -> list[Node]:
    """The members of a sequence; a single value stands for a list of one."""
    if isinstance(node, Sequence):
        return node.items
    return [] if node is None else [node]


def value(node: Node | None, default: Any = None) -> Any:
    """A node as plain data, or a default."""
    return default if node is None else plain(node)


def text(node: Node | None, default: str = "") -> str:
    """A scalar's text, or a default."""
    return node.text if isinstance(node, Scalar) else default


def number(node: Node | None, default: float = 0.0) -> float:
    """A number or percentage; what is not one was reported with the shape."""
    raw = text(node)
    try:
        return float(raw[:-1]) / 100 if raw.endswith("%") else float(raw)
    except ValueError:
        return default


def decimal_text(node: Node | None, default: str = "0") -> str:
    """A number or percentage as canonical decimal text, for a plan."""
    from decimal import Decimal, InvalidOperation

    raw = text(node)
    try:
        exact = Decimal(raw[:-1]) / 100 if raw.endswith("%") else Decimal(raw)
    except InvalidOperation:
        return default
    shown = format(exact.normalize(), "f")
    return shown
