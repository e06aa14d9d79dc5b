"""Records of a run folder, as they are written: appended and synced one by one, by one process, and put in order at the end.

A torn last line is dropped, and its trial is played again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shopdsl.runtime.manifest import LOSSES, RECORDS, TIMINGS, RunBroken
from shopdsl.runtime.record import parse_record, record_lines


class Writer:
    """Appends records; each is on disk before `append` returns. Raises OSError where the disk does not take it, and leaves no torn line.

    A second writer on the same folder is a RunBroken: two processes would play the same trials.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / RECORDS
        self._file = self._path.open("r+b", buffering=0)
        _lock(self._file, folder)
        self._end = _cut_torn(self._path)
        self._file.seek(self._end)
        self._timings = (folder / TIMINGS).open("a", encoding="utf-8", newline="\n")
        self._losses = folder / LOSSES

    def append(self, record: dict[str, Any]) -> None:
        """Write one record; how long it took goes into a file of its own, so that equal trials have equal records."""
        timing = {"trial": record["trial"], "repeat": record.get("repeat", 0), "seconds": round(record["seconds"], 4)}
        body = {k: v for k, v in record.items() if k != "seconds"}
        line = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        try:
            self._whole(line)
        except OSError:
            self._file.truncate(self._end)
            self._file.seek(self._end)
            raise
        self._end += len(line)
        self._timings.write(json.dumps(timing) + "\n")

    def lose(self, loss: dict[str, Any]) -> None:
        """Note why a trial has no record; it is played again when the run is gone on with."""
        with self._losses.open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(loss, ensure_ascii=False) + "\n")

    def _whole(self, line: bytes) -> None:
        view = memoryview(line)
        while view:
            view = view[self._file.write(view) or 0 :]
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()
        self._timings.close()


def _lock(file: Any, folder: Path) -> None:
    """Locks last as long as the file is open, so a killed run leaves none behind; where there are none, nobody is kept out."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RunBroken(f"another shopdsl is recording into {folder}; wait until it has ended") from None
    except OSError:  # a file system without locks
        return


def in_order(folder: Path, inventory: Iterable[tuple[str, int]]) -> None:
    """Put the records of a finished run into the order of its inventory: the same for any concurrency, after a resume, and for merged shards.

    An OSError leaves them as they were.
    """
    places: dict[tuple[str, int], tuple[int, int]] = {}
    offset = 0
    for _, line in record_lines(folder):
        record = parse_record(line)
        if record is not None:
            places.setdefault((record["trial"], record["repeat"]), (offset, len(line)))
        offset += len(line)
    wanted = [places[entry] for entry in inventory if entry in places]
    if [at for at, _ in wanted] == sorted(at for at, _ in places.values()) and len(wanted) == len(places):
        return
    partial = folder / (RECORDS + ".part")
    try:
        with (folder / RECORDS).open("rb") as source, partial.open("wb") as sink:
            for at, length in wanted:
                source.seek(at)
                sink.write(source.read(length))
            sink.flush()
            os.fsync(sink.fileno())
        os.replace(partial, folder / RECORDS)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def _cut_torn(path: Path) -> int:
    """Drop a torn last line; the length of what is whole."""
    data = path.read_bytes() if path.stat().st_size < 1 << 20 else _tail(path)
    size = path.stat().st_size
    torn = len(data) - (data.rfind(b"\n") + 1)
    if torn:
        os.truncate(path, size - torn)
    return size - torn


def _tail(path: Path) -> bytes:
    """The end of a file, from some line's beginning on."""
    with path.open("rb") as file:
        step = 1 << 20
        while True:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - step))
            data = file.read()
            if b"\n" in data or step >= size:
                return data
            step *= 2
