"""Joins run folders that hold shards of one run into one that holds the whole of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from shopdsl.runtime.manifest import (
    ANSWERS,
    LOSSES,
    PLAN,
    RECORDS,
    TIMINGS,
    RunBroken,
    create_run,
    inventory,
    lasting,
    read_manifest,
)
from shopdsl.runtime.record import not_a_record, parse_record, record_lines
from shopdsl.runtime.recording import in_order

LOCAL = ("agent_argument", "customer_argument", "machine", "python", "shard")
"""Of a manifest what may differ between shards; the first one's is kept."""


def merge(folders: Sequence[Path], output: Path) -> int:
    """Write the whole run; how many of its trials are missing. Raises RunBroken where folders do not belong together."""
    manifests = [read_manifest(folder) for folder in folders]
    for folder, manifest in zip(folders[1:], manifests[1:], strict=True):
        if (key := _difference(manifests[0], manifest)) is not None:
            raise RunBroken(f"{folders[0]} and {folder} are not shards of one run: they differ in `{key}`")
    whole = {k: v for k, v in manifests[0].items() if k != "format"} | {"shard": None}
    found: set[tuple[str, int]] = set()
    for _ in _lines(folders, found):  # before anything is written
        pass
    create_run(output, folders[0] / PLAN, whole)
    with (output / RECORDS).open("wb") as sink:
        sink.writelines(_lines(folders, set()))
    for name in (TIMINGS, ANSWERS, LOSSES):
        _append(folders, output, name)
    entries = inventory(whole)
    in_order(output, entries)
    return len(set(entries) - found)


def _difference(one: dict[str, Any], other: dict[str, Any]) -> str | None:
    return next((k for k in sorted({*one, *other} - set(LOCAL)) if lasting(one.get(k)) != lasting(other.get(k))), None)


def _lines(folders: Sequence[Path], found: set[tuple[str, int]]) -> Iterator[bytes]:
    """The line of every record, once; its trial and repeat are put into `found`. One that stands in two folders must be the same in both."""
    digests: dict[tuple[str, int], bytes] = {}
    for folder in folders:
        for number, line in record_lines(folder):
            record = parse_record(line)
            if record is None:
                raise RunBroken(not_a_record(folder, number))
            key, digest = (record["trial"], record["repeat"]), sha256(line).digest()
            if digests.setdefault(key, digest) != digest:
                raise RunBroken(f"{folder} has another record of the trial {key[0]}, repeat {key[1]}, than a shard before it")
            if key not in found:
                found.add(key)
                yield line


def _append(folders: Sequence[Path], output: Path, name: str) -> None:
    texts = [path.read_bytes() for folder in folders if (path := folder / name).is_file()]
    if texts:
        (output / name).write_bytes(b"".join(t if t.endswith(b"\n") or not t else t + b"\n" for t in texts))
