"""`shopdsl judge`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shopdsl.cli.common import ERRORS, USAGE, Trouble, emit, endpoint_option, judge_option, package_option

if TYPE_CHECKING:
    from shopdsl.runtime.judges.agreement import Agreement, Estimate
    from shopdsl.runtime.judges.labels import Answer

run_option = click.option(
    "--run", "folder", type=click.Path(path_type=Path), help="The run folder. [default: the newest in runs/]"
)


@click.group("judge")
def command() -> None:
    """Compare a judge with people: draw answers to be labelled, and see how far it agrees with the labels.

    Example: shopdsl judge sample -n 100 > labels.jsonl
    """


@command.command("sample")
@run_option
@click.option("-n", "count", type=click.IntRange(1), default=50, show_default=True, help="How many answers of each question.")
@click.option("--with-verdict", is_flag=True, help="Show the judge's verdict as well; who sees it labels otherwise.")
@click.option("--question", help="Only answers to this question (the name of a judge).")
@judge_option
@endpoint_option
@package_option
def sample(
    folder: Path | None,
    count: int,
    with_verdict: bool,
    question: str | None,
    judge: str | None,
    endpoint: tuple[str, ...],
    package: Path | None,
) -> None:
    """Draw answers of a run, one JSON line each; people fill in `label` with the verdict that is right.

    Example: shopdsl judge sample --question product_claims -n 100 > labels.jsonl
    """
    from shopdsl.dsl.random import Stream

    found, _ = _answers(_folder(folder), judge, endpoint, package)
    by_question: dict[str, list[Answer]] = {}
    for answer in found:
        by_question.setdefault(answer.key[0], []).append(answer)
    if question is not None and question not in by_question:
        raise Trouble(f"this run asked no question `{question}`; it asked: {', '.join(sorted(by_question)) or 'none'}", USAGE)
    for name, pool in sorted(by_question.items()):
        if question in (None, name):
            for answer in Stream("labels", name).sample(pool, min(count, len(pool))):
                line = answer.as_line()
                shown = {k: v for k, v in line.items() if with_verdict or k != "verdict"}
                click.echo(json.dumps(shown, ensure_ascii=False))


@command.command("calibrate")
@click.argument("labels", type=click.Path(path_type=Path))
@run_option
@judge_option
@endpoint_option
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How it is printed.")
@package_option
def calibrate(
    labels: Path, folder: Path | None, judge: str | None, endpoint: tuple[str, ...], format_: str, package: Path | None
) -> None:
    """Agreement of a judge with a labelled file, and its rates corrected for its errors.

    Example: shopdsl judge calibrate labels.jsonl --run runs/mine
    """
    from shopdsl.runtime.judges.labels import calibrate as compare
    from shopdsl.runtime.judges.labels import read_labels

    found, verdicts = _answers(_folder(folder), judge, endpoint, package)
    try:
        read = read_labels(labels, verdicts)
    except OSError as error:
        raise Trouble(f"cannot read {labels}: {error.strerror}", USAGE) from None
    agreed = compare(found, read, verdicts, labels)
    for problem in read.problems:
        click.echo(f"warning: {problem}", err=True)
    if not agreed and read.open and not read.by_answer:
        raise Trouble(f"all {read.open} labels in {labels} are null; write the right verdict into `label`", ERRORS)
    if not agreed:
        raise Trouble(f"no label in {labels} is about an answer of this run", ERRORS)
    unmatched = len(read.by_answer) - sum(a.labelled for a in agreed.values())
    if unmatched:
        click.echo(
            f"warning: {unmatched} of {len(read.by_answer)} labels match no answer, so that what is said below may be too good",
            err=True,
        )
    if format_ == "json":
        emit({"judges": {name: a.as_data() for name, a in agreed.items()}, "problems": read.problems})
        return
    for name, agreement in agreed.items():
        for line in _lines(name, agreement):
            click.echo(line)


def _folder(given: Path | None) -> Path:
    """The run that is meant: the one given, else the newest in runs/."""
    if given is not None:
        return given
    runs = sorted(Path("runs").glob("*/manifest.json"), key=lambda p: p.stat().st_mtime) if Path("runs").is_dir() else []
    if not runs:
        raise Trouble("there is no run in runs/; name one with --run", USAGE)
    return runs[-1].parent


def _answers(
    folder: Path, judge: str | None, endpoint: tuple[str, ...], package: Path | None
) -> tuple[list[Answer], dict[str, list[str]]]:
    """All answers of a run, and the verdicts of every question."""
    from shopdsl.cli.judging import answerer, with_answers
    from shopdsl.cli.scoring import played_suite, scored, scoring_now
    from shopdsl.runtime.judges.labels import called

    answers = answerer(judge, endpoint, package)(folder)
    now = scoring_now(None, played_suite(folder), package)
    result = with_answers(answers, lambda: scored(folder, None, now, answerer=answers))
    examiner = result.scorer.examiner
    verdicts = {called(name, examiner.judges): j.data["verdict"] for name, j in examiner.judges.items()}
    return list(_all(folder, examiner)), verdicts


def _all(folder: Path, examiner: Any) -> Iterator[Answer]:
    from shopdsl.runtime.examine import LOST
    from shopdsl.runtime.judges.labels import answers
    from shopdsl.runtime.manifest import RunBroken
    from shopdsl.runtime.record import read_records

    for record in read_records(folder, []):
        try:
            if record["end"]["reason"] not in LOST:
                yield from answers(examiner.look(record))
        except RunBroken:  # named where the run was scored
            continue


def _lines(name: str, a: Agreement) -> Iterator[str]:
    yield f"{name}: {a.labelled} labels, {a.answers} answers, {a.unscored} unscored"
    yield f"  accuracy {_figure(a.accuracy)}"
    yield f"  Cohen's kappa {_figure(a.kappa)}"
    width = max(len(v) for v in (*a.confusion, "unscored")) + 2
    yield "  label \\ judge".ljust(width + 4) + "".join(v.rjust(width) for v in next(iter(a.confusion.values())))
    for label, row in a.confusion.items():
        yield "  " + label.ljust(width + 2) + "".join(str(n).rjust(width) for n in row.values())
    for verdict, v in a.verdicts.items():
        yield f"  {verdict}: observed {_figure(v.observed)}, corrected {_figure(v.corrected)}"


def _figure(e: Estimate) -> str:
    if e.value is None:
        return f"not known: {e.reason}"
    return f"{e.value:.3f}" + (f" [{e.low:.3f}, {e.high:.3f}]" if e.low is not None and e.high is not None else f" ({e.reason})")
