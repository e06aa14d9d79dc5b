"""The first mistakes in a case, and what is said of them: a new one is a new folder with `input.yaml` and `expected.txt`.

`input.yaml` is written into a package with a small shop, whose store it may define itself. UPDATE_EXPECTED=1 writes `expected.txt` anew: look at
the difference before you keep it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from shopdsl.cli import cli
from shopdsl.compiler import packages

FOLDERS = sorted((Path(__file__).parent / "cases").iterdir())
MANIFEST = "shopdsl: 1\npackage: corner_shop\nversion: 0.1.0\ndefault_suite: desk\n"
STORE = """\
kind: store
name: desk
toolset: service_desk
currency: USD
products:
  kettle: {id: K1, title: Steel Kettle, category: kitchen, price: $30}
  teapot: {id: T1, title: Clay Teapot, category: kitchen, price: $20}
records:
  order:
    W1: {status: placed, address: 4 Mill Lane, items: [], paid: $30}
    W2: {status: shipped, address: 9 Hill Road, items: [], paid: $20}
"""
SUITE = """\
kind: cohort
name: desk
extends: business
store: desk
cases: {split: regression}
---
kind: suite
name: desk
seed: 3
cohorts: [desk]
rubrics: {desk: business}
"""
NUMBER = re.compile(r"\n\d+ errors?\n\Z")


@pytest.fixture(scope="module", autouse=True)
def _standard_package_is_read_once() -> Iterator[None]:
    """Most of a check of so small a package is spent on reading `std`, which is the same every time."""
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


@pytest.mark.parametrize("folder", FOLDERS, ids=[f.name for f in FOLDERS])
def test_case_errors(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = (folder / "input.yaml").read_text("utf-8")
    _write(tmp_path, given)
    found = findings()
    expected = folder / "expected.txt"
    if os.environ.get("UPDATE_EXPECTED") == "1":
        expected.write_text(found, "utf-8")
    assert found == expected.read_text("utf-8")


def test_the_shop_itself_has_no_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _write(tmp_path, "kind: case\nname: price\nutterances: [What is the kettle?]\nexpect: {answer: [{money: $30}]}\n")
    assert findings() == "nothing found\n"


def _write(folder: Path, given: str) -> None:
    shop = SUITE if re.search(r"(?m)^kind: store$", given) else f"{STORE}---\n{SUITE}"
    for name, text in (("shopdsl.yaml", MANIFEST), ("shop.yaml", shop), ("input.yaml", given)):
        (folder / name).write_text(text, "utf-8")


def findings() -> str:
    """What `check` finds in the package of this folder, or, where it finds no error, `compile`."""
    exit_code, found = _run("check")
    if exit_code == 1:
        return f"found by check:\n\n{found}\n"
    _, found = _run("compile")
    return f"found by compile:\n\n{found}\n" if found else "nothing found\n"


def _run(verb: str) -> tuple[int, str]:
    """`check` prints findings on stdout; `compile` prints them, and their number, on stderr. A crash is neither 0 nor 1."""
    result = CliRunner().invoke(cli, [verb])
    assert result.exit_code in (0, 1), result.output
    shown = result.stdout if verb == "check" else NUMBER.sub("", result.stderr)
    return result.exit_code, shown.strip("\n")
