"""A run folder and its manifest: which files it holds, what was to be played in it and by whom, and which part of that."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

FORMAT = 1
RECORDS, MANIFEST, PLAN, TIMINGS, ANSWERS, LOSSES = (
    "records.jsonl", "manifest.json", "plan.jsonl", "timings.jsonl", "answers.jsonl", "lost.jsonl",
)  # fmt: skip
FILES = (MANIFEST, RECORDS, PLAN, TIMINGS, ANSWERS, LOSSES)
MOST_TRIALS = 20_000_000


class RunBroken(Exception):
    """A run folder that cannot be used; the message says why."""


def check_free(folder: Path) -> None:
    """Raises RunBroken where a folder holds a run."""
    if (folder / MANIFEST).exists():
        raise RunBroken(f"{folder} holds a run already; name another folder, or go on with --resume {folder}")


def create_run(folder: Path, plan: Path, manifest: dict[str, Any]) -> None:
    """A new run folder with its manifest and a copy of the plan; raises RunBroken where it holds a run."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check_free(folder)
        if plan.resolve() != (folder / PLAN).resolve():  # the plan may lie in the folder already
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
