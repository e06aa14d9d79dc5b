"""What the documentation says is so: pages are fresh, links lead somewhere, examples are read and checked by the compiler."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from shopdsl.cli import VERBS, cli
from shopdsl.dsl.check import Checker
from shopdsl.dsl.diagnostics import Sink
from shopdsl.dsl.functions import FUNCTIONS
from shopdsl.dsl.lower import free_names
from shopdsl.dsl.parse import parse_expression
from shopdsl.dsl.read import read_documents
from shopdsl.dsl.source import Source
from shopdsl.dsl.syntax import Expr
from shopdsl.dsl.vocabulary import CONTEXTS, Scope, scope
from tests.conftest import ROOT, Shop

HIDDEN = {"build", "runs", "dist", "node_modules"}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def _markdown() -> list[Path]:
    """The Markdown files of the project; what tools and environments bring is not ours."""
    found = [p for p in sorted(ROOT.rglob("*.md")) if not HIDDEN & set(p.relative_to(ROOT).parts)]
    return [p for p in found if not any(part.startswith(".") for part in p.relative_to(ROOT).parts)]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _blocks(path: Path, language: str) -> list[str]:
    return [body for kind, body in FENCE.findall(path.read_text("utf-8")) if kind == language]


def test_the_reference_is_fresh() -> None:
    done = subprocess.run([sys.executable, ROOT / "docs" / "build.py", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run `python docs/build.py`\n{done.stdout}{done.stderr}"


def test_the_reference_does_not_depend_on_the_terminal_or_the_hash_seed() -> None:
    env = {**os.environ, "COLUMNS": "40", "PYTHONHASHSEED": "77", "NO_COLOR": "1"}
    done = subprocess.run([sys.executable, ROOT / "docs" / "build.py", "--check"], env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout


# links


@pytest.mark.parametrize("page", _markdown(), ids=_name)
def test_links_lead_to_a_file_and_a_heading(page: Path) -> None:
    assert [problem for link in _links(page) if (problem := _problem(page, link))] == []


def _links(page: Path) -> list[str]:
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text("utf-8")))
    return [link for link in LINK.findall(text) if not re.match(r"[a-z]+:", link)]


def _problem(page: Path, link: str) -> str:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return f"{link}: no such file"
    if anchor and anchor not in _anchors(target):
        return f"{link}: no such heading"
    return ""


def _anchors(page: Path) -> set[str]:
    """The anchors that a forge gives to the headings of a page."""
    text = FENCE.sub("", page.read_text("utf-8"))
    headings = re.findall(r"^#+ +(.+?) *$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


# the page of the language


MANIFEST = "shopdsl: 1\npackage: corner_shop\nversion: 0.1.0\nrequires: {}\ndefault_suite: daily\n"


def _specs() -> list[str]:
    return [block for block in _blocks(ROOT / "docs" / "language.md", "yaml") if block.startswith("kind:")]


@pytest.mark.parametrize("block", _specs(), ids=lambda block: "_".join(block.split("\n")[0:2]).replace(": ", "_"))
def test_each_spec_of_the_language_page_is_well_formed(block: str) -> None:
    sink = Sink()
    documents = read_documents(Source("language.md", block), sink)
    assert documents
    assert [d.message for d in sink.all()] == []


@pytest.fixture
def corner_shop(tmp_path: Path) -> Path:
    """All specs of the language page as one package."""
    (tmp_path / "shopdsl.yaml").write_text(MANIFEST, "utf-8")
    (tmp_path / "shop.yaml").write_text("---\n".join(_specs()), "utf-8")
    return tmp_path


def test_the_manifest_of_the_language_page_is_the_one_tried_here() -> None:
    assert MANIFEST in _blocks(ROOT / "docs" / "language.md", "yaml")


def test_the_specs_of_the_language_page_make_one_package(corner_shop: Path, shop: Shop) -> None:
    done = shop("check", cwd=corner_shop)
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(re.findall(r"\[([EW]\d+)\]", done.stdout)) <= {"W0901"}


def test_the_package_of_the_language_page_runs_and_its_case_can_be_passed(corner_shop: Path, shop: Shop) -> None:
    for command in (["compile"], ["run", "--agent", "oracle", "-o", "out"]):
        done = shop(*command, cwd=corner_shop)
        assert done.returncode == 0, done.stdout + done.stderr
    found = dict(re.findall(r"^  (\w[\w ]*?) +↑[ ?] ([01]\.\d+)", done.stdout, re.MULTILINE))
    assert found == {"Wanted and bought": "1.000", "Manners": "1.000", "Nothing forbidden": "1.000"}


def test_the_business_case_of_the_language_page_is_proved_and_can_be_done(corner_shop: Path, shop: Shop) -> None:
    for command in (["compile", "desk"], ["run", "--agent", "oracle", "-o", "out"]):
        done = shop(*command, cwd=corner_shop)
        assert done.returncode == 0, done.stdout + done.stderr
        assert re.findall(r"\[[EW]\d+\]", done.stdout) == []
    assert re.findall(r"Tasks done +↑\? ([01]\.\d+)", done.stdout) == ["1.000"]


def test_tests_and_mutants_of_the_language_page_hold(corner_shop: Path, shop: Shop) -> None:
    done = shop("test", cwd=corner_shop)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 test, 2 mutants" in done.stdout
    assert "0 failed" in done.stdout


def test_the_gate_of_the_language_page_closes_where_an_agent_is_rude(corner_shop: Path, shop: Shop) -> None:
    shop("compile", cwd=corner_shop)
    done = shop("run", "--agent", "short_tempered", "--gate", "-o", "out", cwd=corner_shop)
    assert done.returncode == 5, done.stdout + done.stderr
    assert "gate manners: RUDE" in done.stdout


def test_what_happens_though_the_case_of_the_language_page_forbids_it_is_seen(corner_shop: Path, shop: Shop) -> None:
    spoiled = "kind: mutant\nname: promises\nof: oracle\nrewrite: [{at: say, say: It is $7.20 then.}]\nmust_worsen: [nothing_forbidden]\n"
    (corner_shop / "promises.yaml").write_text(spoiled, "utf-8")
    done = shop("test", "promises.yaml", cwd=corner_shop)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed, 0 failed" in done.stdout


# functions


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_example_of_a_function_is_an_expression_that_calls_it(name: str) -> None:
    example = FUNCTIONS[name].example
    parse_expression(example)
    assert f"{name}(" in example


def _findings(name: str) -> dict[str, list[str]]:
    """What the checker reports of an example, in each context that knows all its names."""
    tree = parse_expression(FUNCTIONS[name].example)
    names, calls = free_names([tree])
    places = {context: scope(context) for context in CONTEXTS}
    return {c: _reported(tree, known) for c, known in places.items() if names <= set(known.names) and _may_stand(calls, known)}


def _reported(tree: Expr, known: Scope) -> list[str]:
    found: list[str] = []
    Checker(known, lambda code, message, at, help: found.append(f"{code.id} {message}")).infer(tree)
    return found


def _may_stand(calls: set[str], known: Scope) -> bool:
    used = [FUNCTIONS[c] for c in calls]
    return all((known.draws or not f.draws) and (known.world or not f.world) for f in used)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_example_of_a_function_type_checks_where_its_names_are_known(name: str) -> None:
    findings = _findings(name)
    assert not findings or [] in findings.values(), findings  # `frustration` is a list to a metric and a number to a customer


# commands


def _commands() -> Iterator[tuple[str, str]]:
    for page in _markdown():
        for block in _blocks(page, "sh"):
            lines = block.replace("\\\n", " ").splitlines()
            parts = [part.strip() for line in lines for part in re.split(r"&&|\||;", line.partition(" #")[0])]
            yield from ((_name(page), part) for part in parts if part.startswith("shopdsl "))


def _verb(words: list[str]) -> click.Command:
    """The verb of a command, or the verb below it where there are such."""
    found = cli.get_command(click.Context(cli), words[0])
    below = found.get_command(click.Context(found), words[1]) if isinstance(found, click.Group) else found
    assert below is not None, words
    return below


@pytest.mark.parametrize(("page", "command"), sorted(set(_commands())))
def test_commands_name_verbs_and_options_that_exist(page: str, command: str) -> None:
    words = shlex.split(command)[1:]
    if words[0] in ("--version", "--help"):
        return
    assert words[0] in VERBS, f"{page}: {command}"
    verb = _verb(words)
    known = {option for p in verb.params for option in p.opts} | {"-h", "--help"}
    assert [w for w in words[1:] if w.startswith("-") and w.partition("=")[0] not in known] == [], f"{page}: {command}"
