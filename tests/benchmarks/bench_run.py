"""What a turn and a tool call cost beside the work itself: shopdsl, Inspect AI with its mock model, and a bare loop."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from shutil import rmtree
from typing import Any

from inspect_venv import VERSION, inspect_python
from measure import bound, compiled, figure, package, process, skipped, title
from playing import agent, opened, patient, play

from shopdsl.runtime.record import read_records
from shopdsl.runtime.shop.search import Engine, Lexical
from shopdsl.runtime.shop.state import State
from shopdsl.runtime.shop.store import Store
from shopdsl.runtime.world import World

TRIALS, TURNS, CALLS, TIMES = 100, 6, 2, 9
SPECS = patient("played", TRIALS, TURNS)


class Watched:
    """An engine that counts the time of its searches: the work of the shop, and nobody's overhead."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.perf_counter) -> None:
        self._engine, self._clock, self.spent = engine, clock, 0.0
        self.nearness, self.score = engine.nearness, engine.score

    def ranked(self, query: str, limit: int, rows: Any = None) -> list[tuple[float, int]]:
        """The engine's own answer."""
        started = self._clock()
        found = self._engine.ranked(query, limit, rows)
        self.spent += self._clock() - started
        return found


def caller(calls: int) -> Callable[[Any], Any]:
    """An agent that makes so many calls a turn, and then says something."""

    def make(start: Any) -> Callable[[Any], Any]:
        ids = count()
        made = 0

        def step(event: Any) -> Any:
            nonlocal made
            made = 0 if event["type"] == "customer" else made + 1
            if made >= calls:
                return {"type": "say", "text": "Here is what I found."}
            if made % 2 == 0:
                query = event["text"][:60] if event["type"] == "customer" else "coffee"
                return {"type": "call", "id": next(ids), "tool": "search_products", "arguments": {"query": query, "top_k": 10}}
            found = event["result"] or [{"product_id": "none"}]
            return {"type": "call", "id": next(ids), "tool": "get_product", "arguments": {"product_id": found[0]["product_id"]}}

        return step

    return make


class Bench:
    """A plan, its store, and folders for runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world: World = opened(compiled(folder, "played", folder / "played.plan.jsonl"))
        (self.store,) = self._stores()
        self.engine = Watched(Lexical(self.store.texts()))
        self.store.engine = self.engine

    def _stores(self) -> Iterator[Store]:
        return (self.world.store(name) for name in self.world.header["stores"])

    def runner(self, calls: int) -> None:
        """All trials by shopdsl, into a fresh run folder."""
        target = self.folder / f"run{calls}"
        rmtree(target, ignore_errors=True)
        play(self.world, self.world.trials(), agent("caller", caller(calls)), target)

    def records(self, calls: int) -> list[dict[str, Any]]:
        """What the last run recorded, proved to be the turns and calls that are compared."""
        records = list(read_records(self.folder / f"run{calls}"))
        kinds = [[e["type"] for e in r["events"]] for r in records]
        assert len(records) == TRIALS
        assert {(k.count("customer"), k.count("call")) for k in kinds} == {(TURNS, TURNS * calls)}
        return records

    def bare(self, records: list[dict[str, Any]]) -> None:
        """The same calls in a plain loop that writes the same lines."""
        with (self.folder / "bare.jsonl").open("wb", buffering=0) as file:
            for record in records:
                state = State()
                for event in record["events"]:
                    if event["type"] == "call":
                        outcome = self.store.call(event["tool"], event["args"], state)
                        event["result"], event["error"] = outcome.result, outcome.error
                _synced(file, record)

    def lines(self, records: list[dict[str, Any]]) -> None:
        """Only the lines."""
        with (self.folder / "lines.jsonl").open("wb", buffering=0) as file:
            for record in records:
                _synced(file, record)

    def own(self, call: Callable[[], object]) -> float:
        """Seconds of a call without the time of its searches."""
        before, started = self.engine.spent, time.perf_counter()
        call()
        return time.perf_counter() - started - (self.engine.spent - before)


def _synced(file: Any, record: dict[str, Any]) -> None:
    file.write(json.dumps(record, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
    os.fsync(file.fileno())


def inspect_seconds(python: Path, folder: Path, calls: int, records: list[dict[str, Any]]) -> float:
    """Seconds of Inspect AI for as many samples, turns and calls; its customers say and its tools give what they did in ours."""
    events = records[0]["events"]
    texts = [e["text"] for e in events if e["type"] == "customer"]
    results = [json.dumps(e["result"]) for e in events if e["type"] == "call"][:2]
    job = {
        "samples": TRIALS,
        "turns": TURNS,
        "calls": calls,
        "texts": texts,
        "results": results,
        "log": str(folder / f"inspect{calls}"),
    }
    (folder / "job.json").write_text(json.dumps(job), "utf-8")
    return float(
        process(str(python), str(Path(__file__).with_name("inspect_side.py")), str(folder / "job.json"), folder=folder).split()[
            -1
        ]
    )


def split(with_calls: float, without: float) -> tuple[float, float]:
    """Milliseconds a turn and a tool call, from a run with calls and one without."""
    return without / TRIALS / TURNS * 1000, (with_calls - without) / TRIALS / TURNS / CALLS * 1000


def main() -> None:
    """Ours, the bare loop, then Inspect."""
    title(f"run: {TRIALS} trials of {TURNS} turns with {CALLS} tool calls each, searches aside")
    with package(SPECS) as folder:
        bench = Bench(folder)
        for calls in (0, CALLS):
            bench.runner(calls)
        records = bench.records(CALLS)
        jobs = [lambda: bench.runner(CALLS), lambda: bench.runner(0), lambda: bench.bare(records), lambda: bench.lines(records)]
        ours, talk, bare, lines = least_own(bench, jobs)
        bench.records(0)
        assert _sorted(folder / "bare.jsonl") == _sorted(folder / f"run{CALLS}" / "records.jsonl"), "the loop wrote other lines"
        turn, call = split(ours, talk)
        rows = [
            ("a trial", ours / TRIALS * 1000),
            ("a turn", turn),
            ("a tool call", call),
            ("a trial in the bare loop", bare / TRIALS * 1000),
        ]
        for name, value in [*rows, ("a trial in a loop that only writes the lines", lines / TRIALS * 1000)]:
            figure(name, value, "ms")
        figure("a trial / the bare loop, the lines taken off both", (ours - lines) / (bare - lines), "x")
        bound("a trial / the bare loop", ours / bare, 10)
        beside_inspect(folder, records, (ours, turn, call))


def least_own(bench: Bench, jobs: Sequence[Callable[[], object]]) -> list[float]:
    """The least own time of each job, the jobs taking turns."""
    rows = [[bench.own(job) for job in jobs] for _ in range(TIMES)]
    return [min(column) for column in zip(*rows, strict=True)]


def _sorted(path: Path) -> list[bytes]:
    return sorted(path.read_bytes().splitlines())


def beside_inspect(folder: Path, records: list[dict[str, Any]], ours: tuple[float, float, float]) -> None:
    """The same turns and calls by Inspect AI."""
    python = inspect_python()
    if python is None:
        return skipped("Inspect AI", f"inspect-ai {VERSION} cannot be installed here")
    whole, talk = (inspect_seconds(python, folder, calls, records) for calls in (CALLS, 0))
    turn, call = split(whole, talk)
    for name, value in (
        (f"a sample in Inspect AI {VERSION}", whole / TRIALS * 1000),
        ("a turn there", turn),
        ("a tool call there", call),
    ):
        figure(name, value, "ms")
    bound("a trial / Inspect's sample", ours[0] / whole, 0.1)
    bound("a turn / Inspect's turn", ours[1] / turn, 0.1)
    bound("a tool call / Inspect's tool call", ours[2] / call, 0.1)


if __name__ == "__main__":
    main()
