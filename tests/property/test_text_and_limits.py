"""Laws of the reader and the evaluator on any input: places are right, nothing crashes, everything ends."""

from __future__ import annotations

import time
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, FoldedScalarString, LiteralScalarString, SingleQuotedScalarString

from shopdsl.dsl.check import Checker
from shopdsl.dsl.diagnostics import Sink
from shopdsl.dsl.diagnostics.render import as_data, text
from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.lower import lower
from shopdsl.dsl.parse import ParseError, parse_effect, parse_expression, parse_program
from shopdsl.dsl.read import read_documents
from shopdsl.dsl.source import Source
from shopdsl.dsl.tree import Mapping, Scalar
from shopdsl.dsl.values import Failed
from shopdsl.dsl.vocabulary import Scope, scope

VISIBLE = st.text(st.sampled_from("abcXYZ019 .,;(){}[]<>=+-*/'\"\\:é你😀\n"), min_size=1, max_size=60)
STYLES = [str, DoubleQuotedScalarString, SingleQuotedScalarString, LiteralScalarString, FoldedScalarString]


@settings(max_examples=300, deadline=None)
@given(VISIBLE, st.sampled_from(STYLES), st.integers(0, 6))
def test_every_visible_character_of_a_scalar_leads_back_to_itself(value: str, style: type, width: int) -> None:
    yaml = YAML()
    yaml.width = 20 + width * 10
    out = StringIO()
    yaml.dump({"first": 1, "key": style(value.strip() or "x")}, out)
    source = Source("x.yaml", out.getvalue())
    sink = Sink()
    documents = read_documents(source, sink)
    if sink.has_errors:  # the emitter wrote something that strict YAML refuses
        return
    assert isinstance(documents[0], Mapping)
    node = documents[0].get("key")
    assert isinstance(node, Scalar)
    for place, char in enumerate(node.text):
        if char not in " \n":
            span = node.within(place, place + 1)
            raw = source.text[span.start : span.end]
            assert raw in (char, "\\"), (node.text, place, raw)


ANYTHING = st.text(max_size=200) | st.text(st.sampled_from("()[]{}.,:+-*/ %$\"'abif orxn0129\n\t"), max_size=200)


@settings(max_examples=400, deadline=None)
@given(ANYTHING)
def test_any_text_is_read_or_refused_with_a_place(body: str) -> None:
    for parse in (parse_expression, parse_program, parse_effect):
        try:
            parsed = parse(body)
        except ParseError as error:
            assert 0 <= error.offset <= len(body) + 1
            assert error.message
            continue
        if parse is parse_expression:
            found: list[str] = []
            names = scope("metric")
            Checker(names, lambda code, message, at, help, found=found: found.append(message)).infer(parsed)  # type: ignore[arg-type, misc]
            if not found:
                compile_tree(lower(parsed, names))  # type: ignore[arg-type]


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_bytes_are_read_or_reported(data: bytes) -> None:
    from shopdsl.dsl.read import decode

    sink = Sink()
    source = decode(data, "x.yaml", sink)
    if source is not None:
        read_documents(source, sink)
    text(sink.all())
    for row in as_data(sink.all()):
        assert row["line"] >= 1  # type: ignore[operator]
        assert row["column"] >= 1  # type: ignore[operator]


HOSTILE = [
    "sum(sum(sum(a * b * c for a in range(1, 10000)) for b in range(1, 10000)) for c in range(1, 10000))",
    "len([[x for x in range(1, 10000)] for y in range(1, 10000)])",
    "9999999 ** 9999999",
    "[1] + " * 300 + "[1]",
    "-" * 3000 + "1",
    "not " * 1900 + "true",
    "1 + " * 900 + "1",
    "(" * 59 + "1" + ")" * 59,
    "[" * 5000,
    'matches("' + "a" * 3000 + '!", r"(a|aa)+$")',
    'matches("' + "a" * 3000 + '", r"(.*){50}x")',
    "sorted(x for x in range(1, 10000), by=-x)[0]",
    'join([join([join(["aaaaaaaaaa" for a in range(1, 100)]) for b in range(1, 100)]) for c in range(1, 100)])',
    "x" + ".a" * 3000,
]


@pytest.mark.parametrize("body", HOSTILE, ids=[h[:30] for h in HOSTILE])
def test_hostile_expressions_end_soon(body: str) -> None:
    started = time.process_time()
    try:
        parsed = parse_expression(body)
        found: list[str] = []
        Checker(Scope({}), lambda code, message, at, help: found.append(message)).infer(parsed)
        if not found:
            guarded(compile_tree(lower(parsed, Scope({}))))(Env({}))
    except (ParseError, Failed) as error:
        assert str(error)
    assert time.process_time() - started < 20, "a bound against running for ever, not a measure of speed"


def test_lets_cannot_double_a_list_for_ever() -> None:
    from shopdsl.dsl.env import Lazy

    env = Env({"a0": [1] * 1000})
    for i in range(60):
        run = guarded(compile_tree(lower(parse_expression(f"a{i} + a{i}"), Scope({}))))
        env.names[f"a{i + 1}"] = Lazy(lambda run=run: run(env))  # type: ignore[misc]
    with pytest.raises(Failed, match="steps"):
        env.names["a60"].get()


def test_trees_of_a_plan_reach_no_python() -> None:
    for tree in (["attr", ["lit", "x"], "__class__"], ["call", "eval", [], {}], ["exec", "x"], "x", []):
        with pytest.raises((ValueError, KeyError)):
            compile_tree(tree)
    with pytest.raises(Failed):
        guarded(compile_tree(["attr", ["lit", "x"], "nothing_here"]))(Env({}))
