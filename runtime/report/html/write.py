"""Writes a report to a folder: a page for every trial of every run first, the index last."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from shopdsl.runtime.manifest import RunBroken
from shopdsl.runtime.report.html.data import Report, Run, cohorts, label
from shopdsl.runtime.report.html.pages import Pages
from shopdsl.runtime.report.html.trials import TRIALS, write_trials

MARK, INDEX = ".shopdsl-report", "index.html"


@dataclass(frozen=True)
class Written:
    """What was written."""

    index: Path
    trials: int


def write_report(runs: list[Run], out: Path) -> Written:
    """The report of scored runs of one plan; raises RunBroken where the folder cannot be used."""
    label(runs)
    for run in runs:
        if (out / TRIALS).resolve() in run.folder.resolve().parents:
            raise RunBroken(f"{run.folder} lies where the pages of the report go; name another folder for the report")
    prepare(out)
    rows = write_trials(runs, out)
    page = Pages().index(Report(runs, cohorts(runs, rows), rows))
    (out / INDEX).write_text(page, "utf-8", newline="\n")
    return Written(out / INDEX, len(rows))


def prepare(out: Path) -> None:
    """An empty folder with the mark of a report; an earlier report in it is removed."""
    usable(out)
    out.mkdir(parents=True, exist_ok=True)
    if not (out / MARK).exists():
        (out / MARK).write_text("Made by `shopdsl report`, which replaces this folder's pages when it is run again.\n", "utf-8")
    (out / INDEX).unlink(missing_ok=True)
    if (out / TRIALS).is_symlink() or (out / TRIALS).is_file():
        (out / TRIALS).unlink()
    elif (out / TRIALS).exists():
        shutil.rmtree(out / TRIALS)


def usable(out: Path) -> None:
    """Raises RunBroken where a report must not be written to a folder: it is new, empty, or holds a report."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise RunBroken(f"{out} is not a folder; name another place for the report")
    if (out / MARK).is_symlink() or (out / INDEX).is_dir():
        raise RunBroken(f"{out} is no report of ours; name another folder")
    if out.is_dir() and any(out.iterdir()) and not (out / MARK).is_file():
        raise RunBroken(f"{out} holds other files than a report; name a new folder, or one that holds an earlier report")
