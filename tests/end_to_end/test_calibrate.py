"""Labels of people beside a judge: drawn from a run, filled in, and compared; bad lines are named, and the rest is used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.judged import SPECS, fair, judged_package, judged_run, shopdsl
from tests.endpoint import Request, serving

PERFECT = "perfect.jsonl"
TWINS = """
---
kind: judge
name: shouted
about: message
question: Which words are shouted in "{{ message.text }}"?
many: true
verdict: [loud, soft]
answer: {word: text}
quote: word
quoted: message.text
rules: '[record(verdict="loud" if len(w) > 3 else "soft", word=w) for w in words(message.text)]'
---
kind: metric
name: loudness
title: Loudness
group: manners
better: lower
for: [daily]
ask: {said: {judge: shouted, for: m in agent_messages}}
value: mean(s.verdict == "loud" for s in said)
"""
"""A question whose answers hold one quotation several times: a word comes twice in a message."""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package, its run, and a file in which people agree with each answer."""
    made = judged_package(tmp_path_factory.mktemp("calibrate"), SPECS + TWINS)
    judged_run(made)
    done = shopdsl("judge", "sample", "--run", "run", "-n", "100000", "--with-verdict", cwd=made)
    assert done.returncode == 0, done.stderr
    _write(made / PERFECT, [{**line, "label": line["verdict"]} for line in map(json.loads, done.stdout.splitlines())])
    return made


def _write(path: Path, lines: list[Any]) -> None:
    path.write_text("".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines), "utf-8")


def _lines(package: Path, judge: str | None = None) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (package / PERFECT).read_text("utf-8").splitlines()]
    return [line for line in lines if judge in (None, line["judge"])]


def _calibrate(package: Path, lines: list[Any]) -> tuple[dict[str, Any], list[str]]:
    """What came of labels, as data, and the warnings on stderr."""
    _write(package / "labels.jsonl", lines)
    done = shopdsl("judge", "calibrate", "labels.jsonl", "--run", "run", "--format", "json", cwd=package)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    warnings = [line.removeprefix("warning: ") for line in done.stderr.splitlines() if "labels.jsonl:" in line]
    assert warnings == data["problems"]
    return data["judges"], warnings


def test_who_agrees_with_each_answer_changes_no_rate(package: Path) -> None:
    judges, warnings = _calibrate(package, _lines(package))
    assert not warnings
    assert set(judges) == {"facts", "mood", "shouted"}
    for name, found in judges.items():
        assert found["labelled"] == found["answers"] == len(_lines(package, name))
        assert (found["accuracy"]["value"], found["accuracy"]["high"], found["unscored"]) == (1.0, 1.0, 0)
    loud = judges["shouted"]["verdicts"]["loud"]
    assert judges["shouted"]["kappa"]["value"] == 1.0
    assert 0 < loud["observed"]["value"] < 1
    assert loud["corrected"]["value"] == pytest.approx(loud["observed"]["value"])
    assert loud["sensitivity"]["value"] == loud["specificity"]["value"] == 1.0


def test_a_judge_that_people_never_contradict_with_another_verdict_has_no_kappa(package: Path) -> None:
    judges, _ = _calibrate(package, _lines(package, "mood"))
    assert judges["mood"]["kappa"]["value"] is None
    assert "at least two verdicts" in judges["mood"]["kappa"]["reason"]


def test_people_who_disagree_correct_the_rates(package: Path) -> None:
    lines = _lines(package, "shouted")
    loud = [i for i, line in enumerate(lines) if line["verdict"] == "loud"]
    for i in loud[: len(loud) // 2]:
        lines[i]["label"] = "soft"
    found = _calibrate(package, lines)[0]["shouted"]
    rate = found["verdicts"]["loud"]
    assert found["accuracy"]["value"] == pytest.approx(1 - (len(loud) // 2) / len(lines))
    assert found["confusion"]["soft"]["loud"] == len(loud) // 2
    assert rate["corrected"]["value"] == pytest.approx((len(loud) - len(loud) // 2) / len(lines))
    assert rate["corrected"]["value"] < rate["observed"]["value"]


def test_every_bad_line_is_named_and_the_rest_is_used(package: Path) -> None:
    good = _lines(package, "mood")[0]
    first = [good, {**good, "label": "sour"}]
    wrong: list[tuple[Any, str]] = [
        ("not json", "is not JSON"),
        ('{"judge": "mood"', "is not JSON"),
        ("[1]", "needs `judge`"),
        ("7", "needs `judge`"),
        ({"label": "fine"}, "needs `judge`"),
        ({**good, "judge": "nobody"}, "asked no judge `nobody`; it asked: facts, mood, shouted"),
        ({**good, "judge": "\x1b[2J\ud800"}, "asked no judge"),
        ({**good, "label": "great"}, "`great` is not a verdict of `mood`; there are: fine, sour, unclear"),
        ({**good, "label": "Fine"}, "`Fine` is not a verdict"),
        ({**good, "label": ["fine"]}, "`label` are texts"),
        ({**good, "judge": ["mood"]}, "`label` are texts"),
        ({**good, "repeat": "0"}, "`at` whole numbers"),
        ({**good, "trial": "daily/77"}, "gave no such answer in trial daily/77"),
        ({**good, "repeat": 3}, "gave no such answer"),
        ({**good, "at": 4_000}, "gave no such answer in trial daily/0 at 4000"),
        ({**_lines(package, "facts")[0], "quote": "Never said."}, "gave no such answer"),
        ("[" * 100_000, "is not JSON"),
        ("\ufeff" * 3, "is not JSON"),
    ]
    judges, warnings = _calibrate(package, [*first, *(line for line, _ in wrong), "", "   ", {**good, "label": None}])
    assert judges["mood"]["labelled"] == 1
    assert judges["mood"]["answers"] == len(_lines(package, "mood"))
    assert set(judges) == {"mood"}
    assert "labels.jsonl:2: this answer is labelled already, in line 1" in warnings
    for number, (_, reason) in enumerate(wrong, 3):
        found = [w for w in warnings if w.startswith(f"labels.jsonl:{number}: ")]
        assert len(found) == 1, (number, warnings)
        assert reason in found[0]
        assert found[0].isprintable()
    assert len(warnings) == len(wrong) + 1


def test_labels_that_are_about_nothing_are_an_error(package: Path) -> None:
    _write(package / "empty.jsonl", [{**_lines(package)[0], "label": None}])
    done = shopdsl("judge", "calibrate", "empty.jsonl", "--run", "run", cwd=package)
    assert (done.returncode, done.stdout) == (1, "")
    assert "all 1 labels in empty.jsonl are null; write the right verdict into `label`" in done.stderr
    other = {**_lines(package)[0], "question": "something else that was asked"}
    _write(package / "other.jsonl", [other])
    done = shopdsl("judge", "calibrate", "other.jsonl", "--run", "run", cwd=package)
    assert (done.returncode, done.stdout) == (1, "")
    assert "other.jsonl:1: this label is about another text than the one in this run; draw again" in done.stderr
    assert "no label in other.jsonl is about an answer of this run" in done.stderr


@pytest.mark.parametrize("name", ["absent.jsonl", "."])
def test_a_file_that_cannot_be_read_is_an_error(package: Path, name: str) -> None:
    done = shopdsl("judge", "calibrate", name, "--run", "run", cwd=package)
    assert done.returncode == 2
    assert f"error: cannot read {name}: " in done.stderr


def test_a_run_that_is_not_there_is_an_error(package: Path) -> None:
    done = shopdsl("judge", "calibrate", PERFECT, "--run", "nowhere", cwd=package)
    assert done.returncode == 2
    assert "nowhere holds no run" in done.stderr
    assert "there is no run in runs/" in shopdsl("judge", "sample", cwd=package).stderr


def test_a_sample_is_always_the_same_and_of_one_question_where_that_is_wanted(package: Path) -> None:
    command = ("judge", "sample", "--run", "run", "-n", "3", "--question", "shouted")
    one, two = (shopdsl(*command, cwd=package).stdout for _ in range(2))
    assert one == two
    lines = [json.loads(line) for line in one.splitlines()]
    assert [line["judge"] for line in lines] == ["shouted"] * 3
    assert set(lines[0]) == {"judge", "trial", "repeat", "at", "quote", "question", "label"}
    assert lines[0]["label"] is None
    done = shopdsl("judge", "sample", "--run", "run", "--question", "nothing", cwd=package)
    assert done.returncode == 2
    assert "this run asked no question `nothing`; it asked: facts, mood, shouted" in done.stderr


def test_no_two_lines_of_a_sample_are_about_one_answer(package: Path) -> None:
    keys = [tuple(line[k] for k in ("judge", "trial", "repeat", "at", "quote")) for line in _lines(package)]
    assert len(keys) == len(set(keys))
    assert any(quote.endswith(" #2") for *_, quote in keys)


def test_the_text_names_judges_and_verdicts(package: Path) -> None:
    done = shopdsl("judge", "calibrate", PERFECT, "--run", "run", cwd=package)
    assert done.returncode == 0, done.stderr
    count = len(_lines(package, "shouted"))
    assert f"shouted: {count} labels, {count} answers, 0 unscored" in done.stdout
    assert "accuracy 1.000 [" in done.stdout
    assert "label \\ judge" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_model_is_calibrated_and_its_unscored_answers_are_counted(package: Path) -> None:
    first: list[str] = []

    def answer(request: Request) -> str:
        if request.prompt.startswith("Which words"):
            return '{"answers": []}'
        first[:] = first or [request.prompt]
        return "I would rather not say." if request.prompt == first[0] else fair(request)

    labels = [{**line, "quote": ""} for line in _lines(package, "mood")]
    _write(package / "moods.jsonl", labels)
    with serving(answer) as endpoint:
        given = ("--run", "run", "--judge", "mine", "--endpoint", endpoint.url, "--format", "json")
        done = shopdsl("judge", "calibrate", "moods.jsonl", *given, cwd=package)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["judges"]["mood"]
    unscored = int(first[0].startswith("How does"))
    assert (found["labelled"], found["labelled_unscored"]) == (len(labels), unscored)
    assert found["confusion"]["fine"] == {"fine": len(labels) - unscored, "sour": 0, "unclear": 0, "unscored": unscored}
