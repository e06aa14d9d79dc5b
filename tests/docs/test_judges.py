"""The worked example of the page about judges, from the run to the corrected rate, with rules and with a model."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.docs.pages import blocks, page, written
from tests.endpoint import Request, serving

RUN = ("--run", "runs/first")
Tool = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Tool:
    """`shopdsl` in the package of the page, once its run is played and its answers are labelled."""
    folder = written("judges.md", tmp_path_factory.mktemp("judges") / "my_shop")

    def call(*args: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "shopdsl.cli", *args]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    call("compile")
    call("run", "-o", "runs/first")
    sampled = call("judge", "sample", *RUN, "--question", "says_added", "-n", "60").stdout
    (folder / "labels.jsonl").write_text(labelled(sampled), "utf-8")
    return call


def labelled(lines: str) -> str:
    """Labels as somebody would give them who reads the messages."""
    rows = [json.loads(line) for line in lines.splitlines()]
    return "".join(json.dumps(row | {"label": right(row["question"])}) + "\n" for row in rows)


def right(question: str) -> str:
    return "said" if "I added" in question else "unsaid"


def shape(text: str) -> list[str]:
    """The lines of an output without its figures and bars, which move with the catalog's texts."""
    return [re.sub(r"[\d.█·]+", "0", " ".join(line.split())) for line in text.splitlines() if line.strip()]


def test_the_outputs_on_the_page_are_those_of_the_tool(mine: Tool) -> None:
    profile, calibrated, _ = blocks("judges.md", "text")
    assert set(shape(profile)) <= set(shape(mine("report", "runs/first").stdout))
    assert shape(calibrated) == shape(mine("judge", "calibrate", "labels.jsonl", *RUN).stdout)


def test_the_corrected_rate_is_nearer_to_the_truth_than_the_observed_one(mine: Tool) -> None:
    found = json.loads(mine("judge", "calibrate", "labels.jsonl", *RUN, "--format", "json").stdout)["judges"]["says_added"][
        "verdicts"
    ]["said"]
    every = mine("judge", "sample", *RUN, "--question", "says_added", "-n", "10000").stdout.splitlines()
    truth = sum(right(json.loads(line)["question"]) == "said" for line in every) / len(every)
    assert abs(found["corrected"]["value"] - truth) < abs(found["observed"]["value"] - truth)
    assert found["corrected"]["low"] <= truth <= found["corrected"]["high"]


def by_model(request: Request) -> str:
    """A model that reads well, and does not understand what an order is."""
    return "I am not sure." if "Your order" in request.prompt else json.dumps({"verdict": right(request.prompt)})


def test_a_model_answers_once_and_what_cannot_be_read_bounds_the_value(mine: Tool) -> None:
    with serving(by_model) as endpoint:
        judged = ("--judge", "by_small", "--endpoint", endpoint.url)
        first = mine("score", "runs/first", *judged)
        asked = len(endpoint.requests)
        mine("judge", "calibrate", "labels.jsonl", *RUN, *judged)
        assert len(endpoint.requests) == asked
    assert set(shape(blocks("judges.md", "text")[2])) <= set(shape(first.stdout))
    assert "the answer holds no JSON" in first.stderr
    answers = len(mine("judge", "sample", "-n", "100000").stdout.splitlines())
    assert asked < answers
    assert f"{asked} questions for {answers} answers" in page("judges.md")
