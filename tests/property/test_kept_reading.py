"""What is loaded from the cache is what reading gives, to the last span and finding, whatever has happened to the cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopdsl.compiler import packages
from shopdsl.compiler.kept import keep, kept
from shopdsl.compiler.packages import Package, read_package, standard_folder
from shopdsl.dsl.cache import cache_folder
from shopdsl.dsl.diagnostics import Diagnostic, Sink
from shopdsl.dsl.read import MAX_DEPTH, read_documents
from shopdsl.dsl.source import Source, Span
from shopdsl.dsl.tree import Mapping, Node, Scalar, Sequence
from tests.conftest import CORNER, ROOT, compile_to

ERRORS = ROOT / "tests" / "errors"
GOOD = "kind: persona\nname: calm\ndimensions:\n  mood:\n    quiet: {weight: .4}\n    loud: {weight: .6}\n"
BAD = GOOD + "unknown: 1\n"


@pytest.fixture(autouse=True)
def _empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOPDSL_CACHE", str(tmp_path / "cache"))


def _cached() -> list[Path]:
    return sorted((cache_folder() / "read").glob("*"))


@contextmanager
def _parsed() -> Iterator[list[str]]:
    """The files that are parsed meanwhile."""
    found: list[str] = []

    def noted(source: Source, sink: Sink) -> list[Node]:
        found.append(source.path)
        return read_documents(source, sink)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packages, "read_documents", noted)
        yield found


def _read(folder: Path, *files: Path) -> tuple[Package, list[Diagnostic], list[str]]:
    """A package, all findings, and the files that had to be parsed."""
    sink = Sink()
    with _parsed() as parsed:
        package = read_package(folder, sink, files)
    return package, sink.all(), parsed


def _twice(folder: Path, *files: Path) -> tuple[int, int]:
    """Read, and read again from the cache: both give the same. How many files were parsed first, and again."""
    first, findings, parsed = _read(folder, *files)
    again, same, rest = _read(folder, *files)
    assert again == first
    assert list(again.documents) == list(first.documents)
    assert same == findings
    assert {d.span.source.path for d in findings if d.span} >= set(rest)
    return len(parsed), len(rest)


def test_the_standard_package_is_read_once() -> None:
    parsed, again = _twice(standard_folder())
    assert parsed == len(_cached()) > 60
    assert again == 0


def test_every_spec_of_the_error_tests_gives_the_same_twice(tmp_path: Path) -> None:
    files = sorted(p for p in ERRORS.rglob("*.yaml") if p.name != packages.MANIFEST)
    parsed, again = _twice(tmp_path, *files)
    assert parsed > 150
    assert 10 < again < parsed - 100, "files with findings are read afresh, the others are kept"


def test_every_package_of_the_error_tests_gives_the_same_twice() -> None:
    folders = sorted(p.parent for p in ERRORS.rglob(packages.MANIFEST))
    counts = [_twice(folder) for folder in folders]
    assert len(counts) > 20
    assert {again for _, again in counts} == {0}, "what is wrong with them is found later than in reading"


def test_a_manifest_read_as_a_document_is_another_thing(tmp_path: Path) -> None:
    (tmp_path / "shopdsl.yaml").write_text("shopdsl: 1\npackage: small\nversion: 0.1.0\n", "utf-8")
    assert _twice(tmp_path) == (1, 0)
    (tmp_path / "empty").mkdir()
    found = _read(tmp_path / "empty", tmp_path / "shopdsl.yaml")[1]
    assert [d.message for d in found] == ["this document has no `kind`"]


HOSTILE = [
    "", "\n", "# nothing\n", "---\n---\n", "text", "- a\n- b\n", "{}", "[]", "~", "\ufeffa: 1\n", "\ufeff\ufeffa: 1\n", "a: 1\r\nb: 2\r\n",
    "a: 1\rb: 2\r", "a: 1\x85b: 2\u2028c: 3\n", "a: |\n  one\n   two\n\n\nb: >-\n  folded\n  text\n\n  more\n", "a: |+2\n    x\n\n\n",
    "a: 'it''s'\nb: \"\\t\\u00e9\\\n  x\"\nc: multi\n  line\n  plain\n", "? a\n: b\n? [x]\n: y\n", "a: &x 1\nb: *x\n", "&a [*a]", "a: !!int '1'\n",
    "a: 1\na: 2\n", "<<: {a: 1}\n", "\ta: 1\n", "a: \"\\ud800\"\n", "a: \"\\UFFFFFFFF\"\n", "a: [1, {b: c}, [d, [e]]]\n", "a: 😀é你\n'😀': x\n",
    "a: 1\n...\n---\nb: 2\n",
    "[" * (MAX_DEPTH - 1) + "x" + "]" * (MAX_DEPTH - 1), "[" * MAX_DEPTH + "]" * MAX_DEPTH, "[" * (MAX_DEPTH + 1), "[" * 9000, "a: {b", "a:\n - ]\n",
    "\x00",
    "a: " + "9" * 5000, "a: 'x\n\n  y'\n", "%YAML 1.1\n---\na: yes\n", "a: \n  - \n  -\nb:\n", "a: # c\n  b # c\n", "'': ''\n", "a: ''\nb: \"\"\n",
    "kind: [x]\n", BAD, GOOD,
    "x: &a [1]\ny: &b [*a, *a]\nz: [*b, *b]\n", GOOD + "---\n" + GOOD, "a: >\n", "a: |\n\nb: |-\n   \n",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_give_the_same_twice(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.yaml").write_bytes(text.encode())
    (tmp_path / "empty").mkdir()
    _twice(tmp_path / "empty", tmp_path / "x.yaml")


def _round(text: str) -> bool:
    """Is a text kept? What is read without a finding comes back as it was read."""
    source, sink = Source("x.yaml", text), Sink()
    nodes = read_documents(source, sink)
    if sink.all():
        return False
    keep(Path("x.yaml"), "documents", source, nodes)
    assert kept(Path("x.yaml"), "documents", source) == nodes
    return True


def test_trees_of_hostile_texts_come_back_as_they_were() -> None:
    assert sum(map(_round, HOSTILE)) > 25


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab: -\n'\"|>#[]{},?é😀\\\r0"), max_size=60) | st.text(max_size=60))
def test_trees_of_any_text_come_back_as_they_were(text: str) -> None:
    _round(text)


def test_plans_are_the_same_with_and_without_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plans = [tmp_path / f"{i}.jsonl" for i in range(2)]
    compile_to(CORNER, plans[0])
    with _parsed() as parsed:
        compile_to(CORNER, plans[1])
    assert parsed == []
    assert plans[0].read_bytes() == plans[1].read_bytes()
    assert plans[0].with_name("0.map.json").read_bytes() == plans[1].with_name("1.map.json").read_bytes()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A package of one good file, read once."""
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "shopdsl.yaml").write_text("shopdsl: 1\npackage: small\nversion: 0.1.0\n", "utf-8")
    (folder / "calm.yaml").write_text(GOOD, "utf-8")
    assert _twice(folder) == (2, 0)
    return folder


def test_a_changed_file_is_read_anew_and_takes_the_place_of_the_old(small: Path) -> None:
    before = _cached()
    (small / "calm.yaml").write_text(GOOD.replace("quiet", "silly"), "utf-8")
    assert _read(small)[2] == ["calm.yaml"]
    assert _read(small)[2] == []
    assert _cached() == before
    (small / "calm.yaml").write_text(BAD, "utf-8")
    assert [d.message for d in _read(small)[1]] == ["unknown key `unknown`"]
    assert [d.message for d in _read(small)[1]] == ["unknown key `unknown`"]


def _damaged(data: bytes, other: bytes) -> Iterator[bytes]:
    yield from (data[:n] for n in range(0, len(data), 7))
    yield from (data[:n] + bytes([data[n] ^ 1]) + data[n + 1 :] for n in range(0, len(data), 5))
    yield from (data + b" ", other, b"null", b"{}", b"[]", b'{"rows": []}', b"[" * 100_000, b"\xff\xfe\x00", b"\n", b"\n[]")
    yield data.partition(b"\n")[0] + b"\n[]"


def test_a_damaged_file_of_the_cache_is_ignored_and_mended(small: Path) -> None:
    fresh = _read(small)[:2]
    first, second = _cached()
    data, other = first.read_bytes(), second.read_bytes()
    for damage in _damaged(data, other):
        first.write_bytes(damage)
        package, findings, parsed = _read(small)
        assert (package, findings) == fresh, damage[:80]
        assert len(parsed) == 1, damage[:80]
        assert first.read_bytes() == data


def test_what_is_no_file_in_the_cache_is_neither_waited_for_nor_followed(small: Path, tmp_path: Path) -> None:
    fresh = _read(small)[:2]
    first, second = _cached()
    victim = tmp_path / "victim"
    victim.write_bytes(first.read_bytes())
    first.unlink()
    os.mkfifo(first)
    second.unlink()
    second.mkdir()
    (second / "inside").touch()
    package, findings, parsed = _read(small)
    assert (package, findings) == fresh
    assert len(parsed) == 2
    first.unlink(missing_ok=True)
    first.symlink_to(victim)
    assert len(_read(small)[2]) == 2
    assert not first.is_symlink()
    assert (second / "inside").exists()


def _sealed(monkeypatch: pytest.MonkeyPatch, source: Source, body: str) -> list[Node] | None:
    """What becomes of a file of the cache that somebody made for just this text and this program."""
    with monkeypatch.context() as patch:
        patch.setattr("shopdsl.compiler.kept.json.dumps", lambda *_, **__: body)
        keep(Path("x.yaml"), "documents", source, [])
    assert body.encode() in _cached()[0].read_bytes()
    return kept(Path("x.yaml"), "documents", source)


DEEP = "[0,1,[" * MAX_DEPTH + "[0,1]" + "]]" * MAX_DEPTH
FORGED = [
    "null", "1", "{}x", "", "[", "NaN", '"text"', '{"a": 1}', "[null]", "[1]", '["ab"]', "[[]]", "[[0]]", "[{}]", "[[0,99]]",
    "[[-1,2]]", "[[2,1]]", "[[true,2]]",
    "[[0,1.0]]", '[["0",1]]', "[[0,1,2]]", '[[0,1,"a"]]', '[[0,1,"a","x"]]', '[[0,1,"a",["|"]]]', '[[0,1,5,"|"]]', '[[0,1,"\\ud800","|"]]',
    "[[0,1,[],[],[]]]",
    "[[0,1,[1]]]", "[[0,1,[[0,1]],[]]]", "[[0,1,[],[[0,1]]]]", "[[0,1,[[0,1,[]]],[[0,1]]]]", "[[0,1,[[0,1],[0,1]],[[0,1],[0,1]]]]",
    "[[0,1,{},[]]]", "[[0," + "9" * 5000 + "]]",
    "[" * 100_000, "[[0,1," * 50_000, f"[[0,1,[{DEEP}]]]", f"[[0,1,[[0,1]],[{DEEP}]]]", "[[0,1,[[0,1]],[[0,1,[[0,1],[0,9]]]]]]",
]  # fmt: skip


@pytest.mark.parametrize("body", FORGED, ids=range(len(FORGED)))
def test_a_forged_tree_with_the_right_seal_is_no_tree(monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    assert _sealed(monkeypatch, Source("x.yaml", "a: b"), body) is None


def test_forged_trees_are_refused_for_what_is_wrong_with_them_only(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source("x.yaml", "a: b")
    span = Span(source, 0, 1)
    whole: list[tuple[str, Any]] = [
        ("[]", []),
        ("[[0,1]]", [Scalar("a", "", span)]),
        ('[[0,1,"x","|"]]', [Scalar("x", "|", span)]),
        ("[[0,1,[[0,1]],[[0,1,[]]]]]", [Mapping([(Scalar("a", "", span), Sequence([], span))], span)]),
    ]
    assert [_sealed(monkeypatch, source, body) for body, _ in whole] == [nodes for _, nodes in whole]
    assert _sealed(monkeypatch, source, f"[{DEEP}]") is not None


@pytest.mark.parametrize("place", ["read-only", "a file", "nowhere", "no home"])
def test_a_cache_that_cannot_be_written_does_not_matter(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    fresh = _read(small)[:2]
    folder = tmp_path / "other"
    folder.touch() if place == "a file" else folder.mkdir(mode=0o500)
    monkeypatch.setenv("SHOPDSL_CACHE", {"nowhere": "/proc/nowhere", "no home": ""}.get(place, str(folder)))
    if place == "no home":
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(Path, "home", _homeless)
    for _ in range(2):
        assert _read(small)[:2] == fresh
    assert place == "read-only" or _cached() == []


def _homeless() -> Path:
    raise RuntimeError("Could not determine home directory.")


READ_OFTEN = """
import sys
from pathlib import Path
from shopdsl.compiler.packages import read_package
from shopdsl.dsl.cache import cache_folder
from shopdsl.dsl.diagnostics import Sink
sink = Sink()
first = read_package(Path(sys.argv[1]), sink)
for i in range(12):
    for path in (cache_folder() / "read").glob("*.json") if i % 3 == 0 else ():
        path.unlink(missing_ok=True)
    assert read_package(Path(sys.argv[1]), sink) == first and not sink.all()
"""


def test_processes_that_read_at_once_do_not_disturb_each_other() -> None:
    command = [sys.executable, "-c", READ_OFTEN, str(CORNER)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [(p.communicate(timeout=120)[1], p.returncode) for p in running] == [("", 0)] * 3
    _read(CORNER)
    assert _cached() != []
    assert {p.suffix for p in _cached()} == {".json"}
    assert _read(CORNER)[2] == []


READ_ONCE = """
import sys
from pathlib import Path
from shopdsl.compiler import packages
from shopdsl.dsl.diagnostics import Sink
sink, parsed, read = Sink(), [], packages.read_documents
packages.read_documents = lambda source, sink: parsed.append(1) or read(source, sink)
packages.read_package(Path(sys.argv[1]), sink)
print(packages.__file__.startswith(sys.argv[2]), len(parsed), [d.message for d in sink.all()])
"""


def _read_by(program: Path, package: Path) -> str:
    """What a copy of the program says of a package."""
    command = [sys.executable, "-c", READ_ONCE, str(package), str(program)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(program)}, capture_output=True, text=True, check=False)
    return done.stdout.strip() + done.stderr


def test_another_version_of_the_program_reads_anew(small: Path, tmp_path: Path) -> None:
    program = tmp_path / "program"
    for wing in ("dsl", "compiler"):
        shutil.copytree(ROOT / wing, program / "shopdsl" / wing, ignore=shutil.ignore_patterns("__pycache__"))
    (program / "shopdsl" / "__init__.py").touch()
    assert _read_by(program, small) == "True 0 []", "the same files read it: what this process has kept is good"
    schema = program / "shopdsl" / "dsl" / "schemas" / "persona.json"
    schema.write_text(schema.read_text("utf-8").replace('"dimensions"', '"proportions"'), "utf-8")
    assert _read_by(program, small) == "True 2 ['unknown key `dimensions`']"
