"""Digests that say what is the same: of a package's specs, of what agent and customer can see of a trial, of what scores it."""

from __future__ import annotations

from typing import Any

from shopdsl.compiler.packages import Package
from shopdsl.dsl.plan import digest
from shopdsl.dsl.tree import Mapping, Node, Scalar, Sequence

_PROSE = ("doc", "source")


def package_digest(package: Package) -> str:
    """A digest of a package's documents: comments, layout, file names and the order of keys do not count, words for people neither."""
    documents = {f"{kind}/{name}": _content(d.node, top=True) for (kind, name), d in package.documents.items()}
    return digest({"package": package.name, "version": package.version, "documents": documents})


def _content(node: Node, ordered: bool = False, top: bool = False) -> Any:
    match node:
        case Scalar(text, style, _):
            return text if style == "" else ["text", text]
        case Sequence(items):
            return [_content(i) for i in items]
        case Mapping(entries):
            pairs = [
                (k.text, _content(v, ordered=k.text in ("draw", "let", "bind")))
                for k, v in entries
                if not (top and k.text in _PROSE)
            ]
            return {"pairs": [list(p) for p in pairs]} if ordered else dict(pairs)


def trial_digest(trial: dict[str, Any], world: str) -> str:
    """A digest of all that agent and customer can see of a trial; `world` stands for store, beats, reveal plans and persona."""
    return digest({"trial": trial, "world": world})[:24]
