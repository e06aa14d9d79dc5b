"""What `run` finds out before anything is played, written or paid for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import CORNER
from tests.end_to_end.modelled import shopdsl
from tests.endpoint import serving, shopper

MODELS = """
kind: model
name: euro
model: euro-1
price: {input: 1, output: 2, currency: EUR}
---
kind: model
name: dollar
model: dollar-1
price: {input: 1, output: 2}
limits: {requests_per_minute: 100000}
---
kind: model
name: free
model: free-1
---
kind: agent
name: euro
model: euro
---
kind: agent
name: dollar
model: dollar
---
kind: agent
name: free_agent
model: free
---
kind: judge
name: by_dollar
by: dollar
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan: Path) -> Path:
    """The small package with some models, and its plan."""
    package = Path(shutil.copytree(CORNER, tmp_path / "corner"))
    (package / "models.yaml").write_text(MODELS, "utf-8")
    (package / "build").mkdir(exist_ok=True)
    shutil.copy(plan, package / "build" / "daily.plan.jsonl")
    monkeypatch.chdir(package)
    return package


AT = ["--endpoint", "http://127.0.0.1:9/v1"]
REFUSED = {
    "two currencies": (["--agent", "euro", "--judge", "by_dollar", *AT], "the models of one run have prices in EUR and USD"),
    "two agents, two currencies": (["--agent", "euro", "--agent", "dollar", *AT], "in EUR and USD; give them in one currency"),
    "a limit without a price": (["--agent", "free_agent", "--max-cost", "1", *AT], "--max-cost needs to know what `free` costs"),
    "no address": (["--agent", "euro"], "a model needs an address: `--endpoint URL`"),
    "an address for nobody": (
        ["--agent", "euro", *AT, "--endpoint", "eruo=http://127.0.0.1:9/v1"],
        "no model `eruo` is asked; those that are: euro",
    ),
    "a model as an agent": (
        ["--agent", "free", *AT],
        "`free` is a model; write an agent that it plays: `kind: agent`, `model: free`",
    ),
    "a misspelt agent": (["--agent", "baselin"], "there is no agent `baselin`; did you mean `baseline`?"),
    "a misspelt second agent": (
        ["--agent", "baseline", "--agent", "silnt", "-o", "runs/two"],
        "there is no agent `silnt`; did you mean `silent`?",
    ),
    "a misspelt customer": (["--customer", "scriptd"], "there is no customer `scriptd`; did you mean `scripted`?"),
    "one agent twice": (
        ["--agent", "silent", "--agent", "silent", "-o", "runs/two"],
        "two agents would be recorded in runs/two/silent",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_begun_leaves_nothing_behind(folder: Path, name: str) -> None:
    options, message = REFUSED[name]
    done = shopdsl("run", *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
    assert not (folder / "runs").exists()


def test_a_run_folder_is_found_before_the_first_of_two_agents_plays(folder: Path) -> None:
    assert shopdsl("run", "--agent", "silent", "-o", "two/silent", "--limit", "1").exit_code == 0
    done = shopdsl("run", "--agent", "baseline", "--agent", "silent", "-o", "two", "--limit", "1")
    assert done.exit_code == 2
    assert "two/silent holds a run already" in done.stderr
    assert not (folder / "two" / "baseline").exists()


def test_a_folder_of_several_runs_names_them(folder: Path) -> None:
    shopdsl("run", "--agent", "baseline", "--agent", "silent", "-o", "two", "--limit", "1")
    done = shopdsl("run", "--resume", "two")
    assert done.exit_code == 2
    assert "it holds the runs baseline, silent, of which one can be gone on with" in done.stderr
    beside = shopdsl("run", "--agent", "oracle", "-o", "two", "--limit", "1")
    assert (beside.exit_code, "two holds the runs baseline, silent; name another folder" in beside.stderr) == (2, True)
    several = shopdsl("run", "--resume", "two/silent", "--agent", "silent", "--agent", "baseline")
    assert (several.exit_code, "a run folder has one agent" in several.stderr) == (2, True)


def requests(output: str) -> int:
    """How many the agent is expected to make, by what a dry run prints."""
    line = next(line for line in output.splitlines() if line.strip().startswith("agent ") and "dollar" in line.split())
    return int(line.split()[2].replace(",", ""))


def test_a_dry_run_foresees_what_would_be_played(folder: Path) -> None:
    dry = ["run", "--agent", "dollar", "--dry-run"]
    whole, twice = requests(shopdsl(*dry).stdout), requests(shopdsl(*dry, "--repeat", "2").stdout)
    parts = [requests(shopdsl(*dry, "--shard", f"{i}/3").stdout) for i in (1, 2, 3)]
    assert (twice, sum(parts)) == (2 * whole, whole)
    with serving(shopper) as endpoint:
        shopdsl("run", "--agent", "dollar", "--endpoint", endpoint.url, "-o", "run")
    records = folder / "run" / "records.jsonl"
    lines = records.read_bytes().splitlines(keepends=True)
    records.write_bytes(b"".join(lines[:5]))
    left = shopdsl("run", "--resume", "run", "--agent", "dollar", "--dry-run")
    assert "agent dollar: 15 trials" in left.stdout
    assert requests(left.stdout) < whole
    assert records.read_bytes() == b"".join(lines[:5])


def test_shards_may_have_limits_and_prices_of_their_own(folder: Path) -> None:
    with serving(shopper) as endpoint:
        assert shopdsl("run", "--agent", "dollar", "--endpoint", endpoint.url, "-o", "s1", "--shard", "1/2").exit_code == 0
        (folder / "models.yaml").write_text(MODELS.replace("100000", "50000"), "utf-8")
        assert shopdsl("run", "--agent", "dollar", "--endpoint", endpoint.url, "-o", "s2", "--shard", "2/2").exit_code == 0
    done = shopdsl("merge", "s1", "s2", "-o", "whole")
    assert done.exit_code == 0, done.stderr
    assert len((folder / "whole" / "records.jsonl").read_bytes().splitlines()) == 20


def test_what_models_took_is_said_for_each_agent_and_for_the_judge(folder: Path) -> None:
    with serving(shopper) as endpoint:
        options = [
            "--agent",
            "dollar",
            "--agent",
            "free_agent",
            "--endpoint",
            endpoint.url,
            "--limit",
            "2",
            "--events",
            "events.jsonl",
        ]
        done = shopdsl("run", *options, "-o", "two")
    assert done.exit_code == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("models, for agent and customer: ")]
    ends = [json.loads(line) for line in (folder / "events.jsonl").read_text("utf-8").splitlines()]
    counts = [e["usage"]["requests"] for e in ends if e["event"] == "run_finished"]
    assert [int(line.split()[5].replace(",", "")) for line in said] == counts
    assert sum(counts) == len(endpoint.requests)
