"""`extends`: a document merged with the one it copies. Every node keeps the place where it was written."""

from __future__ import annotations

from shopdsl.compiler.packages import Document, Workspace
from shopdsl.dsl.diagnostics import Sink, codes, nearest
from shopdsl.dsl.tree import Mapping, Node, Scalar, pruned, removes

MAX_CHAIN = 20
_OWN = ("kind", "name", "extends")


def inherit(document: Document, workspace: Workspace, sink: Sink) -> tuple[Mapping, bool]:
    """The merged mapping of a document, and whether all that it extends was found.

    Mappings merge, lists and values are replaced, null removes a key.
    """
    broken: list[Document] = []
    return _merged(document, workspace, sink, (document,), broken), not broken


def _merged(document: Document, workspace: Workspace, sink: Sink, chain: tuple[Document, ...], broken: list[Document]) -> Mapping:
    reference = document.node.get("extends")
    if not isinstance(reference, Scalar):
        broken += [document] if reference is not None else []
        return document.node
    base = workspace.find(document.kind, reference.text, document.package)
    if base is document and "." not in reference.text:
        base = _outer(document, workspace)
    if base is None:
        help = nearest(reference.text, workspace.names(document.kind, document.package))
        sink.add(codes.UNRESOLVED, f"there is no {document.kind} `{reference.text}` to extend", reference.span, help)
        broken.append(document)
        return document.node
    if len(chain) > MAX_CHAIN:
        message = f"more than {MAX_CHAIN} documents extend one another"
        sink.add(codes.EXTENDS_CYCLE, message, reference.span, "extend the last of them directly")
        broken.append(document)
        return document.node
    if base in chain:
        circle = " → ".join(d.name for d in (*chain[chain.index(base) :], base))
        sink.add(codes.EXTENDS_CYCLE, f"these documents extend each other: {circle}", reference.span, "remove one `extends`")
        broken.append(document)
        return document.node
    return _merge(_merged(base, workspace, sink, (*chain, base), broken), document.node, top=True)


def _outer(document: Document, workspace: Workspace) -> Document | None:
    """A document may extend the one of its own name in `std`."""
    return workspace.find(document.kind, f"std.{document.name}", document.package) if document.package != "std" else document


def _merge(base: Mapping, over: Mapping, top: bool = False) -> Mapping:
    entries: list[tuple[Scalar, Node]] = []
    for key, value in base:
        if top and key.text in _OWN:
            continue
        if over.key(key.text) is None:
            entries.append((key, value))
    kept = {key.text: value for key, value in base}
    order = [key.text for key, _ in base]
    merged: dict[str, tuple[Scalar, Node]] = {k.text: (k, v) for k, v in entries}
    for key, value in over:
        old = kept.get(key.text)
        if removes(value):
            merged.pop(key.text, None)
        elif isinstance(value, Mapping) and isinstance(old, Mapping):
            merged[key.text] = (key, _merge(old, value))
        else:
            merged[key.text] = (key, pruned(value))
    names = [*(n for n in order if n in merged), *(n for n in merged if n not in order)]
    return Mapping([merged[n] for n in names], over.span)
