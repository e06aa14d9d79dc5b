"""Diagnostics as text, JSON, GitHub annotations or SARIF."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from shopdsl.dsl.diagnostics.codes import CODES
from shopdsl.dsl.diagnostics.diagnostic import Diagnostic
from shopdsl.dsl.source import Span
from shopdsl.dsl.terminal import clean

ALIKE = 10
"""So many warnings of one code are shown to people; errors are all shown."""


def text(found: Sequence[Diagnostic]) -> str:
    """For people: message, place, the source line with carets, and help; of many warnings of one code the first few."""
    seen: Counter[str] = Counter()
    parts = []
    for d in found:
        seen[d.code.id] += 1
        if d.is_error or seen[d.code.id] <= ALIKE:
            parts.append(_one(d))
    kinds = {d.code.id for d in found if not d.is_error}
    parts += [
        f"… and {seen[k] - ALIKE} more of {k}; `shopdsl check --format json` lists them all"
        for k in sorted(kinds)
        if seen[k] > ALIKE
    ]
    return "\n\n".join(parts) + ("\n" if found else "")


def _one(d: Diagnostic) -> str:
    kind = "error" if d.is_error else "warning"
    parts = [f"{kind}[{d.code.id}]: {clean(d.message)}"]
    if d.span:
        parts += [f"  --> {d.span}", *(_excerpt(d.span) if d.span.source.text else ())]
    if d.help:
        parts.append(f"  = help: {clean(d.help)}")
    return "\n".join(parts)


def _excerpt(span: Span) -> list[str]:
    line, column, end_line, end_column = span.place
    shown = span.source.line(line)
    start = max(0, column - 100) if len(shown) > 160 else 0
    end = end_column if end_line == line else len(shown) + 1
    margin = f"{line:>5} | "
    carets = "^" * max(1, min(end, start + 160) - column)
    pad = "".join("\t" if c == "\t" else " " for c in shown[start : column - 1])
    return [margin + clean(shown[start : start + 160], keep="\t"), " " * 6 + "| " + pad + carets]


def as_data(found: Sequence[Diagnostic]) -> list[dict[str, object]]:
    """For programs: one mapping a finding, lines and columns from 1."""
    return [_data(d) for d in found]


def _data(d: Diagnostic) -> dict[str, object]:
    line, column, end_line, end_column = d.span.place if d.span else (1, 1, 1, 1)
    return {
        "code": d.code.id,
        "severity": "error" if d.is_error else "warning",
        "file": d.span.source.path if d.span else "",
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "message": d.message,
        "help": d.help,
    }


def github(rows: Sequence[dict[str, object]]) -> str:
    """GitHub workflow commands, one a line; `path` of a row is the file as seen from the current folder."""
    return "".join(
        f"::{r['severity']} file={_property(str(r['path']))},line={r['line']},col={r['column']},endLine={r['end_line']},"
        f"endColumn={r['end_column']},title={r['code']}::{_escape(str(r['message']))}\n"
        for r in rows
    )


def _property(value: str) -> str:
    return _escape(value).replace(":", "%3A").replace(",", "%2C")


def _escape(message: str) -> str:
    return message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def sarif(rows: Sequence[dict[str, object]], version: str) -> str:
    """SARIF 2.1.0, one run."""
    used = sorted({str(r["code"]) for r in rows})
    driver = {
        "name": "shopdsl",
        "version": version,
        "rules": [{"id": c, "shortDescription": {"text": CODES[c].title}} for c in used],
    }
    results = [_result(r) for r in rows]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _result(r: dict[str, object]) -> dict[str, object]:
    region = {"startLine": r["line"], "startColumn": r["column"], "endLine": r["end_line"], "endColumn": r["end_column"]}
    place = {"physicalLocation": {"artifactLocation": {"uri": r["path"]}, "region": region}}
    return {"ruleId": r["code"], "level": r["severity"], "message": {"text": r["message"]}, "locations": [place]}
