"""What a case expects as the page of a trial shows it: every check, with the arguments of its calls and the fields of its records."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shopdsl.dsl.values import Failed
from shopdsl.runtime.examine import Look
from shopdsl.runtime.expect.found import Check
from shopdsl.runtime.expect.listed import arguments
from shopdsl.runtime.expect.solve import case_values
from shopdsl.runtime.report.changes import field_text
from shopdsl.runtime.report.text import compact

Node = dict[str, Any]


@dataclass(frozen=True)
class Expected:
    """A check; `more` is what of its expectation the check does not name, `counted` whether success depends on its group."""

    check: Check
    more: str
    counted: bool


def expected(look: Look) -> list[Expected]:
    """Every check of a trial, in the order of its case."""
    found = look.names["verdict"].get()
    if found is None:
        return []
    counted = {g.name for g in found.groups if g.counted}
    more = _More(look)
    return [Expected(c, text, c.group in counted) for c, text in zip(found.checks, more.texts(found.checks), strict=True)]


class _More:
    """What expectations say beside the name of a tool or a record."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._names: dict[str, Any] | None = None
        self._nodes: dict[tuple[str, str], list[Node]] = defaultdict(list)
        for group in look.names["own_case"]["expects"]["groups"].values():
            for node in _atoms(group):
                self._nodes[node["op"], _what(node)].append(node)

    def texts(self, checks: list[Check]) -> list[str]:
        """The text for each check. Of alternatives only some were looked for: where it is not known which, all are named."""
        keys = [(c.kind, c.what) for c in checks]
        counts, taken = Counter(keys), Counter[tuple[str, str]]()
        found = []
        for key in keys:
            nodes = self._nodes.get(key, [])
            own = nodes[taken[key] :][:1] if counts[key] == len(nodes) else nodes
            taken[key] += 1
            found.append(" or ".join(dict.fromkeys(filter(None, map(self._text, own)))))
        return found

    def _text(self, node: Node) -> str:
        match node["op"]:
            case "call":
                return self._call(node)
            case "in_order" | "never":
                named = [(part["tool"], self._call(part)) for part in node["of"]]
                return "; ".join(f"{tool}: {text}" for tool, text in named if text)
            case "records":
                return "; ".join(f"{r} {k}: {self._fields(r, fields)}" for r, k, fields in node["wanted"] if fields)
        return ""

    def _fields(self, record: str, fields: dict[str, Any]) -> str:
        tables = self._look.trial.store.tables
        return ", ".join(f"{name} = {field_text(tables, record, name, value)}" for name, value in fields.items())

    def _call(self, node: Node) -> str:
        try:
            given = arguments(node, self._known(node))
        except Failed:
            return ""  # the check itself says what cannot be computed
        shown = [f"{k} = {compact(v)}" for k, v in given.items() if k not in node.get("ignore", ())]
        return ", ".join([*shown, *(["to be refused"] if node.get("error") else [])])

    def _known(self, node: Node) -> dict[str, Any]:
        """The names of the case; they are computed only for an argument that is not spelt out."""
        if all(tree[:1] == ["lit"] for tree in node["args"].values()):
            return {}
        if self._names is None:
            trial = self._look.trial
            self._names = {**trial.names, **case_values(self._look.names["own_case"], trial)}
        return self._names


def _atoms(node: Node) -> Iterator[Node]:
    if node["op"] in ("all", "any", "at_least"):
        for part in node["of"]:
            yield from _atoms(part)
    else:
        yield node


def _what(node: Node) -> str:
    """How the check of an expectation is called."""
    match node["op"]:
        case "call":
            return str(node["tool"])
        case "in_order":
            return " → ".join(part["tool"] for part in node["of"])
        case "never":
            return ", ".join(part["tool"] for part in node["of"])
        case "records":
            return ", ".join(f"{record} {key}" for record, key, _ in node["wanted"]) or "unchanged"
    return ""
