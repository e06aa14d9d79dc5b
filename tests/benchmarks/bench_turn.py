"""What an answer of a model and the calls in it cost beside the request itself, in CPU time: shopdsl, and Inspect AI."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree
from typing import Any

from bench_run import Watched
from endpoint_server import MODEL, endpoint
from inspect_venv import VERSION, inspect_python
from measure import bound, compiled, figure, package, process, skipped, title
from playing import model_agent, opened, patient, play

from shopdsl.runtime.models.clients import Models
from shopdsl.runtime.models.endpoint import Endpoint
from shopdsl.runtime.record import read_records
from shopdsl.runtime.shop.search import Lexical

TRIALS, TURNS, AT_ONCE, TIMES = 20, 6, 16, 5
CALLS = ("search_products", "get_product")
ANSWERS = TURNS * (len(CALLS) + 1)
SPECS = patient("turns", TRIALS, TURNS)


class Bench:
    """A plan, its store, and the endpoint that both sides ask."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder, self.address = folder, address
        self.world = opened(compiled(folder, "turns", folder / "turns.plan.jsonl"))
        (name,) = self.world.header["stores"]
        store = self.world.store(name)
        self.engine = store.engine = Watched(Lexical(store.texts()), time.process_time)

    def ours(self, trials: int = TRIALS) -> float:
        """Seconds of shopdsl for so many trials, searches aside."""
        target = self.folder / "run"
        rmtree(target, ignore_errors=True)
        chosen = [trial for trial, _ in zip(self.world.trials(), range(trials), strict=False)]
        models = Models({MODEL: Endpoint(self.address)})
        searches = self.engine.spent
        spent = cpu(lambda: play(self.world, chosen, model_agent(MODEL), target, models=models, concurrency=AT_ONCE))
        return spent - (self.engine.spent - searches)

    def records(self) -> list[dict[str, Any]]:
        """What the last run recorded, proved to be the answers and calls that are compared."""
        records = list(read_records(self.folder / "run"))
        kinds = [[e["type"] for e in r["events"]] for r in records]
        assert {(k.count("agent"), k.count("call")) for k in kinds} == {(TURNS, TURNS * len(CALLS))}
        assert not any(e.get("error") for r in records for e in r["events"]), "a call was refused"
        return records

    def inspects(self, python: Path, records: list[dict[str, Any]], samples: int = TRIALS) -> float:
        """Seconds of Inspect AI for as many samples, answers and calls; its customers say and its tools give what they did in ours."""
        events = records[0]["events"]
        texts = [e["text"] for e in events if e["type"] == "customer"]
        results = [json.dumps(e["result"]) for e in events if e["type"] == "call"][: len(CALLS)]
        sizes = {"samples": samples, "turns": TURNS, "calls": len(CALLS)}
        job = {**sizes, "texts": texts, "results": results, "log": str(self.folder / "inspect"), "address": self.address}
        (self.folder / "job.json").write_text(json.dumps(job), "utf-8")
        side = Path(__file__).with_name("inspect_side.py")
        return float(process(str(python), str(side), str(self.folder / "job.json"), folder=self.folder).split()[-2])

    def bare(self, bodies: list[dict[str, Any]], plain: bool) -> float:
        """Seconds of the client library alone for as many requests of these bodies; `plain` sends and returns them as they are."""
        return cpu(lambda: asyncio.run(_bare(bodies, self.address, plain)))


async def _bare(bodies: list[dict[str, Any]], address: str, plain: bool) -> None:
    import httpx2
    from openai import AsyncOpenAI

    left = iter(range(TRIALS))

    async def worker(client: AsyncOpenAI) -> None:
        for _ in left:
            for body in bodies:
                if plain:
                    await client.post("/chat/completions", cast_to=httpx2.Response, body=body)
                else:
                    await client.chat.completions.create(**body)

    async with AsyncOpenAI(base_url=address, api_key="none", max_retries=0) as client:
        await asyncio.gather(*(worker(client) for _ in range(AT_ONCE)))


def cpu(call: Callable[[], object]) -> float:
    """CPU time of one call, in all threads of this process."""
    started = time.process_time()
    call()
    return time.process_time() - started


def kept(folder: Path, name: str, ask: Callable[[Bench], object]) -> list[dict[str, Any]]:
    """The requests of the last conversation of `ask`, as the endpoint gets them."""
    file = folder / name
    with endpoint(0.0, CALLS, file) as address:
        ask(Bench(folder, address))
    bodies = [json.loads(line) for line in file.read_bytes().splitlines()]
    assert len(bodies) % ANSWERS == 0, f"{len(bodies)} requests, and {ANSWERS} a conversation"
    return bodies[-ANSWERS:]


def main() -> None:
    """Ours and the bare requests, then Inspect and its bare requests."""
    title(f"turn: CPU time of an answer and its calls, {TRIALS} trials with {ANSWERS} answers each, searches aside")
    with package(SPECS) as folder, endpoint(0.0, CALLS) as address:
        bodies = kept(folder, "ours.jsonl", lambda bench: bench.ours(1))
        bench = Bench(folder, address)
        rows = [(bench.ours(), bench.bare(bodies, plain=True)) for _ in range(TIMES)]
        ours, alone = (min(column) for column in zip(*rows, strict=True))
        own = told("shopdsl", ours, alone, bodies)
        beside_inspect(folder, bench, own)


def told(name: str, spent: float, alone: float, bodies: list[dict[str, Any]]) -> float:
    """Print what a side takes; the result is what it takes beyond its requests, in milliseconds an answer."""
    per, bare = (seconds / TRIALS / ANSWERS * 1000 for seconds in (spent, alone))
    figure(f"{name}: an answer", per, "ms")
    figure(f"{name}: its request by the client library alone", bare, "ms")
    figure(f"{name}: beyond the request", per - bare, "ms")
    figure(f"{name}: a request has", sum(len(json.dumps(b)) for b in bodies) / len(bodies) / 1000, "kB")
    return per - bare


def beside_inspect(folder: Path, bench: Bench, own: float) -> None:
    """The same answers and calls by Inspect AI, with its OpenAI-compatible provider."""
    library = f"openai=={version('openai')}"
    python = inspect_python(library)
    if python is None:
        return skipped("Inspect AI", f"inspect-ai {VERSION} and {library} cannot be installed here")
    records = bench.records()
    bodies = kept(folder, "inspects.jsonl", lambda other: other.inspects(python, records, 1))
    rows = [(bench.inspects(python, records), bench.bare(bodies, plain=False)) for _ in range(TIMES)]
    spent, alone = (min(column) for column in zip(*rows, strict=True))
    bound("beyond the request / Inspect's", own / told(f"Inspect AI {VERSION}", spent, alone, bodies), 0.25)


if __name__ == "__main__":
    main()
