"""Plays trials on a Ray cluster: every worker holds the plan, its engines and its own connections, and plays so many trials at once.

A worker that dies costs no trial: what it was playing is given to another, and it is started anew.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import tempfile
from collections import deque
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from shopdsl.dsl.plan import open_plan
from shopdsl.runtime.agents.external import load_callable
from shopdsl.runtime.agents.spec import AgentSpec
from shopdsl.runtime.cast import Cast
from shopdsl.runtime.customer.script import Script
from shopdsl.runtime.models.clients import Models
from shopdsl.runtime.models.endpoint import Endpoint
from shopdsl.runtime.models.usage import Purse, Usage
from shopdsl.runtime.shop.engines import equip
from shopdsl.runtime.watch import Note, unwatched
from shopdsl.runtime.world import Trial, World

DEATHS = 5
"""A trial that outlives so many workers is itself what kills them."""


NO_CLUSTER = "there is no Ray cluster here; start one with `ray start --head`, or set RAY_ADDRESS"


class NoCluster(Exception):
    """There is no Ray cluster to play on; the message says what to do."""


class WorkersDied(Exception):
    """A trial was being played by one worker after the other when it died."""


@dataclass
class Parts:
    """What a worker is sent: all that a cast is made of, as plain data."""

    plan: bytes
    agent: dict[str, Any]
    customers: dict[str, dict[str, Any]]
    endpoints: dict[str, Endpoint]
    purse: Purse


class Worker:
    """One process of the cluster: a cast that plays what it is asked to."""

    def __init__(self, sent: list[Any]) -> None:
        parts: Parts = _ray().get(sent[0])
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name) / "plan.jsonl"
        path.write_bytes(parts.plan)
        self._world = World(open_plan(path))
        self._events: list[dict[str, Any]] = []
        models = Models(parts.endpoints, parts.purse, self._events.append)
        scripts = {name: Script(data) for name, data in parts.customers.items()}
        agent = AgentSpec(parts.agent, folder=Path.cwd())
        if agent.played["python"]:
            agent.call = load_callable(agent.played["python"], str(Path.cwd()))
        self._cast = Cast(agent, scripts, equip(self._world), models, self._events.append)

    def ready(self) -> bool:
        """Has it been set up?"""
        return True

    async def play(self, trial: str, repeat: int) -> tuple[dict[str, Any] | Exception, list[dict[str, Any]]]:
        """The record of a trial, or what kept it from having one; and what has happened since the last answer."""
        result: dict[str, Any] | Exception
        try:
            data = self._world.plan.trial(trial)
            assert data is not None
            result = await self._cast.play(self._world.trial(data), repeat)
        except Exception as error:  # it is raised where the run is held together
            result = error
        events, self._events[:] = list(self._events), []
        return result, events


@dataclass
class RemoteCast:
    """Plays trials as a cast does, by the workers of a cluster; `each` is how many a worker plays at once."""

    agent: AgentSpec
    parts: Parts
    workers: int
    each: int
    purse: Purse
    note: Note = unwatched
    _free: deque[Any] = field(default_factory=deque)
    _waiting: deque[asyncio.Future[Any]] = field(default_factory=deque)
    _sent: Any = None

    def open(self) -> None:
        """Join the cluster and start the workers; raises NoCluster."""
        ray = _ray()
        os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # what its C++ part says is for its own makers
        _listens(os.environ.get("RAY_ADDRESS") or _known_cluster())
        folder = self.agent.folder if self.agent.played["command"] or self.agent.played["python"] else None
        environment = {"working_dir": str(folder)} if folder else {}
        try:
            ray.init(address="auto", log_to_driver=False, logging_level=logging.ERROR, runtime_env=environment)
        except (ConnectionError, ValueError):
            raise NoCluster(NO_CLUSTER) from None
        cpus = int(ray.cluster_resources().get("CPU", 0))
        if cpus < self.workers:
            raise NoCluster(
                f"the Ray cluster has {cpus} CPUs, and {self.workers} workers need one each; ask for fewer with --workers"
            )
        kind: Any = ray.remote(Worker)
        self._sent = ray.put(self.parts)  # kept as long as workers may have to be started anew
        options = {"max_concurrency": self.each, "max_restarts": -1, "num_cpus": 1}
        workers = [kind.options(**options).remote([self._sent]) for _ in range(self.workers)]
        try:
            ray.get([worker.ready.remote() for worker in workers])
        except ray.exceptions.RayError as error:
            raise NoCluster(f"a worker cannot start: {_last_line(error)}") from None
        self._free.extend(worker for _ in range(self.each) for worker in workers)

    async def play(self, trial: Trial, repeat: int = 0) -> dict[str, Any]:
        """The record of one trial, by whichever worker is free."""
        for _ in range(DEATHS):
            worker = await self._next()
            try:
                result, events = await worker.play.remote(trial.id, repeat)
            except Exception as error:
                if not _died(error):
                    raise
                self.note({"event": "worker_died", "trial": trial.id, "repeat": repeat, "detail": type(error).__name__})
                await asyncio.sleep(0.2)
                continue
            finally:
                self._release(worker)
            self._pay(events)
            if isinstance(result, Exception):
                raise result
            record: dict[str, Any] = result
            return record
        raise WorkersDied(f"{DEATHS} workers died while they played it")

    async def _next(self) -> Any:
        if self._free:
            return self._free.popleft()
        place: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        return await place

    def _release(self, worker: Any) -> None:
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(worker)
                return
        self._free.append(worker)

    def _pay(self, events: list[dict[str, Any]]) -> None:
        """What a worker did is told and paid for here."""
        for event in events:
            if event["event"] == "request":
                self.purse.pay(Usage(**event["usage"]), Decimal(event["cost"]))
            self.note(event)

    async def close(self) -> None:
        """Leave the cluster; its workers end."""
        ray = _ray()
        ray.shutdown()


def _known_cluster() -> str:
    """The address of the cluster that was started here last, where Ray keeps it."""
    path = Path(os.environ.get("RAY_TMPDIR") or "/tmp") / "ray" / "ray_current_cluster"
    return path.read_text("utf-8", "replace").strip() if path.is_file() else ""


def _listens(address: str) -> None:
    """Ray itself waits for minutes where nobody listens; raises NoCluster."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or "/" in host:
        return
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except OSError as error:
        raise NoCluster(f"nobody listens at {address} ({error}); {NO_CLUSTER}") from None


def _ray() -> Any:
    import ray

    return ray


def _last_line(error: Exception) -> str:
    """What went wrong on another machine; above it stands where."""
    return next((line.strip() for line in reversed(str(error).splitlines()) if line.strip()), type(error).__name__)


def _died(error: Exception) -> bool:
    from ray.exceptions import ActorDiedError, ActorUnavailableError, RayActorError, WorkerCrashedError

    return isinstance(error, ActorDiedError | ActorUnavailableError | RayActorError | WorkerCrashedError)


def shared_out(data: Any, workers: int) -> Any:
    """Plan data of an agent or a customer with the limits of its model for one of so many workers, which know nothing of each other."""
    if isinstance(data, list):
        return [shared_out(d, workers) for d in data]
    if not isinstance(data, dict):
        return data
    shared = {k: shared_out(v, workers) for k, v in data.items()}
    if "requests_per_minute" in shared:
        counts = ("requests_per_minute", "tokens_per_minute", "at_once")
        shared |= {k: max(1, shared[k] // workers) for k in counts if shared[k]}
    return shared
