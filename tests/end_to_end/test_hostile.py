"""Specs, plans and run folders of strangers: nothing of theirs is run, nothing outside is written, everything ends, nothing is a traceback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Shop

EVIL = "kind: agent\nname: {name}\ncommand: [sh, -c, 'touch {target}']\n"


def _draw(corner: Path, lines: str) -> None:
    path = corner / "shop.yaml"
    path.write_text(path.read_text("utf-8").replace("trials: 20", f"trials: 2\ndraw:\n{lines}"), "utf-8")


@pytest.fixture
def run(shop: Shop, tmp_path: Path, plan: Path) -> Path:
    """A finished run of somebody else's."""
    assert shop("run", plan, "-o", "theirs", "--limit", "3").returncode == 0
    return tmp_path / "theirs"


def test_a_package_does_not_replace_the_agent_that_nobody_named(shop: Shop, tmp_path: Path, corner: Path) -> None:
    (corner / "a.yaml").write_text(EVIL.format(name="baseline", target=tmp_path / "pwned"), "utf-8")
    assert shop("compile", cwd=corner).returncode == 0
    assert shop("run", "--limit", "1", cwd=corner).returncode == 0
    assert not (tmp_path / "pwned").exists()


def test_a_run_folder_starts_nothing_when_it_is_resumed(shop: Shop, tmp_path: Path, run: Path) -> None:
    (run / "evil.yaml").write_text(EVIL.format(name="mine", target=tmp_path / "pwned"), "utf-8")
    manifest = json.loads((run / "manifest.json").read_text("utf-8"))
    manifest["agent"] |= {"name": "mine", "builtin": None, "command": ["sh", "-c", f"touch {tmp_path / 'pwned'}"]}
    manifest |= {"agent_argument": "theirs/evil.yaml", "trials": [*manifest["trials"], "daily/4"]}
    (run / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    done = shop("run", "--resume", "theirs")
    assert done.returncode == 2
    assert "name it again" in done.stderr
    assert not (tmp_path / "pwned").exists()


def test_nothing_is_written_through_links(shop: Shop, tmp_path: Path, corner: Path, run: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine", "utf-8")
    (corner / "build").mkdir()
    for name in ("daily.plan.jsonl", "daily.plan.jsonl.part", "daily.plan.map.json"):
        (corner / "build" / name).symlink_to(victim)
    assert shop("compile", cwd=corner).returncode == 0
    (run / "records.jsonl").unlink()
    (run / "records.jsonl").symlink_to(victim)
    assert shop("run", "--resume", "theirs").returncode == 2
    assert victim.read_text("utf-8") == "mine"


def test_links_and_paths_out_of_a_package_are_not_read(shop: Shop, tmp_path: Path, corner: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text("a secret: that nobody reads", "utf-8")
    (corner / "x.yaml").symlink_to(secret)
    (corner / "shopdsl.yaml").write_text(
        (corner / "shopdsl.yaml").read_text("utf-8").replace("requires: {}", 'requires: {"../secret": "*"}'), "utf-8"
    )
    shown = shop("check", cwd=corner)
    assert "nobody reads" not in shown.stdout + shown.stderr
    (corner / "shopdsl.yaml").unlink()
    (corner / "shopdsl.yaml").symlink_to(secret)
    shown = shop("check", "--package", corner)
    assert "nobody reads" not in shown.stdout + shown.stderr


BOMBS = {
    "a wide draw": "  bomb: uniform_int(1, 100000000000000000000000000)",
    "a long law": "  bomb: power_law(1, 10000000000)",
    "lists of lists": '  a: "[i for i in range(1, 10000)]"\n  b: "[a for i in range(1, 10000)]"',
    "doubled lists": "\n".join(['  a0: "[1, 2]"', *(f'  a{i + 1}: "[a{i}, a{i}]"' for i in range(40))]),
    "a search in a loop": '  a: "[i for i in range(1, 10000)]"\n  n: count(-1 in a for i in range(1, 9000) for j in range(1, 99))',
    "slices in a loop": '  a: "[i for i in range(1, 10000)]"\n  n: count(a[:9999] for i in range(1, 9000) for j in range(1, 99))',
    "rare successes": "  n: sum(geometric(0.000001) for i in range(1, 9000) for j in range(1, 99))",
    "an endless conversation": "  turn_budget: 100000000000000000000",
    "a huge quantity": '  target: "{p: exp(700) * exp(700) for p in basket}"',
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_draws_end(shop: Shop, corner: Path, bomb: str) -> None:
    _draw(corner, BOMBS[bomb])
    done = shop("compile", cwd=corner)
    assert done.returncode == 1
    assert "error[E" in done.stderr
    assert "mistake" not in done.stderr


PROGRAMS = {
    "repeat": "repeat 900000000000..1000000000000:\n          let x = 1\n      checkout",
    "loops": "for a in range(1, 9999):\n          for b in range(1, 9999):\n              let x = 1\n      checkout",
    "others": "repeat 90000..100000: others\n      checkout",
    "chance": "maybe exp(700): checkout\n      checkout",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_end(shop: Shop, corner: Path, program: str) -> None:
    text = f"kind: reveal\nname: bomb\nprogram: |\n      {PROGRAMS[program]}\n"
    (corner / "bomb.yaml").write_text(text, "utf-8")
    _draw(corner, "  reveal: '\"bomb\"'")
    done = shop("compile", cwd=corner)
    assert done.returncode == 1
    assert "mistake" not in done.stderr


@pytest.mark.parametrize("damage", ["plan", "agent", "trials", "repeat", "agent_argument", "list", "deep", "huge"])
def test_damaged_manifests_are_named(shop: Shop, run: Path, damage: str) -> None:
    manifest = json.loads((run / "manifest.json").read_text("utf-8"))
    manifest.pop(damage, None)
    text = {"list": "[1]", "deep": "[" * 100_000, "huge": json.dumps(manifest | {"repeat": 10**9})}.get(
        damage, json.dumps(manifest)
    )
    (run / "manifest.json").write_text(text, "utf-8")
    for verb in (["score", "theirs"], ["report", "theirs"], ["run", "--resume", "theirs"], ["show", "theirs", "daily/0"]):
        done = shop(*verb)
        assert "mistake" not in done.stderr, (verb, done.stderr)
        assert done.returncode == 2 or verb[0] == "show"


@pytest.mark.parametrize("key", ["cohort", "end", "events", "task", "says", "final", "trial"])
def test_damaged_records_are_named(shop: Shop, run: Path, key: str) -> None:
    path = run / "records.jsonl"
    lines = path.read_text("utf-8").splitlines()
    record = json.loads(lines[1])
    record[key] = 7
    path.write_text("\n".join([lines[0], json.dumps(record), lines[2]]) + "\n", "utf-8")
    for verb, code in ((["score", "theirs"], 0), (["report", "theirs"], 0), (["run", "--resume", "theirs"], 2)):
        done = shop(*verb)
        assert done.returncode == code, done.stderr
        assert "records.jsonl:2" in done.stderr


def test_an_edited_event_is_named(shop: Shop, run: Path) -> None:
    path = run / "records.jsonl"
    path.write_text(path.read_text("utf-8").replace('"type":"customer"', '"type":"nobody"', 1), "utf-8")
    done = shop("score", "theirs", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert "cannot be read; it was edited, damaged" in done.stderr
    assert json.loads(done.stdout)["lost"] == 1


@pytest.mark.parametrize(
    "part", ["beats", "cohorts", "customers", "metrics", "personas", "reveals", "rubrics", "stores", "suite"]
)
def test_damaged_plans_are_named(shop: Shop, tmp_path: Path, plan: Path, part: str) -> None:
    head, rest = plan.read_text("utf-8").split("\n", 1)
    for value in (None, {}, {"x": 1}):
        data = json.loads(head)
        data[part] = value
        (tmp_path / "edited.jsonl").write_text(json.dumps(data, sort_keys=True) + "\n" + rest, "utf-8")
        done = shop("run", "edited.jsonl", "--limit", "1", "-o", f"out_{part}_{value}")
        assert "mistake" not in done.stderr, done.stderr
        assert "Traceback" not in done.stderr


def test_a_suite_is_no_path(shop: Shop, tmp_path: Path, plan: Path) -> None:
    text = plan.read_text("utf-8").replace('"suite":"daily"', '"suite":"../../up"', 1)
    (tmp_path / "edited.jsonl").write_text(text, "utf-8")
    assert shop("run", "edited.jsonl", "--limit", "1").returncode == 2
    assert not list(tmp_path.parent.glob("up*"))


def test_control_characters_do_not_reach_the_terminal(shop: Shop, corner: Path) -> None:
    path = corner / "shop.yaml"
    path.write_text(path.read_text("utf-8").replace("title: Bought", 'title: "W\\e]0;x\\a\\e[2J"'), "utf-8")
    (corner / "z.yaml").write_text('kind: metric\nname: z\n"a\\e]0;t\\a": 1\n', "utf-8")
    assert "\x1b" not in shop("check", cwd=corner).stdout
    (corner / "z.yaml").unlink()
    assert shop("compile", cwd=corner).returncode == 0
    assert "\x1b" not in shop("run", "--limit", "1", cwd=corner).stdout


def test_file_names_forge_no_annotations(shop: Shop, corner: Path) -> None:
    (corner / "x\n::warning ::forged.yaml").write_text("kind: metric\nname: z\nvalue: 1\n", "utf-8")
    shown = shop("check", "--format", "github", cwd=corner).stdout
    assert shown.startswith("::error file=")
    assert not any(line.startswith("::warning ::forged") for line in shown.splitlines())


ODD = {
    "bom_and_crlf": (b"\xef\xbb\xbfkind: model\r\nname: m\r\nmodel: x\r\n", 0),
    "nul": (b"kind: metric\x00\n", 1),
    "latin": ("kind: metric\nname: é\n".encode("latin-1"), 1),
    "escape": (b'kind: model\nname: m\nmodel: "\\U00110000"\n', 1),
    "surrogate": (b'kind: model\nname: m\nmodel: "\\ud800"\n', 1),
    "digits": (b"kind: cohort\nname: c\nextends: general\ntrials: " + b"9" * 5000 + b"\n", 1),
    "brackets": (b"kind: x\nname: " + b"[" * 10_000, 1),
    "dots": (b"kind: persona\nname: p\ndimensions: {a: {b: {weight: 100%, words: " + b"." * 50_000 + b" x}}}\n", 1),
    "keys": (b"kind: metric\nname: m\n" + b"".join(b"unknown_key_%d: 1\n" % i for i in range(20_000)), 1),
    "documents": (b"---\n" * 50_000, 0),
    "tabs": (b"kind: metric\n\tname: m\n", 1),
    "large": (b"# " + b"x" * 100_000_000, 1),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_files_get_clear_findings(shop: Shop, tmp_path: Path, name: str) -> None:
    data, code = ODD[name]
    (tmp_path / "odd.yaml").write_bytes(data)
    done = shop("check", "odd.yaml")
    assert done.returncode == code, done.stdout + done.stderr
    assert "mistake" not in done.stderr


def test_things_that_are_no_files(shop: Shop, tmp_path: Path, corner: Path) -> None:
    (corner / "folder.yaml").mkdir()
    os.mkfifo(corner / "pipe.yaml")
    done = shop("check", cwd=corner)
    assert "E0112" in done.stdout
    os.mkfifo(tmp_path / "plan.jsonl")
    assert "is not a file" in shop("run", "plan.jsonl").stderr


def test_a_full_disk_while_compiling_leaves_no_plan(corner: Path) -> None:
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
        "sys.argv = ['shopdsl', 'compile']; from shopdsl.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=corner, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "cannot write" in done.stderr
    assert list((corner / "build").iterdir()) == []
    shutil.rmtree(corner / "build")
