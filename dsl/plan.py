"""A plan on disk: canonical JSON lines, the contract between compiler and runtime.

Line 1 is the header; then one line per catalog, `{"catalog": …}`, one per store that has records, `{"records": …}`, and one per trial.
Keys are sorted, there are no floats:
money is in minor units, probabilities are decimal text. The digest of a plan is the SHA-256 of its bytes.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

FORMAT = 1
TRIAL = '{"beats":['
"""How the line of a trial begins; keys are sorted, and only trials begin with a list of beats."""
_ID = b'"trial":"'


RESERVED = frozenset(
    [
        "function_call", "functions", "messages", "model", "n", "response_format", "stream", "stream_options", "tool_choice", "tools",
        "web_search_options",
    ]
)  # fmt: skip
"""Keys of a request to a model that no spec and no plan may set."""


class PlanError(Exception):
    """A plan that cannot be used; the message says why."""


def canonical(data: Any) -> str:
    """Canonical JSON: sorted keys, no spaces, no floats (a ValueError)."""
    return _ENCODER.encode(data)


_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def digest(data: Any) -> str:
    """SHA-256 of the canonical JSON, in hex."""
    return sha256(canonical(data).encode()).hexdigest()


@dataclass
class Plan:
    """A plan that has been opened: its header, catalogs, and where its trials are."""

    path: Path
    digest: str
    header: dict[str, Any]
    catalogs: dict[str, dict[str, Any]] = field(default_factory=dict)
    records: dict[str, dict[str, Any]] = field(default_factory=dict)

    def trials(self) -> Iterator[dict[str, Any]]:
        """The trials, one after the other, without holding them all."""
        with self.path.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                if line.startswith(TRIAL):
                    yield json.loads(line)

    @cached_property
    def ids(self) -> dict[str, int]:
        """Where in the file the line of each trial begins, in the order of the plan."""
        result: dict[str, int] = {}
        place = 0
        with self.path.open("rb") as file:
            for line in file:
                if line.startswith(TRIAL.encode()):
                    start = line.rindex(_ID) + len(_ID)
                    result[line[start : line.index(b'"', start)].decode()] = place
                place += len(line)
        return result

    def called(self, name: str) -> list[str]:
        """The trial with this id, or the trials of the case with this name, with or without its package."""
        if name in self.ids:
            return [name]
        cases = ((t["trial"], t.get("case") or "") for t in self.trials())
        return [id for id, case in cases if name in (case, case.partition(".")[2] or None)]

    def trial(self, id: str) -> dict[str, Any] | None:
        """The line of one trial, or None where the plan has no such trial."""
        place = self.ids.get(id)
        if place is None:
            return None
        with self.path.open("rb") as file:
            file.seek(place)
            data: dict[str, Any] = json.loads(file.readline())
            return data


def open_plan(path: Path) -> Plan:
    """A plan from disk, checked to be whole and of this format; raises PlanError."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise PlanError(f"{path} is not a file")
        with path.open("rb") as file:
            return _read(path, file)
    except IsADirectoryError:
        raise PlanError(f"{path} is a folder, not a plan") from None
    except OSError as error:
        raise PlanError(f"cannot read {path}: {error.strerror}") from None


def _read(path: Path, file: Any) -> Plan:
    total = sha256()
    header: dict[str, Any] | None = None
    catalogs: dict[str, dict[str, Any]] = {}
    records: dict[str, dict[str, Any]] = {}
    trials = 0
    for raw in file:
        total.update(raw)
        if header is None:
            header = _header(path, raw)
        elif raw.startswith(b'{"catalog"'):
            name, catalog = _part(path, raw, "catalog")
            catalogs[name] = catalog
        elif raw.startswith(b'{"records"'):
            name, data = _part(path, raw, "records")
            records[name] = data["tables"]
        else:
            trials += 1
    if header is None:
        raise PlanError(f"{path} is empty")
    expected = sum(c["trials"] for c in header["cohorts"].values())
    if trials != expected:
        raise PlanError(f"{path} holds {trials} trials of {expected}: it was cut; compile it again")
    return Plan(path, total.hexdigest(), header, catalogs, records)


def _part(path: Path, raw: bytes, what: str) -> tuple[str, dict[str, Any]]:
    try:
        part = json.loads(raw)[what]
        return str(part["name"]), part
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PlanError(f"{path} has {what} that cannot be read; it was edited or damaged, compile it again") from None


def _header(path: Path, raw: bytes) -> dict[str, Any]:
    try:
        data = json.loads(raw)
        version = data["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PlanError(f"{path} is not a plan of shopdsl") from None
    if version != FORMAT:
        raise PlanError(f"{path} has format {version}, and this shopdsl reads {FORMAT}; compile it again")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", str(data.get("suite"))):
        raise PlanError(f"{path} names no suite; it was edited or damaged, compile it again")
    missing = next((k for k in _PARTS if not isinstance(data.get(k), dict)), None)
    if missing is not None or not all(isinstance(c, dict) and isinstance(c.get("trials"), int) for c in data["cohorts"].values()):
        raise PlanError(f"{path} has no usable `{missing or 'cohorts'}`; it was edited or damaged, compile it again")
    return data  # type: ignore[no-any-return]


_PARTS = ("cohorts", "stores", "personas", "beats", "reveals", "customers", "metrics", "rubrics")
