"""The tutorial does what it says: the commands of its page, one after the other, in a copy of its folder."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT, Shop

TUTORIAL = ROOT / "examples" / "first_steps"
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _commands() -> list[list[str]]:
    text = (TUTORIAL / "README.md").read_text("utf-8")
    return [shlex.split(line) for block in SHELL.findall(text) for line in block.splitlines() if line]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the tutorial without what earlier tries left in it."""
    return Path(shutil.copytree(TUTORIAL, tmp_path / "first_steps", ignore=shutil.ignore_patterns("build", "runs")))


def test_every_command_of_the_page_works_and_the_new_metric_is_in_the_profile(folder: Path, shop: Shop) -> None:
    shown = {}
    for command in _commands():
        assert command[0] == "shopdsl"
        done = shop(*command[1:], cwd=folder)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        shown[" ".join(command[1:3])] = done.stdout
    assert re.search(r"Seen on the first screen +↑ +[01]\.\d+ .*n=20", shown["run --agent"])
    assert re.search(r"^on_first_screen +CR$", shown["evidence"], re.MULTILINE)
    assert shown["report runs/baseline"].count("Seen on the first screen") == 2


def test_the_package_has_fewer_than_forty_lines_of_yaml() -> None:
    files = [path for path in TUTORIAL.rglob("*.yaml") if path.name != "shopdsl.yaml"]
    assert sum(len(path.read_text("utf-8").splitlines()) for path in files) < 40
