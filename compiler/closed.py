"""Names that are texts at run time and a closed list in a package: beats, tools, roles, classes, tiers. A misspelt one is found by the checker."""

from __future__ import annotations

from dataclasses import replace

from shopdsl.compiler.kinds.toolset import compile_toolset
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, entries
from shopdsl.dsl.tree import Mapping
from shopdsl.dsl.types import Enum
from shopdsl.dsl.vocabulary import Scope


def close(unit: Unit, names: Scope, package: str, cohorts: list[Document]) -> Scope:
    """A scope in which such texts are enums, as seen from a package and for some cohorts (none: for any)."""
    tools = [t for d in unit.visible("toolset", package) for t in unit.compiled(compile_toolset, d).data["tools"].items()]
    lists = {
        ("beat", "kind"): ("beat", [d.name for d in unit.visible("beat", package)]),
        ("call", "tool"): ("tool", [name for name, _ in tools]),
        ("call", "class"): ("class of tools", [tool["class"] for _, tool in tools]),
        ("call", "role"): ("role of tools", [tool["role"] for _, tool in tools]),
    }
    for (record, field), (title, members) in lists.items():
        fields = names.records[record]
        names.records[record] = fields | {field: replace(fields[field], type=_enum(title, members))}
    tiers = [k.text for d in cohorts for k, _ in entries(_tables(unit, d).get("tiers"))]
    known = {"reveal": ("reveal plan", [d.name for d in unit.visible("reveal", package)]), "tier": ("tier", tiers)}
    for name, (title, members) in known.items():
        if members and name in names.names:
            names.names[name] = replace(names.names[name], type=_enum(title, members))
    return names


def _tables(unit: Unit, cohort: Document) -> Mapping:
    node = unit.body(cohort).get("tables")
    return node if isinstance(node, Mapping) else Mapping([], cohort.span)


def _enum(title: str, members: list[str]) -> Enum:
    return Enum(title, tuple(sorted(set(members))))
