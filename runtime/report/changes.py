"""What calls of a trial changed in records: every field with its value before and after."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from shopdsl.dsl.entities import Tables, foreign
from shopdsl.dsl.values import Money
from shopdsl.runtime.report.text import compact
from shopdsl.runtime.world import Trial

MONEY = ("money", {"optional": "money"})


@dataclass(frozen=True)
class Change:
    """A record that a call changed, and its fields as name, value before and value after; a new one had none before."""

    record: str
    key: str
    new: bool
    fields: list[tuple[str, str, str]]


class Records:
    """The records of a trial while its events are read."""

    def __init__(self, trial: Trial) -> None:
        opening = trial.opening().records
        self._tables, self._now = opening.tables, dict(opening.changed)

    def changes(self, event: dict[str, Any]) -> list[Change]:
        """What a call changed."""
        return [self._change(str(record), str(key), data) for record, key, data in event.get("records", ())]

    def _change(self, record: str, key: str, data: Any) -> Change:
        old, new = self._before(record, key), data if isinstance(data, dict) else {"": data}
        self._now[record, key] = new
        names = [n for n in {**old, **new} if old.get(n) != new.get(n)]
        texts = [[field_text(self._tables, record, n, data.get(n)) for data in (old, new)] for n in names]
        return Change(record, key, not old, [(n, was, now) for n, (was, now) in zip(names, texts, strict=True)])

    def _before(self, record: str, key: str) -> dict[str, Any]:
        found = self._now.get((record, key)) or self._tables.data.get(record, {}).get(key)
        return found if isinstance(found, dict) else {}


def field_text(tables: Tables, record: str, name: str, value: Any) -> str:
    """The value of a field as people write it; one that does not fit, in a record that was edited, as it stands there."""
    shape = tables.shapes.get(record)
    if value is None or shape is None or name not in shape.fields:
        return "none" if value is None else compact(value)
    kind = shape.fields[name].kind
    try:
        return (
            str(Money(Decimal(value) / 100, tables.currency)) if kind in MONEY else compact(foreign(value, kind, tables.shapes))
        )
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        return compact(value)
