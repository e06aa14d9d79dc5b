"""Runs that are interrupted, killed, cut into shards or recorded twice: what is recorded stays, what is not is played, and all of it is as in one go."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from shopdsl.cli import cli
from tests.conftest import Shop, records

RUN = [sys.executable, "-m", "shopdsl.cli", "run"]
WAITS = """
import json, sys, time
for line in sys.stdin:
    if json.loads(line)["type"] != "start":
        time.sleep({seconds})
        print(json.dumps({{"type": "say", "text": "One moment."}}), flush=True)
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, plan: Path) -> Path:
    """An unbroken run of the baseline."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    subprocess.run([*RUN, str(plan), "-o", str(folder)], check=True, capture_output=True)
    return folder


def content(folder: Path) -> bytes:
    return (folder / "records.jsonl").read_bytes()


def agent(folder: Path, seconds: float) -> Path:
    """A program that takes its time for every answer, and says the same each time."""
    (folder / "waits.py").write_text(WAITS.format(seconds=seconds), "utf-8")
    path = folder / "waits.yaml"
    path.write_text(f"kind: agent\nname: waits\ncommand: [{sys.executable}, waits.py]\n", "utf-8")
    return path


def begun(tmp_path: Path, plan: Path, seconds: float, at_least: int) -> subprocess.Popen[str]:
    """A run in a process of its own, once so many trials have been recorded."""
    who = agent(tmp_path, seconds)
    arguments = [
        *RUN,
        str(plan),
        "--agent",
        str(who),
        "-o",
        "run",
        "--concurrency",
        "4",
        "--limit",
        "8",
        "--events",
        "events.jsonl",
    ]
    process = subprocess.Popen(arguments, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: count(tmp_path / "run" / "records.jsonl") >= at_least and running(tmp_path) > 0)
    return process


def count(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def running(folder: Path) -> int:
    """How many trials have begun and not ended."""
    path = folder / "events.jsonl"
    names = [json.loads(line)["event"] for line in path.read_text("utf-8").split("\n")[:-1]] if path.exists() else []
    return names.count("trial_started") - names.count("trial_finished") - names.count("trial_lost")


def wait_for(condition: object, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_plays_to_their_end_the_trials_that_have_begun(
    shop: Shop, tmp_path: Path, plan: Path, number: signal.Signals
) -> None:
    process = begun(tmp_path, plan, 0.05, 1)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 4, err
    assert out == ""
    assert "no further trial begins" in err
    assert "stopped: interrupted" in err
    assert "go on with `shopdsl run --resume run --agent " in err
    assert running(tmp_path) == 0
    kept = records(tmp_path / "run")
    assert 1 <= len(kept) < 8
    assert not any(r["end"]["reason"] == "infrastructure" for r in kept.values())
    done = shop("run", "--resume", "run", "--agent", "waits.yaml")
    assert done.returncode == 0, done.stderr
    shop("run", plan, "--agent", "waits.yaml", "-o", "unbroken", "--limit", "8")
    assert content(tmp_path / "run") == content(tmp_path / "unbroken")


def test_a_second_interrupt_waits_for_nothing_and_leaves_no_process(tmp_path: Path, plan: Path) -> None:
    process = begun(tmp_path, plan, 60, 0)
    wait_for(lambda: programs(tmp_path))
    process.send_signal(signal.SIGINT)
    wait_for(lambda: "run_stopping" in (tmp_path / "events.jsonl").read_text("utf-8"))
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    _, err = process.communicate(timeout=30)
    assert time.monotonic() - started < 10
    assert process.returncode == 130, err
    assert "0 of 8 trials are recorded" in err
    assert "Traceback" not in err
    assert not programs(tmp_path)


def programs(folder: Path) -> list[bytes]:
    """The agents that run in a folder."""
    return [command for command in working_in(folder) if b"waits.py" in command]


@pytest.mark.parametrize("seed", range(3))
def test_a_run_that_is_killed_again_and_again_ends_as_an_unbroken_one(tmp_path: Path, plan: Path, whole: Path, seed: int) -> None:
    chance = random.Random(seed)
    command = [*RUN, str(plan), "-o", "run", "--concurrency", "3"]
    for _ in range(3):
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.2, 0.9))
        process.kill()
        process.wait()
        command = [*RUN, "--resume", "run"] if (tmp_path / "run" / "manifest.json").exists() else command
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert content(tmp_path / "run") == content(whole)


def test_a_killed_run_leaves_no_process_behind(tmp_path: Path, plan: Path) -> None:
    """Also where it was killed while its records were scored, by several processes."""
    process = subprocess.Popen(
        [*RUN, str(plan), "-o", "run", "--repeat", "15"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    wait_for(lambda: len(working_in(tmp_path)) > 1)
    process.kill()
    process.wait()
    wait_for(lambda: not working_in(tmp_path), seconds=10)


def working_in(folder: Path) -> list[bytes]:
    """The command lines of all processes whose folder it is."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(entry / "cwd") == str(folder):
                found.append((entry / "cmdline").read_bytes())
        except OSError:  # it has ended meanwhile
            continue
    return found


def test_a_trial_that_was_lost_is_no_record_and_is_played_again(
    tmp_path: Path, plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent at an address where nobody listens: no fault of the agent's, and the run says what to do."""
    monkeypatch.setattr("shopdsl.runtime.models.retry.FIRST_WAIT", 0.01)
    monkeypatch.chdir(tmp_path)
    Path("away.yaml").write_text("kind: agent\nname: away\nhttp: http://127.0.0.1:9/\n", "utf-8")
    done = CliRunner().invoke(cli, ["run", str(plan), "--agent", "away.yaml", "-o", "run", "--limit", "1"])
    assert done.exit_code == 4
    assert content(tmp_path / "run") == b""
    loss = json.loads((tmp_path / "run" / "lost.jsonl").read_text("utf-8"))
    assert (loss["trial"], loss["repeat"], loss["reason"]) == ("daily/0", 0, "infrastructure")
    assert "http://127.0.0.1:9/" in loss["detail"]
    assert "1 trial lost, the last one to: http://127.0.0.1:9/" in done.stderr
    assert "--resume" in done.stderr


def test_shards_joined_are_the_whole_run(shop: Shop, tmp_path: Path, plan: Path, whole: Path) -> None:
    for i in (1, 2, 3):
        assert shop("run", plan, "-o", f"s{i}", "--shard", f"{i}/3").returncode == 0
    assert [count(tmp_path / f"s{i}" / "records.jsonl") for i in (1, 2, 3)] == [7, 7, 6]
    refused = shop("score", "s2")
    assert refused.returncode == 2
    assert "s2 holds shard 2/3 of a run; join all of them with `shopdsl merge`" in refused.stderr
    partly = shop("merge", "s3", "s1", "-o", "partly")
    assert partly.returncode == 4
    assert "7 trials missing" in partly.stderr
    assert shop("run", "--resume", "partly").returncode == 0
    joined = shop("merge", "s3", "s1", "s2", "s1", "-o", "joined")
    assert joined.returncode == 0, joined.stderr
    for name in ("partly", "joined"):
        assert content(tmp_path / name) == content(whole)
        assert (tmp_path / name / "manifest.json").read_bytes() == (whole / "manifest.json").read_bytes()


def test_folders_that_do_not_belong_together_are_not_joined(shop: Shop, tmp_path: Path, plan: Path, whole: Path) -> None:
    shop("run", plan, "-o", "silent", "--shard", "1/2", "--agent", "silent")
    differ = shop("merge", whole, "silent", "-o", "joined")
    assert differ.returncode == 2
    assert "differ in `agent`" in differ.stderr
    other = Path(shutil.copytree(whole, tmp_path / "other"))
    (other / "records.jsonl").write_bytes(content(other).replace(b'"detail":""', b'"detail":"other"', 1))
    unlike = shop("merge", whole, "other", "-o", "joined")
    assert unlike.returncode == 2
    assert "other has another record of the trial daily/0, repeat 0" in unlike.stderr
    assert not (tmp_path / "joined").exists()


@pytest.mark.parametrize("more", [["--limit", "3"], ["--shard", "1/2"], ["--repeat", "2"], ["-o", "there"]])
def test_what_was_settled_when_a_run_began_cannot_be_changed(shop: Shop, whole: Path, more: list[str]) -> None:
    done = shop("run", "--resume", whole, *more)
    assert done.returncode == 2
    assert f"leave out {more[0]}" in done.stderr


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "a/b", "-1/2"])
def test_what_is_no_shard_is_named(shop: Shop, plan: Path, shard: str) -> None:
    done = shop("run", plan, "--shard", shard)
    assert done.returncode == 2
    assert "is not a shard; the first of four is 1/4" in done.stderr


def test_a_folder_is_recorded_by_one_process(shop: Shop, tmp_path: Path, plan: Path) -> None:
    process = begun(tmp_path, plan, 5, 0)
    second = shop("run", "--resume", "run", "--agent", "waits.yaml")
    process.kill()
    process.communicate()
    assert second.returncode == 2
    assert "another shopdsl is recording into run" in second.stderr


def test_a_dry_run_plays_nothing_and_asks_nobody(shop: Shop, tmp_path: Path, plan: Path) -> None:
    (tmp_path / "model.yaml").write_text(
        "kind: model\nname: dear\nmodel: dear-1\nprice: {input: 2, output: 8, currency: EUR}\n---\nkind: agent\nname: dear\nmodel: dear\n",
        "utf-8",
    )
    done = shop("run", plan, "--agent", "model.yaml", "--dry-run", "--repeat", "2", "-o", "run")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "run").exists()
    line = next(line for line in done.stdout.splitlines() if line.strip().startswith("agent ") and "dear" in line.split())
    requests, read, written, price, currency = line.split()[2:]
    figures = [int(n.replace(",", "")) for n in (requests, read, written)]
    assert figures[0] > 2 * 20  # at least one a trial, each of which is played twice
    assert f"{(figures[1] * 2 + figures[2] * 8) / 1e6:,.2f}" == price
    assert currency == "EUR"
