"""Every diagnostic code has a spec that earns it, exactly the words that are shown, and the mended spec that is silent.

A folder `CODE/` holds `bad.yaml` and `good.yaml`, or the packages `bad/` and `good/`; `make.py` writes a `bad.yaml` that cannot be kept as text.
`expected.txt` is what people read. `UPDATE_EXPECTED=1` writes it anew: look at the difference before you keep it.
"""

from __future__ import annotations

import os
import re
import runpy
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from shopdsl.cli import cli
from shopdsl.compiler import packages
from shopdsl.dsl import diagnostics
from shopdsl.dsl.diagnostics import CODES

HERE = Path(__file__).parent
FOLDERS = sorted(p for p in HERE.iterdir() if p.is_dir() and not p.name.startswith(("_", ".")))
PAGES = Path(diagnostics.__file__).parent / "pages"
SUMMARY = re.compile(r"\n\d+ errors?\n\Z")


@pytest.fixture(scope="module", autouse=True)
def _standard_package_is_read_once() -> Iterator[None]:
    """Nine tenths of a check of one small file are spent on reading `std`, which is the same every time and without findings."""
    read = packages.read_package
    kept: dict[Path, packages.Package] = {}

    def remembered(folder: Path, *arguments: Any, **keywords: Any) -> packages.Package:
        if folder != packages.standard_folder():
            return read(folder, *arguments, **keywords)
        if not kept:
            kept[folder] = read(folder, *arguments, **keywords)
        return kept[folder]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packages, "read_package", remembered)
        yield


@pytest.fixture
def example(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of a code's folder as the current folder; nothing is written beside the original."""
    source: Path = request.param
    folder = tmp_path / source.name
    shutil.copytree(source, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SHOPDSL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SHOPDSL_PATH", raising=False)
    if (folder / "make.py").exists():
        runpy.run_path(str(folder / "make.py"))["make"](folder)
    return folder


every_folder = pytest.mark.parametrize("example", FOLDERS, ids=[f.name for f in FOLDERS], indirect=True)


@every_folder
def test_the_bad_spec_is_reported_as_expected(example: Path) -> None:
    exit_code, found = findings("bad")
    assert f"[{example.name}]: " in found
    assert exit_code == int(example.name.startswith("E"))
    expected = HERE / example.name / "expected.txt"
    if os.environ.get("UPDATE_EXPECTED") == "1":
        expected.write_text(found, "utf-8")
    assert found == expected.read_text("utf-8")


@every_folder
def test_the_good_spec_has_no_finding(example: Path) -> None:
    assert _check("good") == (0, "")
    assert findings("good") == (0, "")


@every_folder
def test_the_page_shows_the_mistake_and_its_remedy(example: Path) -> None:
    result = CliRunner().invoke(cli, ["explain", example.name])
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{example.name}: {CODES[example.name].title}\n\n")
    wrong, right = (result.stdout.index(f"\n## {heading}\n\n```yaml\n") for heading in ("Wrong", "Right"))
    assert wrong < right


def test_codes_folders_and_pages_are_the_same() -> None:
    codes = set(CODES)
    assert {f.name for f in FOLDERS} == codes
    assert {p.stem for p in PAGES.iterdir()} == codes
    assert [f.name for f in FOLDERS if not _is_complete(f)] == []


def findings(which: str) -> tuple[int, str]:
    """The exit code, and the findings as people see them."""
    if _is_seen_by_check():
        return _check(which)
    return _run("compile", "--package", which)


def _is_seen_by_check() -> bool:
    """Some mistakes show only when a package is drawn: they are the packages in which `check` finds nothing."""
    return not Path("bad").is_dir() or _check("bad")[1] != ""


def _check(which: str) -> tuple[int, str]:
    return _run("check", "--package", which) if Path(which).is_dir() else _run("check", f"{which}.yaml")


def _run(verb: str, *arguments: str) -> tuple[int, str]:
    """`check` prints findings on stdout; `compile` prints them, and their number, on stderr."""
    result = CliRunner().invoke(cli, [verb, *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    shown = result.stdout if verb == "check" else SUMMARY.sub("", result.stderr)
    return result.exit_code, shown.rstrip("\n") + "\n" if shown.strip() else ""


def _is_complete(folder: Path) -> bool:
    names = {p.name.removesuffix(".yaml") for p in folder.iterdir()}
    return {"expected.txt", "good"} <= names and bool({"bad", "make.py"} & names)
