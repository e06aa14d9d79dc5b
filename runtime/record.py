"""Trial records on disk: a run folder with a manifest, the plan, and one JSON line a finished trial, appended and synced.

Lines end with LF only; U+2028 and U+0085 are text. A torn last line is dropped, and its trial is played again.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

FORMAT = 1
RECORDS, MANIFEST, PLAN, TIMINGS, ANSWERS, LOSSES = (
    "records.jsonl", "manifest.json", "plan.jsonl", "timings.jsonl", "answers.jsonl", "lost.jsonl",
)  # fmt: skip
FILES = (MANIFEST, RECORDS, PLAN, TIMINGS, ANSWERS, LOSSES)

MOST_FRUSTRATED = 10
MOST_TRIALS = 20_000_000


class RunBroken(Exception):
    """A run folder that cannot be used; the message says why."""


def create_run(folder: Path, plan: Path, manifest: dict[str, Any]) -> None:
    """A new run folder with its manifest and a copy of the plan; raises RunBroken where it holds a run."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / MANIFEST).exists():
            raise RunBroken(f"{folder} holds a run already; name another folder, or go on with --resume {folder}")
        shutil.copyfile(plan, folder / PLAN)
        (folder / RECORDS).touch()
        _write(folder / MANIFEST, {"format": FORMAT, **manifest})
    except OSError as error:
        raise RunBroken(f"cannot write {folder}: {error.strerror}") from None


def _write(path: Path, data: dict[str, Any]) -> None:
    partial = path.with_name(path.name + ".part")
    partial.write_text(json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
    os.replace(partial, path)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a run; raises RunBroken, also where a file of the run is a link to somewhere else."""
    for name in FILES:
        if (folder / name).is_symlink():
            raise RunBroken(f"{folder / name} is a link; a run folder holds its own files")
        if (folder / name).exists() and not (folder / name).is_file():
            raise RunBroken(f"{folder / name} is not a file")
    try:
        data: dict[str, Any] = json.loads((folder / MANIFEST).read_text("utf-8"))
    except FileNotFoundError:
        raise RunBroken(f"{folder} holds no run (there is no {MANIFEST})") from None
    except (OSError, ValueError, RecursionError) as error:
        raise RunBroken(f"cannot read {folder / MANIFEST}: {error}") from None
    if not isinstance(data, dict):
        raise RunBroken(f"{folder / MANIFEST} is not a manifest; it was edited or damaged")
    if data.get("format") != FORMAT:
        raise RunBroken(f"{folder} has records of format {data.get('format')}, and this shopdsl reads {FORMAT}")
    wrong = next((k for k, kind in _IN_MANIFEST.items() if not isinstance(data.get(k), kind)), None)
    if wrong is None and not (
        isinstance(data["agent"].get("name"), str) and isinstance(data["agent"].get("builtin"), _TEXT_OR_NONE)
    ):
        wrong = "agent"
    if wrong is None and not (0 < data["repeat"] <= 1000 and _are_trials(data["trials"], data["repeat"])):
        wrong = "trials"
    if wrong is None and not _is_shard(data.get("shard")):
        wrong = "shard"
    if wrong is not None:
        raise RunBroken(f"{folder / MANIFEST} has no usable `{wrong}`; it was edited or damaged")
    return data


def _are_trials(trials: list[Any], repeat: int) -> bool:
    return all(isinstance(t, str) for t in trials) and len(set(trials)) == len(trials) and len(trials) * repeat <= MOST_TRIALS


def _is_shard(shard: Any) -> bool:
    return shard is None or (
        isinstance(shard, list) and len(shard) == 2 and all(type(n) is int for n in shard) and 1 <= shard[0] <= shard[1]
    )


def inventory(manifest: dict[str, Any]) -> list[tuple[str, int]]:
    """Every trial and repeat of a run, or of its shard: each n-th of them, so that shards take about as long."""
    entries = [(t, r) for r in range(manifest["repeat"]) for t in manifest["trials"]]
    shard = manifest.get("shard")
    return entries[shard[0] - 1 :: shard[1]] if shard else entries


def lasting(data: Any) -> Any:
    """Plan data of an agent or a customer without what may change while a run goes on: how fast its model may be asked, and what it costs."""
    if not isinstance(data, dict):
        return [lasting(d) for d in data] if isinstance(data, list) else data
    model = {"limits", "price"} <= set(data)
    return {k: lasting(v) for k, v in data.items() if not (model and k in ("limits", "price"))}


def shard_of(manifest: dict[str, Any]) -> str | None:
    """Which part of a run a folder holds, such as 1/4; None for a whole one."""
    shard = manifest.get("shard")
    return f"{shard[0]}/{shard[1]}" if shard else None


_TEXT_OR_NONE = (str, type(None))
_IN_MANIFEST: dict[str, Any] = {
    "plan": str, "suite": str, "agent": dict, "agent_argument": str, "customer_argument": _TEXT_OR_NONE, "trials": list, "repeat": int,
}  # fmt: skip
_IN_RECORD: dict[str, Any] = {
    "trial": str,
    "cohort": str,
    "task": str,
    "events": list,
    "end": dict,
    "final": dict,
    "repeat": int,
    "says": list,
}
_IN_EVENT: dict[str, dict[str, Any]] = {
    "customer": {
        "text": str, "rationale": str, "frustration": int, "stop": _TEXT_OR_NONE, "beats": list, "asked": list, "due": list,
        "directives": list, "said": list,
    },
    "agent": {"text": str},
    "call": {"tool": str, "finds": list, "error": _TEXT_OR_NONE, "query": _TEXT_OR_NONE, "product": _TEXT_OR_NONE},
}  # fmt: skip


def read_records(folder: Path, problems: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """Every whole record, one after the other; a torn last line is left out.

    A broken line inside is a RunBroken, or, where `problems` is given, named there and passed over.
    """
    for number, line in record_lines(folder):
        record = parse_record(line)
        if record is not None:
            yield record
            continue
        problem = not_a_record(folder, number)
        if problems is None:
            raise RunBroken(problem)
        problems.append(problem)


def record_lines(folder: Path) -> Iterator[tuple[int, bytes]]:
    """Every line of the records with its number; a torn last one is left out."""
    path = folder / RECORDS
    try:
        with path.open("rb") as file:
            yield from ((number, line) for number, line in enumerate(file, 1) if line.endswith(b"\n"))
    except OSError as error:
        raise RunBroken(f"cannot read {path}: {error.strerror}") from None


def not_a_record(folder: Path, number: int) -> str:
    """What is said of a line that cannot be read."""
    return f"{folder / RECORDS}:{number}: this line is not a record; it was edited or damaged"


def parse_record(line: bytes) -> dict[str, Any] | None:
    """The record of a line, or None where it is none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not line.endswith(b"\n"):
        return None
    whole = _has(record, _IN_RECORD) and isinstance(record["end"].get("reason"), str) and _is_cart(record["final"].get("cart"))
    return record if whole and all(_is_event(e) for e in record["events"]) else None


def _has(data: dict[str, Any], kinds: dict[str, Any]) -> bool:
    return all(isinstance(data.get(k), kind) for k, kind in kinds.items())


def _is_cart(cart: Any) -> bool:
    return isinstance(cart, dict) and all(isinstance(n, int) for n in cart.values())


def _is_event(event: Any) -> bool:
    """Has an event what is read of its kind? One of a kind that is not known here is left to who reads it, and named there."""
    return (
        isinstance(event, dict)
        and isinstance(event.get("type"), str)
        and _has(event, _IN_EVENT.get(event["type"], {}))
        and _is_plain(event)
    )


def _is_plain(event: dict[str, Any]) -> bool:
    """What is not read by everybody, where it is there at all."""
    directives, frustration = event.get("directives", []), event.get("frustration", 0)
    return (
        isinstance(event.get("meant", ""), str)
        and all(isinstance(d, str) for d in directives)
        and 0 <= frustration <= MOST_FRUSTRATED
    )


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
