"""The guide does what it says: its files make a package, its proof holds, and its probe tells two agents apart."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import Shop
from tests.docs.pages import files, page, written

CHANGES = {"phone.yaml": ("weights: {search: 2}", "weights: {search: 2, manners: 1}"), "shopdsl.yaml": ("mine", "phone")}
"""What the reader is asked to change in files of earlier steps."""


@pytest.fixture
def my_shop(tmp_path: Path) -> Path:
    """The folder of the guide, at its end."""
    folder = written("guide.md", tmp_path / "my_shop")
    for file, (before, after) in CHANGES.items():
        text = (folder / file).read_text("utf-8")
        assert before in text
        assert f"{after}`" in page("guide.md")
        (folder / file).write_text(text.replace(f"{before}\n", f"{after}\n"), "utf-8")
    return folder


def test_all_files_of_the_guide_make_a_package_without_findings(my_shop: Path, shop: Shop) -> None:
    assert "no findings" in shop("check", cwd=my_shop).stderr


def test_without_a_weight_the_metric_that_asks_counts_for_nothing(my_shop: Path, shop: Shop) -> None:
    (my_shop / "phone.yaml").write_text(files("guide.md")["phone.yaml"], "utf-8")
    assert "W0902" in shop("check", cwd=my_shop).stdout


def test_the_proof_of_the_guide_holds(my_shop: Path, shop: Shop) -> None:
    """As far as the reader has come by then: the probe is the next step."""
    (my_shop / "probe.yaml").unlink()
    done = shop("test", cwd=my_shop)
    assert done.returncode == 0, done.stdout + done.stderr
    for said in (done.stdout.strip(), "no mutant must worsen: on_first_screen"):
        assert said in page("guide.md")
        assert said in done.stdout + done.stderr


def test_the_probe_of_the_guide_tells_the_oracle_from_the_baseline(my_shop: Path, shop: Shop) -> None:
    assert shop("compile", "careful", cwd=my_shop).returncode == 0
    done = shop("run", "--agent", "oracle", "--agent", "baseline", "-o", "runs/careful", cwd=my_shop)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"Right response to a probe +↑\? ([01]\.\d+)", done.stdout) == ["1.000", "0.000"]


@pytest.mark.parametrize("file", ["manners.yaml", "salesman.yaml", "probe.yaml"])
def test_each_own_document_of_the_guide_has_fewer_than_ten_lines(file: str) -> None:
    documents = files("guide.md")[file].split("---\n")
    assert all(len(document.splitlines()) < 10 for document in documents)
