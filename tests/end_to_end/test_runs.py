"""Runs that are cut, resumed, played at once, or have no disk: nothing recorded is lost, and nothing is played twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import Shop, records

RUN = [sys.executable, "-m", "shopdsl.cli", "run"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, plan: Path) -> Path:
    """An unbroken run of the baseline."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    subprocess.run([*RUN, str(plan), "-o", str(folder)], check=True, capture_output=True)
    return folder


def lines(folder: Path) -> list[bytes]:
    return sorted((folder / "records.jsonl").read_bytes().splitlines(keepends=True))


@pytest.mark.parametrize("concurrency", ["1", "3", "50"])
def test_concurrency_changes_no_record(shop: Shop, tmp_path: Path, plan: Path, whole: Path, concurrency: str) -> None:
    assert shop("run", plan, "-o", "run", "--concurrency", concurrency).returncode == 0
    assert lines(tmp_path / "run") == lines(whole)


@pytest.mark.parametrize("keep", [0, 1, 7, 19])
@pytest.mark.parametrize("torn", [b"", b'{"cohort":"daily","end":{"rea', b'{"trial":"daily/3"}'])
def test_a_resumed_run_equals_an_unbroken_one(shop: Shop, tmp_path: Path, whole: Path, keep: int, torn: bytes) -> None:
    broken = Path(shutil.copytree(whole, tmp_path / "run"))
    all_lines = (broken / "records.jsonl").read_bytes().splitlines(keepends=True)
    (broken / "records.jsonl").write_bytes(b"".join(all_lines[:keep]) + torn)
    done = shop("run", "--resume", "run")
    assert done.returncode == 0, done.stderr
    assert lines(broken) == lines(whole)


SLOW = """
import time
def make(start):
    def step(event):
        time.sleep(0.02)
        return {"type": "say", "text": "One moment."}
    return step
"""


def test_a_killed_run_is_resumed(shop: Shop, tmp_path: Path, plan: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW, "utf-8")
    (tmp_path / "slow.yaml").write_text("kind: agent\nname: slow\npython: slow:make\n", "utf-8")
    shop("run", plan, "--agent", "slow.yaml", "-o", "unbroken")
    process = subprocess.Popen(
        [*RUN, str(plan), "--agent", "slow.yaml", "-o", "run", "--concurrency", "2"], cwd=tmp_path, stderr=subprocess.DEVNULL
    )
    path = tmp_path / "run" / "records.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (not path.exists() or path.read_bytes().count(b"\n") < 3):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = path.read_bytes().splitlines(keepends=True)
    assert 3 <= len(kept) < 20
    refused = shop("run", "--resume", "run")
    assert refused.returncode == 2
    assert "name it again" in refused.stderr
    done = shop("run", "--resume", "run", "--agent", "slow.yaml")
    assert done.returncode == 0, done.stderr
    assert {k for k in kept if k.endswith(b"\n")} <= set(lines(tmp_path / "run"))
    assert path.read_bytes() == (tmp_path / "unbroken" / "records.jsonl").read_bytes()


def test_a_full_disk_keeps_what_was_recorded(tmp_path: Path, plan: Path, whole: Path, shop: Shop) -> None:
    """The file may not grow past 60,000 bytes: writing fails as on a full disk, in the middle of a record."""
    size = (whole / "records.jsonl").stat().st_size
    assert size > 80_000
    limit = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size // 2}, {size // 2}))"
    code = (
        f"import resource, sys; {limit}; sys.argv = ['shopdsl', 'run', '--resume', 'run']; from shopdsl.cli import main; main()"
    )
    folder = Path(shutil.copytree(whole, tmp_path / "run"))
    (folder / "records.jsonl").write_bytes(b"")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 4, done.stderr
    assert "cannot record" in done.stderr
    assert "--resume" in done.stderr
    assert "Traceback" not in done.stderr
    kept = (folder / "records.jsonl").read_bytes()
    assert kept.endswith(b"\n")
    assert 0 < len(records(folder)) < 20
    assert shop("run", "--resume", "run").returncode == 0
    assert lines(folder) == lines(whole)


def test_repeat_plays_every_trial_so_often(shop: Shop, tmp_path: Path, plan: Path) -> None:
    assert shop("run", plan, "-o", "run", "--repeat", "2", "--limit", "3").returncode == 0
    found = [json.loads(line) for line in (tmp_path / "run" / "records.jsonl").read_text("utf-8").splitlines()]
    assert sorted((r["trial"], r["repeat"]) for r in found) == [(f"daily/{i}", r) for i in range(3) for r in range(2)]


def test_a_run_folder_is_never_overwritten(shop: Shop, whole: Path, plan: Path) -> None:
    before = lines(whole)
    done = shop("run", plan, "-o", whole)
    assert done.returncode == 2
    assert "--resume" in done.stderr
    assert lines(whole) == before


def test_lost_trials_are_shown_and_not_scored(shop: Shop, tmp_path: Path, whole: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "run"))
    all_lines = (folder / "records.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "records.jsonl").write_bytes(b"".join(all_lines[:15]))
    data = json.loads(shop("score", "run", "--format", "json").stdout)
    assert (data["trials"], data["lost"]) == (20, 5)
    assert data["cohorts"]["daily"]["metrics"]["bought"]["n"] == 15
    assert "5 trials are lost" in shop("report", "run").stdout


def test_a_cut_plan_is_named(shop: Shop, tmp_path: Path, plan: Path) -> None:
    cut = tmp_path / "cut.plan.jsonl"
    cut.write_bytes(plan.read_bytes()[:-2000])
    done = shop("run", cut)
    assert done.returncode == 2
    assert "it was cut" in done.stderr
    assert "Traceback" not in done.stderr
    for path in (tmp_path, tmp_path / "nothing.jsonl", Path(__file__)):
        done = shop("run", path)
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")


def test_no_permission(shop: Shop, tmp_path: Path, plan: Path) -> None:
    if os.geteuid() == 0:
        target = Path("/proc/shopdsl-cannot-be-here")  # not even root writes there
    else:
        target = tmp_path / "locked" / "run"
        target.parent.mkdir(mode=0o500)
    done = shop("run", plan, "-o", target, "--limit", "1")
    assert done.returncode == 2
    assert f"cannot write {target}" in done.stderr
    assert shop("compile", "-o", target / "p.jsonl").returncode == 1
