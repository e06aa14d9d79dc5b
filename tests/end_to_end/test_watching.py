"""What is seen of a run while it goes on: a table on a terminal, nothing in a pipe, events in a file."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Shop, records

RUN = [sys.executable, "-m", "shopdsl.cli", "run"]


def on_a_terminal(command: list[str], folder: Path, columns: int, **environment: str) -> tuple[str, int]:
    """All that a command writes to a terminal of so many columns as its stderr, and its exit code."""
    ours, theirs = pty.openpty()
    about = {**os.environ, "COLUMNS": str(columns), "LINES": "30", "TERM": "xterm-256color", **environment}
    process = subprocess.Popen(command, cwd=folder, env=about, stderr=theirs, stdout=subprocess.PIPE)
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:  # the terminal is closed with the last process that has it
            break
        if not part:
            break
        seen += part
    os.close(ours)
    process.communicate()
    return seen.decode("utf-8", "replace"), process.returncode


@pytest.mark.parametrize("columns", [100, 40])
def test_a_table_is_drawn_on_a_terminal(tmp_path: Path, plan: Path, columns: int) -> None:
    seen, code = on_a_terminal([*RUN, str(plan), "-o", "run"], tmp_path, columns)
    assert code == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen)
    words = " ".join(plain.split())
    assert "20 of 20 done, 0 running, 0 lost" in words
    ends = [r["end"]["reason"] for r in records(tmp_path / "run").values()]
    assert f"{ends.count('purchase_complete')} purchase_complete" in words
    drawn = plain[plain.index("baseline\n" if "baseline\n" in plain else "baseline") :].replace("\r", "\n")
    table = [line for line in drawn.split("\n") if line.startswith(("trials", "ends", "tokens", "baseline"))]
    assert table
    assert all(len(line.rstrip()) <= columns for line in table)


def test_colours_are_left_out_where_nobody_wants_them(tmp_path: Path, plan: Path) -> None:
    seen, code = on_a_terminal([*RUN, str(plan), "-o", "run", "--limit", "3"], tmp_path, 100, NO_COLOR="1")
    assert code == 0
    assert re.search(r"\x1b\[[0-9;]*3[0-9]m", seen) is None


def test_events_tell_the_whole_run_in_its_order(shop: Shop, tmp_path: Path, plan: Path) -> None:
    done = shop("run", plan, "-o", "run", "--limit", "4", "--concurrency", "2", "--events", "events.jsonl")
    assert (done.returncode, "trials" in done.stderr) == (0, False)
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text("utf-8").splitlines()]
    names = [e["event"] for e in events]
    assert (names[0], names[-1]) == ("run_started", "run_finished")
    assert (events[0]["trials"], events[0]["left"], events[-1]["finished"], events[-1]["lost"]) == (4, 4, 4, 0)
    assert [e["time"] for e in events] == sorted(e["time"] for e in events)
    played = records(tmp_path / "run")
    for trial, record in played.items():
        own = [e for e in events if e.get("trial") == trial]
        calls = [e for e in record["events"] if e["type"] == "call"]
        assert [e["event"] for e in own] == ["trial_started", *["call"] * len(calls), "trial_finished"]
        assert [(e["tool"], e["error"]) for e in own[1:-1]] == [(c["tool"], c["error"]) for c in calls]
        assert own[-1]["reason"] == record["end"]["reason"]
    again = shop("run", "--resume", "run", "--events", "events.jsonl")
    assert again.returncode == 0
    assert json.loads((tmp_path / "events.jsonl").read_text("utf-8").splitlines()[-1])["finished"] == 0


def test_a_file_that_cannot_be_written_is_named_before_anything_is_played(shop: Shop, tmp_path: Path, plan: Path) -> None:
    done = shop("run", plan, "-o", "run", "--events", "nowhere/events.jsonl")
    assert done.returncode == 2
    assert "cannot write nowhere/events.jsonl" in done.stderr
    assert not (tmp_path / "run").exists()
