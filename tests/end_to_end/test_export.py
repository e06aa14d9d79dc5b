"""Records for other tools: tables in Parquet and logs of Inspect AI, with the values that `shopdsl score` gives."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from inspect_ai.log import EvalLog, read_eval_log

from shopdsl.cli import cli, exporting
from shopdsl.runtime import tables
from tests.conftest import records
from tests.errors.test_errors import _standard_package_is_read_once  # noqa: F401  # one read of `std` for all exports

PLAYED = 6
Record = dict[str, Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, plan: Path) -> Path:
    """A run of the first trials, each twice."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert invoke("run", plan, "-o", folder, "--limit", PLAYED, "--repeat", 2).exit_code == 0
    return folder


def invoke(*arguments: Any) -> Result:
    """The command line in this process; whatever happens, nobody sees a traceback."""
    result = CliRunner().invoke(cli, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.stderr
    return result


def edited(run: Path, folder: Path, *edits: Callable[[list[Record]], Any]) -> Path:
    """A copy of the run with other records."""
    shutil.copytree(run, folder)
    path = folder / "records.jsonl"
    found = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    for edit in edits:
        edit(found)
    path.write_text("".join(f"{json.dumps(r)}\n" for r in found), "utf-8")
    return folder


def exported(folder: Path, target: Path, says: str = "") -> list[list[Record]]:
    """The rows of both tables."""
    done = invoke("export", folder, "--to", "parquet", "-o", target)
    assert done.exit_code == 0, done.stderr
    assert says in done.stderr if says else not done.stderr, done.stderr
    assert not list(target.parent.glob(".*.part*"))
    return [pq.read_table(p).to_pylist() for p in (target, target.with_suffix(".events.parquet"))]


def logged(folder: Path, target: Path, says: str = "") -> EvalLog:
    done = invoke("export", folder, "--to", "inspect", "-o", target)
    assert done.exit_code == 0, done.stderr
    assert says in done.stderr if says else not done.stderr, done.stderr
    return read_eval_log(str(target))


def score(folder: Path) -> dict[str, Any]:
    done = invoke("score", folder, "--format", "json")
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["cohorts"]["daily"]["metrics"]
    return found


def test_tables_hold_the_values_of_score(run: Path, tmp_path: Path) -> None:
    trials, _ = exported(run, tmp_path / "mine.parquet")
    assert [(r["trial"], r["repeat"]) for r in trials] == [(f"daily/{n}", e) for e in range(2) for n in range(PLAYED)]
    for name, wanted in score(run).items():
        known = [r[f"metric_{name}"] for r in trials if r[f"metric_{name}"] is not None]
        assert len(known) == wanted["n"]
        assert (sum(known) / len(known) if known else None) == pytest.approx(wanted["value"])
    played = records(run)["daily/1"]
    row = next(r for r in trials if r["trial"] == "daily/1" and r["repeat"] == 1)
    assert (row["end_reason"], row["end_detail"]) == (played["end"]["reason"], played["end"]["detail"])
    assert (row["tier"], row["difficulty"], row["persona_vocabulary"]) == ("simple", 2, "catalogue")
    assert (row["turns"], row["calls"]) == (8, sum(e["type"] == "call" for e in played["events"]))
    assert json.loads(row["cart"]) == played["final"]["cart"]
    assert row["agent_requests"] is None
    field = pq.read_schema(tmp_path / "mine.parquet").field("metric_bought")
    assert field.metadata == {b"title": b"Bought", b"group": b"outcome", b"better": b"higher", b"unit": b""}


def test_events_are_those_of_the_records(run: Path, tmp_path: Path) -> None:
    """In several row groups, for they are written as they come."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "ROWS", 20)
        _, events = exported(run, tmp_path / "mine.parquet")
    assert pq.ParquetFile(tmp_path / "mine.events.parquet").num_row_groups > 2
    played = records(run)["daily/2"]["events"]
    rows = [r for r in events if r["trial"] == "daily/2" and r["repeat"] == 0]
    assert [(r["at"], r["type"], r["text"], r["tool"]) for r in rows] == [
        (at, e["type"], e.get("text"), e.get("tool")) for at, e in enumerate(played)
    ]
    assert [json.loads(r["args"]) for r in rows if r["type"] == "call"] == [e["args"] for e in played if e["type"] == "call"]
    assert [r["finds"] for r in rows if r["type"] == "call"] == [e["finds"] for e in played if e["type"] == "call"]
    assert [r["turn"] for r in rows if r["type"] == "customer"] == list(
        range(1, 1 + sum(e["type"] == "customer" for e in played))
    )
    assert [r["frustration"] for r in rows if r["type"] == "customer"] == [e["frustration"] for e in played if "frustration" in e]
    assert rows[0]["beats"] == ["add"]


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_a_log_holds_conversations_and_scores(run: Path, tmp_path: Path, ending: str) -> None:
    log = logged(run, tmp_path / f"mine.{ending}")
    assert (log.status, log.eval.model, log.eval.config.epochs) == ("success", "shopdsl/baseline", 2)
    assert log.results is not None
    assert log.samples is not None
    means = {s.name: (s.metrics["mean"].value if s.metrics else None, s.scored_samples) for s in log.results.scores}
    wanted = score(run)
    assert means == {n: (m["value"], m["n"]) for n, m in wanted.items()}
    assert [(s.id, s.epoch) for s in log.samples] == [(f"daily/{n}", e) for e in (1, 2) for n in range(PLAYED)]
    values: list[Any] = [(s.scores or {})["metrics"].value for s in log.samples]
    for name, m in wanted.items():
        known = [v[name] for v in values if not math.isnan(v[name])]
        assert len(known) == m["n"]
        assert (sum(known) / len(known) if known else None) == pytest.approx(m["value"])
    sample, played = log.samples[0], records(run)["daily/0"]
    assert sample.store["shopdsl"] == played | {"repeat": 0}
    events = played["events"]
    assert [m.text for m in sample.messages if m.role == "user"] == [e["text"] for e in events if e["type"] == "customer"]
    asked = [c for m in sample.messages if m.role == "assistant" for c in m.tool_calls or []]
    assert [(c.function, c.arguments) for c in asked] == [(e["tool"], e["args"]) for e in events if e["type"] == "call"]
    assert [m.tool_call_id for m in sample.messages if m.role == "tool"] == [c.id for c in asked]
    assert sample.metadata["end"] == played["end"]["reason"]


def test_what_a_model_took_is_told(run: Path, tmp_path: Path) -> None:
    def spend(found: list[Record]) -> None:
        used = {"requests": 3, "input": 50, "output": 20, "cached": 10, "cost": "0.25"}
        found[0]["usage"] = {"agent": used, "customer": {"requests": 1, "input": 5, "output": 2}}

    folder = edited(run, tmp_path / "run", spend)
    trials, _ = exported(folder, tmp_path / "mine.parquet")
    assert [trials[0][f"agent_{k}"] for k in ("requests", "input", "output", "cached", "cost")] == [3, 50, 20, 10, 0.25]
    assert (trials[0]["customer_requests"], trials[1]["agent_requests"]) == (1, None)
    (used,) = logged(folder, tmp_path / "mine.eval").stats.model_usage.values()
    assert (used.input_tokens, used.input_tokens_cache_read, used.output_tokens, used.total_tokens) == (40, 10, 20, 70)


def lost(found: list[Record]) -> None:
    found[0]["end"] = {"reason": "customer_error", "detail": "Failed: no words"}


def setting(at: int, name: str, value: Any, kind: str = "call") -> Callable[[list[Record]], None]:
    """An edit of the first event of a kind."""

    def edit(found: list[Record]) -> None:
        next(e for e in found[at]["events"] if e["type"] == kind)[name] = value

    return edit


def test_a_lost_trial_has_no_values(run: Path, tmp_path: Path) -> None:
    folder = edited(run, tmp_path / "run", lost)
    trials, _ = exported(folder, tmp_path / "mine.parquet")
    assert trials[0]["end_detail"] == "Failed: no words"
    assert {v for k, v in trials[0].items() if k.startswith("metric_")} == {None}
    log = logged(folder, tmp_path / "mine.eval")
    assert log.samples is not None
    value = (log.samples[0].scores or {})["metrics"].value
    assert isinstance(value, float)
    assert math.isnan(value)


BAD: list[Callable[[list[Record]], Any]] = [
    setting(0, "quantity", "many"),
    setting(1, "quantity", 10**30),
    setting(2, "finds", [{"a": 1}]),
    setting(3, "type", "sneeze"),
    setting(4, "beats", [99], "customer"),
    lambda found: found[5].update(usage={"agent": {"input": "x", "output": []}}),
    lambda found: found[6].update(usage=[]),
    lambda found: found.__setitem__(7, {"no": "record"}),
    lambda found: found[8].update(trial="daily/99"),
    lambda found: found.__setitem__(9, found[10]),
]


def test_bad_records_are_named_and_passed_over(run: Path, tmp_path: Path) -> None:
    folder = edited(run, tmp_path / "run", *BAD)
    done = invoke("export", folder, "--to", "parquet", "-o", tmp_path / "mine.parquet")
    assert done.exit_code == 0
    named = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert len(named) == len(BAD), done.stderr
    for place in ("daily/0", "daily/1", "daily/2", "daily/3", "daily/4", "daily/5", "records.jsonl:8", "daily/99", "two records"):
        assert any(place in line for line in named), place
    for name in ("mine.parquet", "mine.events.parquet"):
        rows = pq.read_table(tmp_path / name).to_pylist()
        assert {(r["trial"], r["repeat"]) for r in rows} == {("daily/4", 1), ("daily/5", 1)}
    assert pq.read_table(tmp_path / "mine.parquet").num_rows == 2


def test_a_bad_record_is_left_out_of_a_log(run: Path, tmp_path: Path) -> None:
    """Texts that no file can hold are mended, for they were said."""
    torn = setting(2, "text", "half \ud800 of it", "agent")
    nested: Any = []
    for _ in range(60):
        nested = [nested]
    folder = edited(run, tmp_path / "run", setting(1, "args", nested), setting(3, "args", [1]), torn)
    log = logged(folder, tmp_path / "mine.eval", "warning: ")
    assert log.status == "cancelled"
    assert log.samples is not None
    assert len(log.samples) == 2 * PLAYED - 1
    assert "half ? of it" in [m.text for m in log.samples[1].messages]
    refused = [c.parse_error for m in log.samples[2].messages if m.role == "assistant" for c in m.tool_calls or []]
    assert "no object: [1]" in refused
    trials, events = exported(folder, tmp_path / "mine.parquet", "tone could not be told for daily/2")
    assert "half ? of it" in [e["text"] for e in events]
    assert "tone" in next(r["unscored"] for r in trials if r["trial"] == "daily/2")


@pytest.mark.parametrize(
    ("form", "name", "says"),
    [
        ("parquet", "mine.csv", "does not end with .parquet"),
        ("inspect", "mine.parquet", "does not end with .eval or .json"),
        ("inspect", "run/manifest.json", "is a file of the run itself"),
        ("parquet", "run/manifest.json/mine.parquet", "cannot make the folder"),
        ("parquet", "folder.parquet", "cannot write"),
    ],
)
def test_what_cannot_be_written_is_said(run: Path, tmp_path: Path, form: str, name: str, says: str) -> None:
    folder = edited(run, tmp_path / "run")
    (tmp_path / "folder.parquet").mkdir()
    done = invoke("export", folder, "--to", form, "-o", tmp_path / name)
    assert done.exit_code == 2
    assert says in done.stderr
    assert not list(tmp_path.glob("**/.*"))


def test_what_is_missing_is_said(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = invoke("export", tmp_path, "--to", "parquet", "-o", tmp_path / "mine.parquet")
    assert (done.exit_code, "holds no run" in done.stderr) == (2, True)
    monkeypatch.setattr(exporting, "find_spec", lambda name: None)
    done = invoke("export", run, "--to", "parquet", "-o", tmp_path / "mine.parquet")
    assert (done.exit_code, "pip install 'shopdsl[analysis]'" in done.stderr) == (2, True)
