"""What format 1 of a plan rests on. These values may never be edited: where one must change, the format gets a new number."""

from __future__ import annotations

from statistics import NormalDist

import pytest

from shopdsl.dsl.plan import FORMAT, digest
from shopdsl.dsl.random import Stream, cumulative, digest_int, normal_quantile


def test_the_format_is_the_one_that_these_values_are_of() -> None:
    assert FORMAT == 1


def test_the_words_of_a_stream() -> None:
    stream = Stream(2609, "general", 7, "target")
    assert [stream.word() for _ in range(10)] == [
        7524685926236907142, 11022519948151404847, 65290801445930422, 2913006665547878976, 3861926608254714731, 2217895352229530736,
        11711053455178902383, 16739296428776519045, 10822892575582792991, 5719093089006183616,
    ]  # fmt: skip


def test_draws_from_a_stream() -> None:
    stream = Stream("a")
    assert [stream.below(10) for _ in range(12)] == [0, 5, 0, 2, 2, 2, 9, 6, 3, 7, 0, 8]
    assert stream.sample(range(100), 6) == [89, 29, 42, 58, 84, 92]
    assert [stream.chance(0.3) for _ in range(8)] == [False, False, False, True, False, False, True, False]


def test_seeds_weights_and_digests() -> None:
    assert digest_int(2609, "general", 0) == 588885531107228082
    assert cumulative([0.1, 0.2, 0.7]) == [109951162778, 329853488333, 1099511627776]
    assert digest({"b": [1, "ä"], "a": None}) == "5d4c789751acdad9ba305072d1a6ccdc5864fd7c7a1bcc0f38a794e5a4417e02"


@pytest.mark.parametrize("p", [1e-9, 0.01, 0.3, 0.5, 0.9, 0.999999])
def test_the_normal_quantile_is_the_normal_quantile(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(NormalDist().inv_cdf(p), rel=1e-14)
