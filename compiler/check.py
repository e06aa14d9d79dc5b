"""All findings of a package: every document is compiled, nothing is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shopdsl.compiler.kinds.agent import compile_agent
from shopdsl.compiler.kinds.beat import compile_beat
from shopdsl.compiler.kinds.case import compile_case
from shopdsl.compiler.kinds.catalog import compile_catalog
from shopdsl.compiler.kinds.cohort import compile_cohort
from shopdsl.compiler.kinds.customer import compile_customer
from shopdsl.compiler.kinds.judge import compile_judge
from shopdsl.compiler.kinds.metric import compile_metric
from shopdsl.compiler.kinds.model import compile_model
from shopdsl.compiler.kinds.mutant import compile_mutant
from shopdsl.compiler.kinds.persona import compile_persona
from shopdsl.compiler.kinds.reveal import compile_reveal
from shopdsl.compiler.kinds.rubric import compile_rubric
from shopdsl.compiler.kinds.store import compile_store
from shopdsl.compiler.kinds.suite import compile_suite
from shopdsl.compiler.kinds.test import compile_test
from shopdsl.compiler.kinds.toolset import compile_toolset
from shopdsl.compiler.lint import lint
from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit
from shopdsl.dsl.diagnostics import codes, nearest

COMPILERS: dict[str, Callable[[Unit, Document], Any]] = {
    "catalog": compile_catalog,
    "toolset": compile_toolset,
    "store": compile_store,
    "persona": compile_persona,
    "beat": compile_beat,
    "reveal": compile_reveal,
    "case": compile_case,
    "cohort": compile_cohort,
    "model": compile_model,
    "judge": compile_judge,
    "metric": compile_metric,
    "rubric": compile_rubric,
    "suite": compile_suite,
    "agent": compile_agent,
    "mutant": compile_mutant,
    "customer": compile_customer,
    "test": compile_test,
}


def check(unit: Unit, package: str) -> None:
    """Compile every document of a package; findings go to the unit's sink."""
    for kind, compile in COMPILERS.items():
        for document in unit.documents(kind, package):
            unit.compiled(compile, document)
    for kind in ("skill",):
        for document in unit.documents(kind, package):
            unit.body(document)
    _default_suite(unit, package)
    lint(unit, package)


def _default_suite(unit: Unit, package: str) -> None:
    found = unit.workspace.package(package)
    if (
        found
        and found.default_suite
        and found.default_suite_at
        and not unit.workspace.find("suite", found.default_suite, package)
    ):
        known = unit.workspace.names("suite", package)
        help = nearest(found.default_suite, known) or f"suites: {', '.join(known)}"
        unit.sink.add(codes.UNRESOLVED, f"there is no suite `{found.default_suite}`", found.default_suite_at, help)
