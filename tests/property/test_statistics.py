"""Laws of the statistics: what is unbiased, ordered, or free of the order of its input is so for any numbers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations, pairwise, product
from math import isclose, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopdsl.runtime.compare import Table, compare
from shopdsl.runtime.judges.agreement import UNSCORED, Agreement, Estimate, agreement
from shopdsl.runtime.statistics import bounds, holm, pass_at, pass_curves, pass_hat, sign_flip, wilson

VERDICTS = ["good", "bad", "unclear"]
SHARES = st.floats(0, 1)

# many attempts


def _attempts(successes: int, n: int, k: int) -> list[tuple[bool, ...]]:
    return list(combinations([True] * successes + [False] * (n - successes), k))


@given(st.data(), st.integers(1, 9))
def test_pass_estimates_are_shares_of_all_choices_of_k_attempts(data: st.DataObject, n: int) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    chosen = _attempts(c, n, k)
    assert isclose(pass_hat(c, n, k), sum(map(all, chosen)) / len(chosen), abs_tol=1e-12)
    assert isclose(pass_at(c, n, k), sum(map(any, chosen)) / len(chosen), abs_tol=1e-12)


@settings(deadline=None, max_examples=25)
@given(st.data(), st.integers(1, 6))
def test_pass_curves_part_from_the_mean_success_and_do_so_more_with_every_k(data: st.DataObject, n: int) -> None:
    counts = data.draw(st.lists(st.integers(0, n), min_size=1, max_size=30))
    curves = pass_curves(counts, n)
    every, some = ([curves[name][k][0] for k in range(1, n + 1)] for name in ("pass^k", "pass@k"))
    mean = sum(counts) / (n * len(counts))
    assert isclose(every[0], mean, abs_tol=1e-12)
    assert isclose(some[0], mean, abs_tol=1e-12)
    assert all(b <= a + 1e-12 for a, b in pairwise(every))
    assert all(b >= a - 1e-12 for a, b in pairwise(some))
    assert all(low <= value <= high for curve in curves.values() for value, low, high in curve.values())
    assert pass_curves(data.draw(st.permutations(counts)), n) == curves


@pytest.mark.parametrize(("successes", "n", "k"), [(3, 2, 1), (-1, 2, 1), (1, 2, 0), (1, 2, 3)])
def test_attempts_that_cannot_be_are_refused(successes: int, n: int, k: int) -> None:
    for estimate in (pass_hat, pass_at):
        with pytest.raises(ValueError, match="attempts"):
            estimate(successes, n, k)


def test_no_trial_has_no_curve() -> None:
    assert pass_curves([], 3) == {"pass^k": {}, "pass@k": {}}


# shares and bounds


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(0, 0, 0, 1), (0, 10, 0, 0.2775), (10, 10, 0.7225, 1), (8, 10, 0.4902, 0.9433), (50, 100, 0.4038, 0.5962)],
)
def test_wilson_gives_the_figures_of_the_textbook(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(0, 500), st.integers(1, 500))
def test_wilson_holds_the_share_and_mirrors(successes: int, n: int) -> None:
    successes = min(successes, n)
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1
    assert wilson(n - successes, n) == pytest.approx((1 - high, 1 - low))


@given(st.lists(SHARES, max_size=6), st.integers(0, 2), st.integers(0, 2))
def test_bounds_are_the_extremes_over_all_that_missing_values_can_be(values: list[float], lost: int, unscored: int) -> None:
    missing = lost + unscored
    filled = [[*values, *rest] for rest in product((0, 1), repeat=missing)]
    means = [sum(f) / len(f) for f in filled if f]
    found = bounds([*values, nan], lost, unscored)
    assert found == (pytest.approx((min(means), max(means))) if means else None)


# tests of differences


@given(st.lists(st.none() | SHARES, max_size=12))
def test_holm_keeps_order_and_only_raises(p_values: list[float | None]) -> None:
    adjusted = holm(p_values)
    pairs = sorted((p, q) for p, q in zip(p_values, adjusted, strict=True) if p is not None and q is not None)
    assert [q is None for q in adjusted] == [p is None for p in p_values]
    assert all(p <= q <= 1 for p, q in pairs)
    assert all(a[1] <= b[1] for a, b in pairwise(pairs))
    assert not pairs or pairs[0][1] == min(1, len(pairs) * pairs[0][0])


def test_holm_gives_the_figures_of_the_textbook() -> None:
    assert holm([0.01, 0.04, None, 0.03, 0.005]) == pytest.approx([0.03, 0.06, None, 0.06, 0.02])


DIFFERENCES = st.lists(st.integers(-4, 4).map(lambda i: i / 4), min_size=1, max_size=8)


@given(DIFFERENCES)
def test_few_differences_are_tested_against_every_flip(differences: list[float]) -> None:
    least = abs(sum(differences))
    ways = list(product((-1, 1), repeat=len(differences)))
    as_much = sum(abs(sum(s * d for s, d in zip(way, differences, strict=True))) >= least - 1e-12 for way in ways)
    assert sign_flip([*differences, nan]) == pytest.approx(as_much / len(ways))


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_neither_order_nor_side_changes_a_sign_flip(data: st.DataObject) -> None:
    differences = data.draw(st.lists(st.floats(-1, 1), min_size=1, max_size=40))
    p = sign_flip(differences)
    assert p is not None
    assert 0 < p <= 1
    assert sign_flip(data.draw(st.permutations(differences))) == p
    assert sign_flip([-d for d in differences]) == p


def test_drawn_flips_come_near_to_every_flip() -> None:
    values = [0.5, -0.25, 0.75, 0.1, -0.4, 0.6, 0.2, -0.05, 0.3, -0.35, 0.15, 0.45, 0.2]
    signs = np.array(list(product((-1, 1), repeat=len(values))))
    exact = float((np.abs(signs @ np.array(values)) >= sum(values) - 1e-9).mean())
    assert sign_flip(values) == pytest.approx(exact, abs=0.015)
    assert sign_flip([]) is None
    assert sign_flip([0, 0]) == 1


def test_equal_agents_are_seldom_called_different() -> None:
    rng = np.random.RandomState(5)
    p_values = [sign_flip(rng.normal(size=20)) for _ in range(400)]
    assert 0.02 < sum(p < 0.05 for p in p_values if p is not None) / 400 < 0.085


# two runs


def _table(values: Sequence[Sequence[float]], repeats: int = 1) -> Table:
    ids = [f"c/{i // repeats}" for i in range(len(values))]
    return Table(ids, [i % repeats for i in range(len(values))], ["m", "n"], np.array(values, dtype=float).reshape(-1, 2))


VALUES = st.lists(st.tuples(SHARES, SHARES | st.just(nan)), min_size=1, max_size=12)


@settings(deadline=None, max_examples=30)
@given(VALUES, VALUES)
def test_a_comparison_turned_round_says_the_same(first: list[tuple[float, float]], second: list[tuple[float, float]]) -> None:
    better = {"m": "higher", "n": "lower"}
    there, back = (compare(_table(a), _table(b), better) for a, b in ((first, second), (second, first)))
    other = {"a": "b", "b": "a", "-": "-"}
    for name, found in there.metrics.items():
        mirrored = back.metrics[name]
        assert (found.n, found.p, found.p_adjusted, found.better) == (
            mirrored.n, mirrored.p, mirrored.p_adjusted, other[mirrored.better]
        )  # fmt: skip
        if found.difference is not None and mirrored.low is not None and mirrored.high is not None:
            assert (found.low, found.high) == pytest.approx((-mirrored.high, -mirrored.low), abs=1e-6)


@settings(deadline=None, max_examples=30)
@given(VALUES, st.randoms(use_true_random=False))
def test_the_order_of_records_changes_no_comparison(values: list[tuple[float, float]], chance: random.Random) -> None:
    a, b = _table(values * 2, repeats=2), _table(values[::-1] * 2, repeats=2)
    order = list(range(len(a.trials)))
    chance.shuffle(order)
    shuffled = Table([a.trials[i] for i in order], [a.repeats[i] for i in order], a.metrics, a.values[order])
    better = {"m": "higher", "n": "higher"}
    assert compare(shuffled, b, better) == compare(a, b, better)


def test_repeats_are_averaged_and_only_trials_with_both_values_count() -> None:
    a = Table(["c/0", "c/0", "c/2", "c/10"], [0, 1, 0, 0], ["m", "only_a"], np.array([[0, 1], [1, 1], [nan, 1], [1, 1]]))
    b = Table(["c/2", "c/0", "c/3"], [0, 0, 0], ["m"], np.array([[1], [1.0], [0]]))
    found = compare(a, b, {"m": "lower"})
    assert found.trials == 2
    assert set(found.metrics) == {"m"}
    m = found.metrics["m"]
    assert (m.a, m.b, m.difference, m.n, m.p, m.better) == (0.5, 1, 0.5, 1, 1, "a")


def test_a_score_is_the_grade_of_the_means_and_its_interval_is_paired() -> None:
    values = [[i / 40, 1 - i / 40] for i in range(41)]
    a, b = _table(values), _table([[x + 0.1, y] for x, y in values])
    found = compare(a, b, {"m": "higher", "n": "higher"}, lambda means, names: means[:, names.index("m")]).score
    assert (found.a, found.b, found.difference, found.better) == (pytest.approx(0.5), pytest.approx(0.6), pytest.approx(0.1), "b")
    assert (found.low, found.high) == pytest.approx((0.1, 0.1), abs=1e-5)  # unpaired it would be some 0.25 wide


def test_a_difference_that_is_there_is_found_and_lies_in_its_interval() -> None:
    rng = np.random.RandomState(3)
    base = rng.uniform(0, 0.8, size=(200, 2))
    moved = base + np.stack([rng.uniform(0, 0.2, 200), np.zeros(200)], axis=1)
    m = compare(_table(base.tolist()), _table(moved.tolist()), {"m": "higher", "n": "higher"}).metrics["m"]
    assert m.significant
    assert m.low is not None
    assert m.high is not None
    assert m.low < 0.1 < m.high


# judges


LABELS = st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=40)


@settings(deadline=None, max_examples=40)
@given(LABELS, st.lists(st.sampled_from(VERDICTS), max_size=40))
def test_a_judge_that_is_always_right_leaves_rates_as_they_are(labels: list[str], others: list[str]) -> None:
    found = agreement([(v, v) for v in labels], others, VERDICTS)
    assert found.accuracy.value == 1
    assert found.kappa.value == (None if len(set(labels)) == 1 else 1)
    for name, verdict in found.verdicts.items():
        if name in labels and len(set(labels)) > 1:
            assert verdict.corrected.value == pytest.approx(verdict.observed.value)
            assert verdict.sensitivity.value == verdict.specificity.value == 1
        else:
            assert verdict.corrected.value is None
            assert "labelled" in verdict.corrected.reason


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_the_order_of_answers_changes_no_agreement(data: st.DataObject) -> None:
    said = st.none() | st.sampled_from(VERDICTS)
    pairs = data.draw(st.lists(st.tuples(st.sampled_from(VERDICTS), said), max_size=40))
    others = data.draw(st.lists(said, max_size=40))
    found = agreement(pairs, others, VERDICTS)
    assert agreement(data.draw(st.permutations(pairs)), data.draw(st.permutations(others)), VERDICTS) == found
    assert sum(sum(row.values()) for row in found.confusion.values()) == found.labelled == len(pairs)
    assert sum(row[UNSCORED] for row in found.confusion.values()) == found.labelled_unscored
    for estimate in _estimates(found):
        assert (estimate.value is None) == bool(estimate.reason)
        if estimate.value is not None and estimate.low is not None and estimate.high is not None:
            assert -1 <= estimate.low <= estimate.value <= estimate.high <= 1


def _estimates(found: Agreement) -> list[Estimate]:
    verdicts = found.verdicts.values()
    return [found.accuracy, found.kappa, *(e for v in verdicts for e in (v.sensitivity, v.specificity, v.observed, v.corrected))]


@pytest.mark.parametrize(
    ("truth", "hit", "wrong", "labelled", "answers"),
    [(0.3, 0.85, 0.1, 200, 1000), (0.1, 0.8, 0.2, 200, 600), (0.6, 0.7, 0.3, 150, 400), (0.05, 0.9, 0.05, 300, 2000)],
)
def test_the_corrected_interval_covers_the_truth(truth: float, hit: float, wrong: float, labelled: int, answers: int) -> None:
    rng = np.random.RandomState(17)
    covered, naive, rounds = 0, 0, 150
    for _ in range(rounds):
        bad = rng.uniform(size=answers) < truth
        says = np.where(rng.uniform(size=answers) < np.where(bad, hit, wrong), "bad", "good").tolist()
        labels = np.where(bad, "bad", "good").tolist()
        found = agreement(zip(labels[:labelled], says[:labelled], strict=True), says[labelled:], ["good", "bad"]).verdicts["bad"]
        covered += (
            found.corrected.low is not None
            and found.corrected.high is not None
            and found.corrected.low <= truth <= found.corrected.high
        )
        naive += (
            found.observed.low is not None
            and found.observed.high is not None
            and found.observed.low <= truth <= found.observed.high
        )
    assert covered / rounds >= 0.9
    assert naive < covered


def test_kappa_gives_the_figure_of_the_textbook() -> None:
    pairs = [("good", "good")] * 20 + [("good", "bad")] * 5 + [("bad", "good")] * 10 + [("bad", "bad")] * 15
    found = agreement(pairs, [], ["good", "bad"])
    assert found.accuracy.value == pytest.approx(0.7)
    assert found.kappa.value == pytest.approx(0.4)
    assert found.kappa.low is not None
    assert found.kappa.high is not None
    assert 0.1 < found.kappa.low < 0.2 < 0.6 < found.kappa.high < 0.7


def test_a_judge_no_better_than_chance_has_no_corrected_rate() -> None:
    pairs = [("good", "good"), ("good", "bad"), ("bad", "good"), ("bad", "bad"), ("bad", None)]
    found = agreement(pairs, [None, "bad"], ["good", "bad"])
    assert found.verdicts["bad"].corrected.value is None
    assert "no more often" in found.verdicts["bad"].corrected.reason
    assert (found.labelled, found.labelled_unscored, found.answers, found.unscored) == (5, 1, 7, 2)
    assert found.verdicts["bad"].observed.value == 3 / 5
    assert found.as_data()["confusion"]["bad"] == {"good": 1, "bad": 1, "unscored": 1}
    assert found.as_data()["verdicts"]["bad"]["corrected"]["value"] is None


def test_a_judge_hardly_better_than_chance_leaves_every_rate_possible() -> None:
    pairs = [("good", "good")] * 6 + [("good", "bad")] * 5 + [("bad", "good")] * 5 + [("bad", "bad")] * 6
    corrected = agreement(pairs, ["bad"] * 20 + ["good"] * 20, ["good", "bad"]).verdicts["bad"].corrected
    assert (corrected.low, corrected.high) == (0, 1)


def test_nothing_labelled_and_unknown_verdicts_are_said() -> None:
    found = agreement([], ["good"], VERDICTS)
    assert found.accuracy.value is None
    assert "label" in found.kappa.reason
    assert found.verdicts["good"].observed.value == 1
    with pytest.raises(ValueError, match="`nice` is not a verdict"):
        agreement([("nice", "good")], [], VERDICTS)
    with pytest.raises(ValueError, match="`nice` is not a verdict"):
        agreement([("good", "good")], ["nice"], VERDICTS)
