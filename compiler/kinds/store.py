"""`store`: a catalog, a toolset, and a way to search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shopdsl.compiler.expressions import template
from shopdsl.compiler.kinds.toolset import Toolset, compile_toolset
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, text, value
from shopdsl.dsl.tree import Mapping
from shopdsl.dsl.vocabulary import scope


@dataclass(frozen=True)
class Store:
    """A compiled store; the catalog is made later, by `compiler/catalog.py`."""

    name: str
    package: str
    catalog: Document | None
    toolset: Toolset | None
    data: dict[str, Any]


def compile_store(unit: Unit, document: Document) -> Store:
    """Resolves catalog and toolset, and checks the text that is searched."""
    body = unit.body(document)
    catalog = unit.resolve("catalog", body.get("catalog"))
    tools = unit.resolve("toolset", body.get("toolset"))
    toolset = unit.compiled(compile_toolset, tools) if tools else None
    search = body.get("search")
    node = search if isinstance(search, Mapping) else None
    data = {
        "catalog": catalog.name if catalog else None,
        "toolset": toolset.data if toolset else None,
        "system": text(body.get("system"), "You are the assistant of a web shop."),
        "search": {
            "engine": text(node.get("engine")) if node else "lexical",
            "limit": value(node.get("limit"), 50) if node else 50,
            "text": template(node.get("text"), scope("search"), unit.sink).tree if node else ["tmpl", []],
        },
    }
    return Store(document.name, document.package, catalog, toolset, data)
