"""Records, manifests, report folders and endpoints of strangers that get no further than they should."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from shopdsl.cli import cli
from tests.errors.test_errors import _standard_package_is_read_once  # noqa: F401  # one read of `std` for all scorings

Record = dict[str, Any]
MARKUP = "</bdi></script><script>alert(1)</script><img src=x onerror=alert(1)>\x1b]0;forged\x07\u202e"
EVIL = "kind: mutant\nname: spoilt\nof: mine\nrewrite: [{at: say, say: hello}]\nmust_worsen: [bought]\nmust_keep: []\n"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, plan: Path) -> Path:
    """A run of two trials."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert invoke("run", plan, "-o", folder, "--limit", 2).exit_code == 0
    return folder


def invoke(*arguments: Any) -> Result:
    """The command line in this process; whatever happens, nobody sees a traceback."""
    result = CliRunner().invoke(cli, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def edited(whole: Path, folder: Path, edit: Callable[[Record], Any]) -> Path:
    """A copy of the run whose first record was edited."""
    shutil.copytree(whole, folder)
    lines = (folder / "records.jsonl").read_text("utf-8").split("\n")
    record = json.loads(lines[0])
    edit(record)
    (folder / "records.jsonl").write_text("\n".join([json.dumps(record), *lines[1:]]), "utf-8")
    return folder


def named(whole: Path, folder: Path, name: Any) -> Path:
    """A copy of the run whose agent has another name."""
    shutil.copytree(whole, folder)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["agent"]["name"] = name
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    return folder


def earlier(folder: Path) -> Path:
    """A folder that says it holds a report."""
    folder.mkdir()
    (folder / ".shopdsl-report").write_text("", "utf-8")
    return folder


def _call(record: Record) -> Record:
    return next(e for e in record["events"] if e["type"] == "call")


TEXTS: dict[str, Callable[[Record], Any]] = {
    "what was said": lambda r: r["events"][0].update(text=MARKUP),
    "the name of a tool": lambda r: _call(r).update(tool=MARKUP),
    "a result": lambda r: _call(r).update(result=MARKUP),
    "arguments that are a list": lambda r: _call(r).update(args=[MARKUP]),
    "an error": lambda r: _call(r).update(error=MARKUP),
    "how it ended": lambda r: r["end"].update(reason=MARKUP, detail=[[MARKUP]]),
    "what items are called": lambda r: r.update(says=[MARKUP] * len(r["says"])),
}


def test_texts_of_records_are_no_markup(whole: Path, tmp_path: Path) -> None:
    folder = edited(whole, tmp_path / "run", lambda r: [edit(r) for edit in TEXTS.values()])
    done = invoke("report", folder, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert "\x1b" not in done.stderr
    pages = [p.read_text("utf-8") for p in (tmp_path / "out").rglob("*.html")]
    assert any("&lt;img src=x" in page for page in pages)
    for page in pages:
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "\x1b]0;forged" not in page
        assert "\u202e" not in page.rpartition("</main>")[0]


@pytest.mark.parametrize("name", ["../../../up", "..", "a" * 100_000, MARKUP, ["x"], "\ud800\0"])
def test_no_name_of_an_agent_is_a_path(whole: Path, tmp_path: Path, name: Any) -> None:
    folder = named(whole, tmp_path / "a" / "run", name)
    done = invoke("report", folder, "-o", tmp_path / "b" / "out")
    if not isinstance(name, str):
        assert done.exit_code == 2
        assert "has no usable `agent`" in done.stderr
        return
    assert done.exit_code == 0, done.stderr
    out = tmp_path / "b" / "out"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]
    assert [p.name for p in (tmp_path / "b").iterdir()] == ["out"]
    pages = sorted(p.relative_to(out).parts[0] for p in out.rglob("*.html"))
    assert pages == ["index.html", "trials", "trials"]


def test_no_trial_of_a_record_is_a_path(whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "run"))
    record = json.loads((folder / "records.jsonl").read_text("utf-8").split("\n")[0])
    with (folder / "records.jsonl").open("a", encoding="utf-8") as file:
        for trial in ("../../../up", "daily/../../up", str(tmp_path / "up"), "daily/0/..", ""):
            file.write(json.dumps(record | {"trial": trial}) + "\n")
    done = invoke("report", folder, "-o", tmp_path / "out")
    assert done.exit_code == 0
    assert done.stderr.count("belongs to another plan") == 5
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "run"]
    assert len(list((tmp_path / "out" / "trials").rglob("*.html"))) == 2


@pytest.mark.parametrize("place", ["index.html", "trials", "trials/baseline"])
def test_links_in_an_earlier_report_lead_nowhere(whole: Path, tmp_path: Path, place: str) -> None:
    out = earlier(tmp_path / "out")
    victim = tmp_path / "victim"
    if place == "index.html":
        victim.write_text("mine", "utf-8")
    else:
        victim.mkdir()
        (victim / "mine").write_text("mine", "utf-8")
    (out / place).parent.mkdir(exist_ok=True)
    (out / place).symlink_to(victim)
    assert invoke("report", whole, "-o", out).exit_code == 0
    kept = victim if victim.is_file() else victim / "mine"
    assert kept.read_text("utf-8") == "mine"
    assert victim.is_file() or [p.name for p in victim.iterdir()] == ["mine"]


def test_a_report_replaces_no_folder_but_a_report(whole: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for out in (run, tmp_path / "link", run / "records.jsonl"):
        assert invoke("report", run, "-o", out).exit_code == 2
    assert (run / "records.jsonl").read_bytes() == (whole / "records.jsonl").read_bytes()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("total", ["1e999999999", "Infinity", "9" * 100_000, []])
def test_an_order_of_any_sum_is_told_or_named(whole: Path, tmp_path: Path, total: Any) -> None:
    def edit(record: Record) -> None:
        _call(record)["order"] = {"id": "O1", "total": total}

    done = invoke("report", edited(whole, tmp_path / "run", edit), "-o", tmp_path / "out")
    assert done.exit_code == 0, done.stderr


HUGE = {
    "full stops": "." * 100_000,
    "rows of a table": "|a|b|\n" * 15_000,
    "characters that unfold": "\ufdfa" * 50_000,
    "list items": "- The cart has one.\n" * 5_000,
    "conditions": "if a; " * 15_000,
    "quotation marks": '?"' * 50_000,
}


@pytest.mark.parametrize("kind", HUGE)
def test_long_texts_are_read_in_time(kind: str) -> None:
    """Each within seconds, which the limit of the whole test run would notice; that they can be read at all is what is tested."""
    from shopdsl.dsl.library.claims import claims, questions, sentences, statements

    text = HUGE[kind]
    assert len(sentences(text)) <= len(text)
    assert len(questions(text)) <= len(text)
    assert claims(text, []) == []
    assert all(s.product is None for s in statements(text, []))


@pytest.mark.parametrize("of", ["command: [sh, -c, 'touch started']", "python: evil:agent"])
def test_a_test_starts_no_agent_that_a_mutant_spoils(
    corner: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: str
) -> None:
    (corner / "evil.py").write_text("open('started', 'w').close()\n", "utf-8")
    (corner / "mutant.yaml").write_text(f"kind: agent\nname: mine\n{of}\n---\n{EVIL}", "utf-8")
    monkeypatch.chdir(corner)
    done = invoke("test")
    assert "the mutant spoilt is passed over" in done.stderr
    assert not list(tmp_path.rglob("started"))


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "ftp://x", "http://", "http://a b", "http://x:0", "http://[::1", "\x1b]0;x"]
)
def test_only_addresses_are_asked(whole: Path, corner: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    pytest.importorskip("openai")
    (corner / "judge.yaml").write_text("kind: model\nname: m\nmodel: m\n---\nkind: judge\nname: by_m\nby: m\n", "utf-8")
    monkeypatch.chdir(corner)
    done = invoke("score", whole, "--judge", "by_m", "--endpoint", address)
    assert done.exit_code == 2
    assert "is not an address" in done.stderr
    assert "\x1b" not in done.stderr


def test_answers_are_not_written_through_a_link(whole: Path, corner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    (corner / "judge.yaml").write_text("kind: model\nname: m\nmodel: m\n---\nkind: judge\nname: by_m\nby: m\n", "utf-8")
    run = Path(shutil.copytree(whole, corner / "theirs"))
    (run / "answers.jsonl").symlink_to(corner / "victim")
    monkeypatch.chdir(corner)
    done = invoke("score", "theirs", "--judge", "by_m", "--endpoint", "http://127.0.0.1:1/v1")
    assert done.exit_code == 2
    assert "is a link" in done.stderr
    assert not (corner / "victim").exists()


def test_a_manifest_names_no_file_to_load(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = named(whole, tmp_path / "run", "baseline")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["agent"]["builtin"] = "x.yaml"
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    (tmp_path / "std.x.yaml").write_text("kind: agent\nname: x\npython: evil:agent\n", "utf-8")
    (tmp_path / "evil.py").write_text("from pathlib import Path\nPath('loaded').touch()\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    done = invoke("run", "--resume", folder)
    assert done.exit_code == 2
    assert "name it again" in done.stderr
    assert not (tmp_path / "loaded").exists()


def test_the_mark_of_a_report_is_not_written_through(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine", "utf-8")
    out = tmp_path / "out"
    out.mkdir()
    (out / ".shopdsl-report").symlink_to(tmp_path / "precious")
    assert invoke("report", whole, "-o", out).exit_code == 2
    assert (tmp_path / "precious").read_text("utf-8") == "mine"


def test_a_report_does_not_remove_the_run_that_it_shows(whole: Path, tmp_path: Path) -> None:
    out = earlier(tmp_path / "out")
    folder = Path(shutil.copytree(whole, out / "trials" / "run"))
    done = invoke("report", folder, "-o", out)
    assert done.exit_code == 2
    assert "lies where the pages of the report go" in done.stderr
    assert (folder / "records.jsonl").is_file()


@pytest.mark.parametrize(
    "text",
    [
        "a" + " " * 20_000 + "b",
        "#" * 20_000,
        "{title} " + "is " * 6_000,
        "{title} " + "not " * 5_000,
        "1,000" * 4_000,
        "$" + "9" * 30,
    ],
)
def test_no_text_of_an_agent_opts_out_of_a_metric(whole: Path, tmp_path: Path, text: str) -> None:
    def say(record: Record) -> None:
        titles = [
            p["title"] for e in record["events"] if e["type"] == "call" and isinstance(e["result"], list) for p in e["result"]
        ]
        event = next(e for e in record["events"] if e["type"] == "agent")
        event["text"] = text.replace("{title}", titles[0])

    folder = edited(whole, tmp_path / "run", say)
    done = invoke("score", folder, "--format", "json")
    assert done.exit_code == 0, done.stderr
    metrics = json.loads(done.stdout)["cohorts"]["daily"]["metrics"]
    assert {name for name, m in metrics.items() if m["unscored"]} == set()
