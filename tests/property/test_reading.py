"""Whatever a model sends is read as whole answers or is unscored, quickly, and a verdict is one only where the whole of its text says so."""

from __future__ import annotations

import json
import re
import time
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shopdsl.runtime.judges.question import Judge, Question, Unscored
from shopdsl.runtime.judges.reading import read_answers

TEXT = "It costs $5.00, and the handle is made of oak. Ölkanne 你好"
VERDICTS = ["supported", "not_supported", "unclear"]
ANSWER: dict[str, Any] = {
    "claim": "text",
    "count": {"optional": "int"},
    "amount": {"optional": "number"},
    "sure": {"optional": "bool"},
    "stars": {"optional": {"range": [1, 5]}},
    "kind": {"optional": {"one_of": ["price", "stock"]}},
    "words": {"optional": {"list": "text"}},
}


def _question(many: bool, plain: bool = False) -> Question:
    data = {
        "name": "facts", "about": "trial", "many": many, "let": [], "question": ["lit", "What?"], "verdict": VERDICTS, "rules": None,
        "answer": {} if plain else ANSWER, "quote": None if plain else "claim", "quoted": None if plain else ["lit", TEXT],
    }  # fmt: skip
    return Judge(data).ask({}, None)


def _is_whole(fields: dict[str, Any]) -> bool:
    """Has an answer all its fields, each of its type?"""
    of_type = {
        "claim": isinstance(fields["claim"], str) and bool(re.search(r"\w", fields["claim"])),
        "count": fields["count"] is None or type(fields["count"]) is int,
        "amount": fields["amount"] is None or (type(fields["amount"]) in (int, float) and abs(fields["amount"]) < 1e17),
        "sure": fields["sure"] in (None, True, False),
        "stars": fields["stars"] is None or fields["stars"] in range(1, 6),
        "kind": fields["kind"] in (None, "price", "stock"),
        "words": fields["words"] is None or all(isinstance(w, str) for w in fields["words"]),
    }
    return set(fields) == {"verdict", *ANSWER} and fields["verdict"] in VERDICTS and all(of_type.values())


def _read(text: str, many: bool, plain: bool = False) -> list[dict[str, Any]] | None:
    """The answers, or None where they are unscored; what else is raised is for the test to see."""
    try:
        return read_answers(_question(many, plain), text)
    except Unscored as error:
        assert str(error)
        assert len(str(error)) < 400
        assert str(error).isprintable()
        return None


LOOSE = st.text(max_size=80) | st.text(st.sampled_from("{}[]\",:\\ \n`'abtrue019.eu-ﬁ\ud800\x1b"), max_size=120)
CLAIM = st.sampled_from(["the handle is made of oak", "$5.00", "你好", "gold", "", "OAK.", "\ud800 oak"]) | st.text(max_size=5)
VERDICT = st.sampled_from(
    [*VERDICTS, "Supported", "NOT supported", "not-supported ", "unsupported", "supported, unclear", "不支持"]
)
VALUE: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["price", "nan"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
ENTRY = st.fixed_dictionaries(
    {},
    optional={"verdict": VERDICT | VALUE, "claim": CLAIM | VALUE, **{k: st.none() | VALUE for k in ANSWER if k != "claim"}},
)
GOOD = st.fixed_dictionaries(
    {"verdict": st.sampled_from(VERDICTS), "claim": st.sampled_from(["the handle is made of OAK", "$5.00", "你好"])},
    optional={
        "count": st.none() | st.integers(),
        "stars": st.integers(-1, 7),
        "sure": st.booleans(),
        "words": st.lists(CLAIM, max_size=2),
    },
)
ONE = GOOD | GOOD | ENTRY
SENT = (ONE | st.lists(ONE, max_size=3) | st.builds(lambda e: {"answers": e}, st.lists(ONE, max_size=3))).map(json.dumps)
PIECES = st.lists(LOOSE | SENT | SENT.map(lambda s: s[: len(s) // 2]), max_size=4).map(" ".join)


@settings(max_examples=600, deadline=None)
@given(SENT | SENT.map("Here: ```{}```.".format) | PIECES, st.booleans())
@example('{"verdict": "supported", "claim": "oak", "amount": 1e999}', False)
@example('{"verdict": "supported", "claim": "oak", "amount": NaN}', False)
@example('{"verdict": "supported", "claim": "oak", "count": ' + "9" * 4000 + "}", False)
@example('{"verdict": "supported", "claim": "oak", "count": ' + "9" * 9000 + "}", False)
@example('{"verdict": ' + "[" * 900 + "]" * 900 + "} " + '{"verdict": ' + "[" * 900 + "]" * 900 + "}", False)
@example('{"verdict": ' + "[" * 90_000, True)
def test_any_text_gives_whole_answers_or_none(text: str, many: bool) -> None:
    found = _read(text, many)
    assert found is None or all(_is_whole(fields) for fields in found)
    assert found is None or many or len(found) == 1


@settings(max_examples=300, deadline=None)
@given(SENT | PIECES)
def test_a_quotation_stands_in_the_text(text: str) -> None:
    stands = " ".join(re.findall(r"\w+", TEXT.casefold()))
    for fields in _read(text, many=True) or []:
        said = " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", fields["claim"]).casefold()))
        assert said
        assert f" {said} " in f" {stands} ", fields


@settings(max_examples=400, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["verdict", "claim", "count", "stars"]), st.sampled_from(["supported", "oak", 1, None]), max_size=4
    ),
    LOOSE,
)
def test_an_object_that_breaks_off_is_never_read(entry: dict[str, Any], rest: str) -> None:
    whole = json.dumps({"note": {"verdict": "supported"}, **entry})
    for cut in range(2, len(whole)):
        assert _read(whole[:cut], many=False, plain=True) is None
    assert _read(f'{{"first": {whole}, "then', many=False, plain=True) is None


MARKS = st.text(st.sampled_from(" .\"'`*\n\t"), max_size=3)


def _spelt(verdict: str) -> st.SearchStrategy[str]:
    """A verdict in other cases, with spaces or hyphens between its words, and marks around it."""
    styles = st.sampled_from([str, str.upper, str.title, str.capitalize])
    gaps = st.sampled_from(["_", " ", "-", "  "])
    return st.builds(lambda a, style, gap, b: a + style(verdict).replace("_", gap) + b, MARKS, styles, gaps, MARKS)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(VERDICTS).flatmap(lambda v: st.tuples(st.just(v), _spelt(v))))
def test_a_verdict_is_read_in_whatever_case_and_spacing(pair: tuple[str, str]) -> None:
    verdict, spelt = pair
    assert _read(json.dumps({"verdict": spelt}), many=False, plain=True) == [{"verdict": verdict}]


AROUND = st.sampled_from(
    ["not", "un", "no", "never", "mostly", "¬", "partly", "不", "in", "?", "!", "supported", "unclear", "or"]
) | st.text(min_size=1, max_size=6)


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(VERDICTS), AROUND, st.sampled_from(["", " ", ", ", "-"]), st.booleans())
@example("supported", "not", " ", True)
def test_a_verdict_with_anything_beside_it_is_another_one_or_none(verdict: str, beside: str, gap: str, before: bool) -> None:
    given = beside + gap + verdict if before else verdict + gap + beside
    found = _read(json.dumps({"verdict": given}), many=False, plain=True)
    if found is not None:
        letters = "".join(
            c for c in unicodedata.normalize("NFKC", given).casefold() if c not in " \t\n\r.\"'`*_-" and not c.isspace()
        )
        assert letters == found[0]["verdict"].replace("_", "")


LONG = {
    "open_lists": "[" * 1_000_000,
    "open_objects": '{"a":' * 200_000,
    "open_both": '[{"a":' * 160_000,
    "half_objects": '{"a' * 330_000,
    "half_lists": '["' * 500_000,
    "lists_before_a_long_one": "[" * 900 + "1," * 490_000,
    "objects_before_a_long_one": '{"a":' * 900 + "[" + "1," * 490_000,
    "many_whole_ones": "{}" * 500_000,
    "many_empty_lists": "[] " * 330_000,
    "spaces": "{" + " " * 1_000_000,
    "spaces_and_braces": ("{" + " " * 999) * 1000,
    "one_string": '{"a": "' + "\\n" * 490_000,
    "escapes": '{"' + "\\u00e9" * 160_000,
    "twice": '{"a":1,"a":1,' * 76_000,
    "words": "word " * 200_000,
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("length", [100_000, 1_000_000])
def test_long_texts_take_no_longer_than_their_length(name: str, length: int) -> None:
    start = time.perf_counter()
    assert _read(LONG[name][:length], many=False) is None
    assert time.perf_counter() - start < 2.0


def test_a_long_quotation_is_looked_for_quickly() -> None:
    start = time.perf_counter()
    entries = [{"verdict": "supported", "claim": "the handle is made of oak"}] * 1200
    found = _read(json.dumps({"answers": entries}), many=True)
    assert found is not None
    assert len(found) == 1200
    assert time.perf_counter() - start < 2.0
