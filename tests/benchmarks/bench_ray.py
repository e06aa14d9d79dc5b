"""Four workers of a local Ray cluster beside one, where the endpoint is what bounds them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from endpoint_server import MODEL, endpoint
from measure import compiled, figure, floor, package, title
from playing import patient

TRIALS, EACH, DELAY, PORT = 64, 4, 0.5, "46380"
AGENT = f"kind: model\nname: {MODEL}\nmodel: {MODEL}\n---\nkind: agent\nname: modelled\nmodel: {MODEL}\n"


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """A cluster of one machine whose four CPUs are places for workers, however many cores there are."""
    ray = str(Path(sys.executable).with_name("ray"))
    command = [ray, "start", "--head", "--block", "--node-ip-address", "127.0.0.1", "--port", PORT, "--num-cpus", "4"]
    quiet = ["--include-dashboard=false", "--disable-usage-stats", "--object-store-memory", "100000000"]
    process = subprocess.Popen([*command, *quiet], stdout=subprocess.PIPE, text=True, start_new_session=True, cwd=folder)
    assert process.stdout is not None
    if not any("runtime started" in line for line in process.stdout):
        sys.exit("the cluster did not start")
    try:
        yield f"127.0.0.1:{PORT}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)


def seconds(folder: Path, address: str, served: str, workers: int) -> float:
    """What a run takes once its workers are ready."""
    events = folder / f"events_{workers}.jsonl"
    command = ["run", "spread.plan.jsonl", "--agent", "agent.yaml", "--endpoint", served, "--events", str(events)]
    ray = ["--executor", "ray", "--workers", str(workers), "--concurrency", str(EACH), "-o", f"run_{workers}"]
    environment = {**os.environ, "RAY_ADDRESS": address}
    subprocess.run(
        [sys.executable, "-m", "shopdsl.cli", *command, *ray], cwd=folder, env=environment, check=True, capture_output=True
    )
    end = [e for line in events.read_text("utf-8").splitlines() if (e := json.loads(line))["event"] == "run_finished"]
    assert (end[0]["finished"], end[0]["lost"]) == (TRIALS, 0)
    return float(end[0]["seconds"])


def main() -> None:
    """One worker, then four; both play the same trials."""
    title(f"ray: {TRIALS} trials by one worker and by four, each {EACH} at once, at an endpoint that answers after {DELAY:g} s")
    with package(patient("spread", TRIALS, 2, 1, "batch")) as folder:
        compiled(folder, "spread", folder / "spread.plan.jsonl")
        (folder / "agent.yaml").write_text(AGENT, "utf-8")
        with cluster(folder) as address, endpoint(DELAY, ("search_products",)) as served:
            one, four = (seconds(folder, address, served, n) for n in (1, 4))
        same = (folder / "run_1" / "records.jsonl").read_bytes() == (folder / "run_4" / "records.jsonl").read_bytes()
        assert same, "one worker and four give other records"
    figure("one worker", one, "s")
    figure("four workers", four, "s")
    floor("four workers / one worker, speed", one / four, 3)


if __name__ == "__main__":
    main()
