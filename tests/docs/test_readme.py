"""What the first page counts is what is there."""

from __future__ import annotations

import re
from collections import Counter

from tests.conftest import ROOT, Shop
from tests.docs.pages import page

README = (ROOT / "README.md").read_text("utf-8")
NUMBERS = {"five": 5, "nine": 9}


def _said(pattern: str) -> list[int]:
    """The numbers of a sentence of the page."""
    found = re.search(pattern, README)
    assert found is not None, pattern
    return [NUMBERS[n] if n in NUMBERS else int(n) for n in found.groups()]


def test_the_metrics_are_so_many_by_kind() -> None:
    kinds = Counter(re.findall(r"\| (rule|hybrid|model) +\|", page("evidence.md")))
    said = _said(r"There are (\d+) metrics: (\d+) rules, (\w+) hybrids and (\w+) that read")
    assert said == [sum(kinds.values()), kinds["rule"], kinds["hybrid"], kinds["model"]]


def test_the_suite_has_so_many_trials(shop: Shop) -> None:
    done = shop("compile", "paper")
    trials = {name: int(n) for name, n in re.findall(r"^cohort +(\w+): (\d+) trials", done.stdout, re.MULTILINE)}
    total, general, grocery, probes = _said(r"its (\d+) trials \((\d+) general, (\d+) grocery, (\d+) refusal probes\)")
    assert trials == {"general": general, "grocery": grocery, "refusal": probes}
    assert total == sum(trials.values())
