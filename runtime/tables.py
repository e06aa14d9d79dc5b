"""Records as tables for analysis: one row a trial, and one row an event, in Parquet; memory does not grow with their number."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shopdsl.runtime.agents.protocol import AgentFault, clean
from shopdsl.runtime.examine import LOST, Examiner, Look, readable
from shopdsl.runtime.manifest import RunBroken

ROWS, RECORDS = 10_000, 1_000
"""So many rows, or those of so many records, are held before they are written."""
ROLES, SPENT = ("agent", "customer"), ("requests", "input", "output", "cached", "reasoning")

Row = dict[str, Any]


def trial_schema(examiner: Examiner) -> Any:
    """The columns of the table of trials; what a metric means stands in the metadata of its column."""
    import pyarrow as pa

    text, whole, number = pa.string(), pa.int64(), pa.float64()
    about = [
        ("trial", text), ("cohort", text), ("repeat", whole), ("task", text), ("tier", text), ("difficulty", whole), ("reveal", text),
        ("case", text), ("turn_budget", whole), *((f"persona_{d}", text) for d in dimensions(examiner)), ("end_reason", text),
        ("end_detail", text), ("turns", whole), ("calls", whole), ("wanted", whole), ("reachable", whole), ("unfaithful", whole),
        ("cart", text), ("order", text),
    ]  # fmt: skip
    spent = [(f"{r}_{k}", whole) for r in ROLES for k in SPENT] + [(f"{r}_cost", number) for r in ROLES]
    metrics = [pa.field(f"metric_{name}", number, metadata=_said(m.data)) for name, m in examiner.metrics.items()]
    return pa.schema([*(pa.field(*c) for c in [*about, *spent]), *metrics, pa.field("unscored", pa.list_(text))])


def _said(metric: Row) -> dict[str, str]:
    return {k: str(metric[k]) for k in ("title", "group", "better", "unit")}


def event_schema() -> Any:
    """The columns of the table of events; arguments and results are JSON."""
    import pyarrow as pa

    text, whole = pa.string(), pa.int64()
    return pa.schema(
        [
            ("trial", text), ("cohort", text), ("repeat", whole), ("at", whole), ("turn", whole), ("type", text), ("text", text),
            ("tool", text), ("args", text), ("result", text), ("error", text), ("query", text), ("product", text),
            ("quantity", whole), ("finds", pa.list_(text)), ("cart", text), ("order", text), ("frustration", whole),
            ("beats", pa.list_(text)), ("directives", pa.list_(text)), ("rationale", text), ("stop", text),
        ]
    )  # fmt: skip


def dimensions(examiner: Examiner) -> list[str]:
    """The dimensions of all personas of a plan."""
    return sorted({d for p in examiner.world.header["personas"].values() for d in p["dimensions"]})


def trial_row(look: Look) -> Row:
    """One trial: what was drawn, how it ended, what it took, and its metrics (none where one does not apply, or was not told)."""
    record, data, seen = look.record, look.trial.data, look.examiner.summary(look)
    values = {} if seen.reason in LOST else look.values
    return {
        **{k: record[k] for k in ("trial", "cohort", "repeat", "task")},
        **{k: data["drawn"].get(k) for k in ("tier", "difficulty")},
        **{k: data.get(k) for k in ("reveal", "case", "turn_budget")},
        **{f"persona_{k}": v for k, v in data["persona"].items()},
        **{f"end_{k}": record["end"].get(k) for k in ("reason", "detail")},
        "turns": len(look.names["turns"]),
        "calls": sum(e["type"] == "call" for e in record["events"]),
        **dict(zip(("reachable", "wanted"), _reachable(record), strict=True)),
        "unfaithful": len(look.unfaithful),
        "cart": _json(record["final"]["cart"]),
        "order": record["final"].get("order"),
        **_spent(record.get("usage", {})),
        **{f"metric_{k}": None if v is None or v != v else v for k, v in values.items()},
        "unscored": sorted(seen.failures),
    }


def _reachable(record: Row) -> tuple[int, int]:
    ranks = record.get("ceiling", [])
    return sum(r > 0 for r in ranks), len(ranks)


def _spent(usage: Row) -> Row:
    found: Row = {}
    for role, used in usage.items():
        found |= {f"{role}_{k}": used.get(k, 0) for k in SPENT} | {f"{role}_cost": float(used.get("cost", 0))}
    return {k: v for k, v in found.items() if k.rpartition("_")[0] in ROLES}


def event_rows(look: Look) -> Iterator[Row]:
    """The events of a trial; a turn begins with a message of the customer."""
    record, beats = look.record, look.trial.itinerary
    turn = 0
    for at, event in enumerate(record["events"]):
        turn += event["type"] == "customer"
        yield {
            **{k: record[k] for k in ("trial", "cohort", "repeat")},
            **{k: event.get(k) for k in ("type", "text", "tool", "error", "query", "product", "quantity", "finds")},
            **{k: event.get(k) for k in ("frustration", "directives", "rationale", "stop")},
            **{k: _json(event.get(k)) for k in ("args", "result", "cart", "order")},
            "beats": [beats[b]["beat"] for b in event["beats"]] if event["type"] == "customer" else None,
            "at": at,
            "turn": turn,
        }


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)


@dataclass
class Table:
    """A file that rows are added to; those of one trial are whole, or none of them is taken."""

    path: Path
    schema: Any
    _batches: list[Any] = field(default_factory=list)
    _rows: int = 0
    _writer: Any = None

    def batch(self, rows: list[Row]) -> Any:
        """Rows in columns; an error of pyarrow, a ValueError or TypeError, where a value is not what its column holds."""
        import pyarrow as pa

        return pa.RecordBatch.from_pylist(clean(rows), schema=self.schema)

    def add(self, batch: Any) -> None:
        """Write the batch, together with others, for the more rows stand together the better they are packed."""
        self._batches.append(batch)
        self._rows += batch.num_rows
        if self._rows >= ROWS or len(self._batches) >= RECORDS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self._writer = self._writer or parquet.ParquetWriter(self.path, self.schema, compression="zstd")
        if self._rows:
            self._writer.write_table(pa.Table.from_batches(self._batches, self.schema))
        self._batches, self._rows = [], 0

    def close(self) -> None:
        """Write what is left."""
        self._flush()
        self._writer.close()


@dataclass
class Tables:
    """The tables of one run."""

    trials: Table
    events: Table

    @classmethod
    def at(cls, trials: Path, events: Path, examiner: Examiner, about: dict[str, str]) -> Tables:
        """New files; `about` says in both of them where they come from."""
        return cls(Table(trials, trial_schema(examiner).with_metadata(about)), Table(events, event_schema().with_metadata(about)))

    def take(self, look: Look) -> Callable[[], None]:
        """The rows of a record; what is given writes them. Raises RunBroken where it cannot be read."""
        trial = look.trial.id
        try:
            with readable(trial):
                made = self.trials.batch([trial_row(look)]), self.events.batch(list(event_rows(look)))
        except AgentFault as error:
            raise RunBroken(f"the record of trial {trial} cannot be read: {error}") from None

        def write() -> None:
            self.trials.add(made[0])
            self.events.add(made[1])

        return write

    def close(self) -> None:
        """Write what is left."""
        self.trials.close()
        self.events.close()
