"""One trial as a conversation, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shopdsl.dsl.terminal import clean
from shopdsl.runtime.report.changes import Records
from shopdsl.runtime.report.text import compact, cut
from shopdsl.runtime.world import Trial

LONGEST = 300
"""So many characters of a result are shown."""


def conversation(record: dict[str, Any], trial: Trial) -> Iterator[str]:
    """The lines of a record: messages, calls with what came of them and what they changed, and the end."""
    end = record["end"]
    yield f"trial {record['trial']}: {end['reason']}" + (f" ({clean(end['detail'])})" if end["detail"] else "")
    changed = Records(trial)
    for event in record["events"]:
        if event["type"] != "customer" or event["text"]:
            lines = _call(event, changed) if event["type"] == "call" else [_said(event)]
            yield from (clean(line, keep="\n").replace("\n", "\n          ") for line in lines)


def _said(event: dict[str, Any]) -> str:
    if event["type"] == "agent":
        return f"agent     {event['text']}"
    by = f", by the {event['by']}" if "by" in event else ""
    return f"customer  {event['text']}   [frustration {event['frustration']}{by}]"


def _call(event: dict[str, Any], changed: Records) -> Iterator[str]:
    finds = f" -> {', '.join(event['finds'][:5])}" if event["finds"] else ""
    yield f"    > {event['tool']} {compact(event['args'])}" + (f" -> refused: {event['error']}" if event["error"] else finds)
    if event["result"] not in (None, "") and not finds and not event["error"]:
        yield f"      = {cut(compact(event['result']), LONGEST)}"
    for change in changed.changes(event):
        fields = ", ".join(f"{name} {was} → {now}" for name, was, now in change.fields)
        yield f"      {'new ' if change.new else ''}{change.record} {change.key}: {cut(fields, LONGEST)}"


def expectations(names: dict[str, Any]) -> Iterator[str]:
    """What the case of a trial expects: each single thing, whether it holds, and why not."""
    found = names["verdict"].get()
    if found is None:
        return
    counted = {g.name for g in found.groups if g.counted}
    yield "what the case expects" + ("" if found.success else ", and does not find")
    for rule in found.broken:
        yield clean(f"  forbidden: the rule `{rule}` is broken")
    for check in found.checks:
        mark = "yes" if check.ok else "bonus" if check.bonus else "no" if check.group in counted else "no, not counted"
        yield clean(
            f"  {check.group:<7} {check.kind:<13} {check.what[:60]}: {mark}" + (f" — {check.reason}" if check.reason else "")
        )
