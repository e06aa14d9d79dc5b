"""`shopdsl test`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shopdsl.cli.common import ERRORS, USAGE, Trouble, counted, emit, fail_on, open_unit, package_option

if TYPE_CHECKING:
    from shopdsl.compiler.kinds.case import Case
    from shopdsl.compiler.kinds.mutant import Mutant
    from shopdsl.compiler.kinds.test import Test
    from shopdsl.compiler.packages import Document
    from shopdsl.compiler.unit import Unit


Rows = list[dict[str, Any]]


@click.command("test")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How results are printed.")
@click.option(
    "--sample",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Trials of each tier and reveal plan that mutants play.",
)
@package_option
def command(paths: tuple[Path, ...], format_: str, sample: int, package: Path | None) -> None:
    """Run the spec tests and the mutants of a package, or those in the given files and folders, and play the references of its cases.

    A mutant is played on a sample of the default suite, and every metric that it must worsen has to be worse than the agent it spoils.

    Example: shopdsl test metrics/
    """
    from shopdsl.compiler.check import check

    unit, sink = open_unit(package)
    check(unit, unit.workspace.main.name)
    fail_on(sink)
    tests = _tests(unit, paths)
    results = [row for test in tests for row in _run(unit, test)]
    mutants = _mutants(unit, paths)
    proved, played = _proofs(unit, mutants, _cases(unit, paths), sample)
    results += proved + played
    failed = [r for r in results if not r["passed"]]
    if format_ == "json":
        emit(results)
    else:
        _tell(failed)
        what = ", ".join(
            counted(len(of), name)
            for of, name in ((tests, "test"), (mutants, "mutant"), (played, "reference"), (results, "value"))
            if of or name != "reference"
        )
        click.echo(f"{what}: {len(results) - len(failed)} passed, {len(failed)} failed")
        _toothless(unit, mutants)
    raise SystemExit(ERRORS if failed else 0)


def _tell(failed: Rows) -> None:
    """What failed; what the case of a test misses stands once, behind its last value."""
    from shopdsl.dsl.terminal import clean

    for place, r in enumerate(failed):
        click.echo(f"FAILED {r['file']}:{r['line']} {r['test']}: {r['metric']} is {r['found']}, and {r['expected']} is expected")
        if not any(other["test"] == r["test"] for other in failed[place + 1 :]):
            for reason in r.get("reasons", ()):
                click.echo(f"  {clean(reason)}")


def _toothless(unit: Unit, mutants: list[Mutant]) -> None:
    """Say which metrics of the package no mutant must worsen, if it has any."""
    noticed = {name for m in mutants for name, _ in m.worsens}
    quiet = [d.name for d in unit.documents("metric", unit.workspace.main.name) if d.name not in noticed]
    if mutants and quiet:
        click.echo(f"no mutant must worsen: {', '.join(quiet)}", err=True)


def _tests(unit: Unit, paths: tuple[Path, ...]) -> list[Test]:
    from shopdsl.compiler.kinds.test import compile_test

    return [unit.compiled(compile_test, d) for d in _chosen(unit, "test", paths)]


def _mutants(unit: Unit, paths: tuple[Path, ...]) -> list[Mutant]:
    from shopdsl.compiler.kinds.mutant import compile_mutant

    made = [unit.compiled(compile_mutant, d) for d in _chosen(unit, "mutant", paths)]
    proving = [m for m in made if m.worsens or m.keeps]
    for mutant in proving:
        if not mutant.data["mutant"]["of"].get("builtin"):
            click.echo(
                f"the mutant {mutant.name} is passed over: the agent that it spoils starts something, and a test starts nothing",
                err=True,
            )
    return [m for m in proving if m.data["mutant"]["of"].get("builtin")]


def _proofs(unit: Unit, mutants: list[Mutant], cases: list[Case], sample: int) -> tuple[Rows, Rows]:
    """What playing mutants and references gave; cases that the default suite does not play are named."""
    if not mutants and not cases:
        return [], []
    from shopdsl.cli.teeth import teeth

    proved, played = teeth(unit, mutants, cases, sample)
    left = {c.name for c in cases} - {row["test"] for row in played}
    if left:
        click.echo(f"not in the default suite, so that their references were not played: {', '.join(sorted(left))}", err=True)
    return proved, played


def _cases(unit: Unit, paths: tuple[Path, ...]) -> list[Case]:
    """The cases with a reference."""
    from shopdsl.compiler.kinds.case import compile_case

    made = [unit.compiled(compile_case, d) for d in _chosen(unit, "case", paths)]
    return [case for case in made if case.scored["reference"]]


def _chosen(unit: Unit, kind: str, paths: tuple[Path, ...]) -> list[Document]:
    """The documents of a kind in the package, or in the given files and folders."""
    main = unit.workspace.main
    documents = unit.documents(kind, main.name)
    if paths:
        wanted = [p.resolve() for p in paths]
        missing = next((p for p in paths if not p.exists()), None)
        if missing:
            raise Trouble(f"{missing} does not exist", USAGE)
        places = {d.name: (main.folder / d.span.source.path).resolve() for d in documents}
        documents = [d for d in documents if any(places[d.name] == w or w in places[d.name].parents for w in wanted)]
    return documents


def _run(unit: Unit, test: Test) -> list[dict[str, Any]]:
    from shopdsl.compiler.cases import case_data
    from shopdsl.compiler.header import judges_data, key
    from shopdsl.compiler.kinds.beat import compile_beat
    from shopdsl.runtime.spec_test import run_test

    cohort = test.cohort
    assert cohort is not None
    assert cohort.store is not None
    assert cohort.store.toolset is not None
    assert cohort.persona is not None
    package = cohort.document.package
    shared = {
        "toolset": cohort.store.toolset.data,
        "beats": {key(d): unit.compiled(compile_beat, d).data for p in {package, "std"} for d in unit.documents("beat", p)},
        "dimensions": cohort.persona.data["dimensions"],
        "package": package,
        "cohort": cohort.name,
        "judges": judges_data(unit, list(test.metrics.values())),
        "trial": case_data(unit, cohort, test.trial["played"]) if test.trial["played"] else None,
    }
    expect = {name: wanted for name, (wanted, _) in test.expect.items()}
    verdicts = run_test(test.trial, expect, {n: m.data for n, m in test.metrics.items()}, shared)
    return [
        {"test": test.name, "metric": v.metric, "expected": v.expected, "found": v.found, "passed": v.passed, "reasons": list(v.reasons),
         "file": test.expect[v.metric][1].source.path, "line": test.expect[v.metric][1].place[0]}
        for v in verdicts
    ]  # fmt: skip
