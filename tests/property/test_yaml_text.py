"""What importers write as YAML is read back as the same data: text stays text, numbers stay numbers, nothing is lost or made up."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shopdsl.compiler.importers.yaml_text import document, documents
from shopdsl.dsl.diagnostics import Sink
from shopdsl.dsl.read import read_documents
from shopdsl.dsl.source import Source
from shopdsl.dsl.tree import plain

ODD = [
    "", " ", "-", "- ", "- a", "?", ": ", ":", "a: b", "a:", "#", "a #b", "#a", "yes", "no", "Yes", "NULL", "~", "null", "true", "False", "on",
    "1", "1e3", "0x1f", "1_000", "-1", ".5", "1.", "2001-01-01", "<<", "=", "&a", "*a", "!t", "%a", "@a", "`a", "[", "]", "{", "}", ",", "|", ">",
    "'", '"', "\\", "---", "...", "--- a", "a\n", "\na", "a\n\n", "a\nb", " a\nb", "a\nb ", "a \nb", "a\n b", "a\n\n\nb", "\t", "a\tb", "a\n\tb",
    "\r", "a\rb", "a\r\nb", "\x00", "\x07", "\x1b[31m", "\x7f", "\x85", "a\x85b", "a\nb\x85c", "\u2028", "a\u2029b", "a\nb\u2028c", "\ufeff",
    "a\nb\ufeff", "\ufffe", "\uffff", "a\nb\x00", "\U0001f600", "汉字: 是", "a\n---\nb", "a\n...\nb", "a\n# b", "a\n\n", "\n", "\n\n", " \n ", "a\n  \nb",
    "a\n \n", "x" * 300, "x " * 300, "x" * 1100, "a, b", "a b", "a.", "a-", "-a", "a/b", "a\\nb", "{{ x }}", "null\nnull", "¥5", "٣", "²",
]  # fmt: skip
"""Texts that YAML reads as something else where they stand without quotes, or that some line of it would swallow."""
texts = st.one_of(
    st.sampled_from(ODD),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.text("ab \n\t\r:#-'\"\\{}[],|>&*!%@`?~\x85\u2028\x00é汉", max_size=160),
)
numbers = st.one_of(
    st.integers(-(10**15), 10**15), st.decimals(-(10**6), 10**6, places=4, allow_nan=False, allow_infinity=False).map(float)
)
scalars = st.one_of(texts, numbers, st.booleans(), st.none())
values = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(texts, inner, max_size=5)), max_leaves=12
)
mappings = st.dictionaries(texts, values, min_size=1, max_size=5)


def read(text: str) -> list[Any]:
    """What this project reads in a text; nothing may be wrong with it."""
    sink = Sink()
    nodes = read_documents(Source("written.yaml", text), sink)
    assert [d.message for d in sink.all()] == [], text
    return [plain(n) for n in nodes]


def same(a: Any, b: Any) -> bool:
    """Equal, and of the same types all the way down: `1`, `1.0` and `true` are three things."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(v, b[k]) for k, v in a.items())
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


@given(mappings)
@settings(max_examples=150, deadline=None)
def test_a_document_is_read_back_as_it_was(data: dict[str, Any]) -> None:
    (found,) = read(document(data))
    assert same(found, data), document(data)


@given(st.lists(mappings, min_size=1, max_size=3))
@settings(max_examples=40, deadline=None)
def test_documents_of_one_file_stay_apart(members: list[dict[str, Any]]) -> None:
    assert same(read(documents(members)), members)


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_stay_texts_wherever_they_stand(text: str) -> None:
    """As a key, a value, a member of a short list, and a member of one that is too long for its line."""
    long = "w" * 120
    data = {text: text, "list": [text], "wide": [long, text, {"k": text}], "deep": {"a": {long: text}}, "end": text}
    (found,) = read(document(data))
    assert same(found, data)


def fits(value: float) -> bool:
    """Can the language say this number? It reads plain decimals of up to thirty characters."""
    return len(format(Decimal(repr(value)), "f")) <= 27  # with a point, a zero and a sign


@given(st.floats(allow_nan=False, allow_infinity=False).filter(fits))
@example(1e-7)
@example(1e22)
@example(1.5e16)
@example(-2.5e-10)
@settings(max_examples=100, deadline=None)
def test_decimal_numbers_stay_numbers(value: float) -> None:
    (found,) = read(document({"n": value, "flow": {"n": [value]}}))
    assert found["n"] == value, document({"n": value})
    assert found["flow"]["n"] == [value]
    assert not isinstance(found["n"], str)


@given(st.integers(-(10**28), 10**28))
@settings(max_examples=60, deadline=None)
def test_whole_numbers_stay_numbers(value: int) -> None:
    (found,) = read(document({"n": value}))
    assert same(found, {"n": value})
