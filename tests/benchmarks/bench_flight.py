"""A thousand trials in flight against an endpoint that takes its time: is what waits for answers the endpoint alone?"""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

from endpoint_server import MODEL, endpoint, open_files
from measure import bound, compiled, figure, floor, package, peak_megabytes, title
from playing import model_agent, opened, patient, play

from shopdsl.runtime.models.clients import Models
from shopdsl.runtime.models.endpoint import Endpoint
from shopdsl.runtime.record import read_records
from shopdsl.runtime.shop.search import Lexical
from shopdsl.runtime.world import World

FLIGHT, TRIALS, TURNS, DELAY = 1_000, 2_000, 2, 20.0
CALLS = ("search_products",)
ANSWERS = TURNS * (len(CALLS) + 1)
SPECS = patient("flight", TRIALS, TURNS, 1, "batch")


def ready(plan: Path) -> World:
    """A plan whose store can be searched."""
    world = opened(plan)
    for name in world.header["stores"]:
        store = world.store(name)
        store.engine = Lexical(store.texts())
    return world


def requests(world: World, folder: Path) -> list[dict[str, Any]]:
    """The requests of one trial, as the endpoint gets them."""
    kept = folder / "requests.jsonl"
    with endpoint(0.0, CALLS, kept) as address:
        play(world, [next(world.trials())], model_agent(MODEL), folder / "one", models=_models(address))
    return [json.loads(line) for line in kept.read_bytes().splitlines()]


def _models(address: str) -> Models:
    return Models({MODEL: Endpoint(address)})


def ours(world: World, folder: Path, address: str) -> tuple[float, float]:
    """Seconds, wall and CPU, for all trials, so many at once."""
    wall, cpu = time.perf_counter(), time.process_time()
    play(world, world.trials(), model_agent(MODEL), folder / "run", models=_models(address), concurrency=FLIGHT)
    spent = time.perf_counter() - wall, time.process_time() - cpu
    said = [sum(e["type"] != "customer" for e in r["events"]) for r in read_records(folder / "run")]
    assert said == [ANSWERS] * TRIALS, f"{len(said)} trials, answers: {sorted(set(said))}"
    return spent


async def bare(bodies: list[dict[str, Any]], address: str) -> tuple[float, float]:
    """Seconds, wall and CPU, for as many requests of the same bodies by the client library alone, so many at once."""
    import httpx2
    from openai import AsyncOpenAI

    limits = httpx2.Limits(max_connections=FLIGHT, max_keepalive_connections=FLIGHT)
    http = httpx2.AsyncClient(limits=limits, timeout=120)
    trials = iter(range(TRIALS))

    async def worker(client: AsyncOpenAI) -> None:
        for _ in trials:
            for body in bodies:
                answer = await client.chat.completions.create(**body)
                assert answer.choices[0].message.role == "assistant"

    wall, cpu = time.perf_counter(), time.process_time()
    async with AsyncOpenAI(base_url=address, api_key="none", max_retries=0, http_client=http) as client:
        await asyncio.gather(*(worker(client) for _ in range(FLIGHT)))
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Ours first, so that the memory is its own; then the bare loop."""
    title(f"flight: {TRIALS:,} trials, {FLIGHT:,} at once, against an endpoint that answers after {DELAY:g} s")
    open_files()
    count = TRIALS * ANSWERS
    with package(SPECS) as folder:
        world = ready(compiled(folder, "flight", folder / "flight.plan.jsonl"))
        bodies = requests(world, folder)
        assert len(bodies) == ANSWERS, f"a trial has {len(bodies)} requests"
        before = peak_megabytes()
        with endpoint(DELAY, CALLS) as address:
            wall, cpu = ours(world, folder, address)
            memory = peak_megabytes()
            beside, its_cpu = asyncio.run(bare(bodies, address))
    figure("requests of a trial, together", sum(len(json.dumps(b)) for b in bodies) / 1000, "kB")
    figure("answers a second, if nothing but the endpoint took time", FLIGHT / DELAY, "/s")
    figure("answers a second", count / wall, "/s")
    figure("answers a second, the client library alone", count / beside, "/s")
    figure("CPU time an answer", cpu / count * 1000, "ms")
    figure("CPU time an answer, the client library alone", its_cpu / count * 1000, "ms")
    figure("peak memory before the first trial", before, "MB")
    floor("answers a second / the client library alone", beside / wall, 0.85)
    bound("peak memory", memory, 1500, "MB")


if __name__ == "__main__":
    main()
