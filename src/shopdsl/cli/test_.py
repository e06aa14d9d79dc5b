"""`shopdsl test`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shopdsl.cli.common import ERRORS, USAGE, Trouble, emit, fail_on, open_unit, package_option

if TYPE_CHECKING:
    from shopdsl.compiler.kinds.test import Test
    from shopdsl.compiler.unit import Unit


@click.command("test")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How results are printed.")
@package_option
def command(paths: tuple[Path, ...], format_: str, package: Path | None) -> None:
    """Run the spec tests of a package, or those in the given files and folders.

    Example: shopdsl test metrics/
    """
    from shopdsl.compiler.check import check

    unit, sink = open_unit(package)
    check(unit, unit.workspace.main.name)
    fail_on(sink)
    tests = _tests(unit, paths)
    results = [row for test in tests for row in _run(unit, test)]
    failed = [r for r in results if not r["passed"]]
    if format_ == "json":
        emit(results)
    else:
        for r in failed:
            click.echo(
                f"FAILED {r['file']}:{r['line']} {r['test']}: {r['metric']} is {r['found']}, and {r['expected']} is expected"
            )
        click.echo(f"{len(tests)} tests, {len(results)} values: {len(results) - len(failed)} passed, {len(failed)} failed")
    raise SystemExit(ERRORS if failed else 0)


def _tests(unit: Unit, paths: tuple[Path, ...]) -> list[Test]:
    from shopdsl.compiler.kinds.test import compile_test

    main = unit.workspace.main
    documents = unit.documents("test", main.name)
    if paths:
        wanted = [p.resolve() for p in paths]
        missing = next((p for p in paths if not p.exists()), None)
        if missing:
            raise Trouble(f"{missing} does not exist", USAGE)
        places = {d.name: (main.folder / d.span.source.path).resolve() for d in documents}
        documents = [d for d in documents if any(places[d.name] == w or w in places[d.name].parents for w in wanted)]
    return [unit.compiled(compile_test, d) for d in documents]


def _run(unit: Unit, test: Test) -> list[dict[str, Any]]:
    from shopdsl.compiler.header import key
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
    }
    expect = {name: wanted for name, (wanted, _) in test.expect.items()}
    verdicts = run_test(test.trial, expect, {n: m.data for n, m in test.metrics.items()}, shared)
    return [
        {"test": test.name, "metric": v.metric, "expected": v.expected, "found": v.found, "passed": v.passed,
         "file": test.expect[v.metric][1].source.path, "line": test.expect[v.metric][1].place[0]}
        for v in verdicts
    ]  # fmt: skip
