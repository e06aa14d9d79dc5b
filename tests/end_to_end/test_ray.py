"""Trials on a Ray cluster of several processes: the same records as in one process, also when a worker is killed while it plays."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Shop

WAITS = """
import json, sys, time
for line in sys.stdin:
    if json.loads(line)["type"] != "start":
        time.sleep(0.15)
        print(json.dumps({"type": "say", "text": "One moment."}), flush=True)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A cluster on loopback; what a run must have in its environment to join it."""
    ray = str(Path(sys.executable).with_name("ray"))
    with socket.create_server(("127.0.0.1", 0)) as found:
        address = f"127.0.0.1:{found.getsockname()[1]}"
    here = ["--node-ip-address", "127.0.0.1", "--port", address.partition(":")[2]]
    quiet = ["--include-dashboard=false", "--disable-usage-stats", "--object-store-memory", "100000000"]
    command = [ray, "start", "--head", "--block", *here, "--num-cpus", "3", *quiet]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        cwd=tmp_path_factory.mktemp("ray"),
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "started" in line and "runtime" in line:
            break
    else:
        pytest.fail("the cluster did not start")
    yield {"RAY_ADDRESS": address}
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="module")
def waits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that takes its time, in a folder of its own."""
    folder = tmp_path_factory.mktemp("waits")
    (folder / "waits.py").write_text(WAITS, "utf-8")
    path = folder / "waits.yaml"
    path.write_text("kind: agent\nname: waits\ncommand: [python3, waits.py]\n", "utf-8")
    return path


def test_a_cluster_gives_the_records_of_one_process_also_when_a_worker_is_killed(
    shop: Shop, tmp_path: Path, plan: Path, waits: Path, cluster: dict[str, str]
) -> None:
    command = ["run", str(plan), "--agent", str(waits), "--limit", "12"]
    ray = ["--executor", "ray", "--workers", "2", "--concurrency", "2", "--events", "events.jsonl", "-o", "far"]
    process = subprocess.Popen(
        [sys.executable, "-m", "shopdsl.cli", *command, *ray],
        cwd=tmp_path, env={**os.environ, **cluster}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    records = tmp_path / "far" / "records.jsonl"
    deadline = time.monotonic() + 120
    while not (records.exists() and records.read_bytes().count(b"\n") >= 2):
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    os.kill(workers()[0], signal.SIGKILL)
    out, err = process.communicate(timeout=180)
    assert process.returncode == 0, err
    assert "12 of 12 trials" in out
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text("utf-8").splitlines()]
    assert any(e["event"] == "worker_died" for e in events)
    assert sum(e["event"] == "trial_finished" for e in events) == 12
    assert not any(e["event"] == "trial_lost" for e in events)
    assert shop(*command, "-o", "near").returncode == 0
    assert records.read_bytes() == (tmp_path / "near" / "records.jsonl").read_bytes()


def workers() -> list[int]:
    """The processes of the cluster that play trials."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cmdline").read_bytes().startswith(b"ray::Worker"):
                found.append(int(entry.name))
        except OSError:  # it has ended meanwhile
            continue
    return found


def test_a_cluster_that_is_too_small_is_named(shop: Shop, plan: Path, cluster: dict[str, str]) -> None:
    many = shop("run", plan, "-o", "many", "--executor", "ray", "--workers", "50", env=cluster)
    assert many.returncode == 2
    assert "the Ray cluster has 3 CPUs, and 50 workers need one each; ask for fewer with --workers" in many.stderr


def test_without_a_cluster_the_error_says_how_to_start_one(shop: Shop, plan: Path) -> None:
    done = shop("run", plan, "-o", "run", "--executor", "ray", env={"RAY_ADDRESS": "127.0.0.1:9"})
    assert done.returncode == 2
    assert "start one with `ray start --head`, or set RAY_ADDRESS" in done.stderr


def test_workers_are_those_of_a_cluster(shop: Shop, plan: Path) -> None:
    done = shop("run", plan, "--workers", "2")
    assert done.returncode == 2
    assert "--executor ray" in done.stderr
