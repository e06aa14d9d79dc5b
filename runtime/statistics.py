"""Means, shares and differences with intervals and tests. Resampling is seeded, and NumPy keeps this generator's stream for ever (NEP 19)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import comb, fsum, isnan, sqrt
from typing import Any

RESAMPLES = 2_000
LEVEL = 0.95
SEED = 2609
QUANTILE = 1.959963984540054
"""Of the normal law: between -QUANTILE and QUANTILE lies LEVEL of it."""


def resample_counts(n: int, resamples: int = RESAMPLES) -> Any:
    """How often each of n trials is drawn in each resample; in chunks of at most 4 million."""
    import numpy as np

    random = np.random.RandomState(SEED)
    step = max(1, 4_000_000 // max(1, n))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        draws = random.randint(0, n, size=(rows, n))
        counts = np.zeros((rows, n), dtype=np.float32)
        np.add.at(counts, (np.arange(rows)[:, None], draws), 1)
        yield counts


def bootstrap_means(values: Any) -> Any:
    """Means of the columns of a (trials × metrics) matrix in every resample; NaN is left out, an empty column gives NaN."""
    import numpy as np

    known = ~np.isnan(values)
    filled = np.where(known, values, 0).astype(np.float32)
    parts = []
    for counts in resample_counts(len(values)):
        with np.errstate(invalid="ignore", divide="ignore"):
            parts.append((counts @ filled) / (counts @ known.astype(np.float32)))
    return np.concatenate(parts)


def ratio(pairs: Sequence[tuple[int, int]]) -> tuple[float, float, float] | None:
    """Σ second / Σ first over trials, with its bootstrap interval; None where the first add up to nothing."""
    import numpy as np

    values = np.array(sorted(pairs), dtype=np.float32).reshape(len(pairs), 2)
    if not len(pairs) or values[:, 0].sum() == 0:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        samples = np.concatenate([(c @ values[:, 1]) / (c @ values[:, 0]) for c in resample_counts(len(values))])
    value = float(values[:, 1].sum() / values[:, 0].sum())
    low, high = around(value, interval(samples)) or (value, value)
    return value, low, high


def interval(samples: Any) -> tuple[float, float] | None:
    """The central 95 % of samples, or None where there are none."""
    import numpy as np

    known = samples[~np.isnan(samples)]
    if len(known) == 0:
        return None
    tail = (1 - LEVEL) / 2 * 100
    low, high = np.percentile(known, [tail, 100 - tail])
    return float(low), float(high)


def pass_hat(successes: int, n: int, k: int) -> float:
    """The unbiased estimate, from n attempts, of the chance that k attempts all succeed (tau-bench's pass^k)."""
    _sensible(successes, n, k)
    return comb(successes, k) / comb(n, k)


def pass_at(successes: int, n: int, k: int) -> float:
    """The unbiased estimate, from n attempts, of the chance that at least one of k attempts succeeds (pass@k)."""
    _sensible(successes, n, k)
    return 1 - comb(n - successes, k) / comb(n, k)


def _sensible(successes: int, n: int, k: int) -> None:
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} attempts cannot have succeeded")
    if not 1 <= k <= n:
        raise ValueError(f"k = {k} is not among 1 to {n}, the number of attempts")


Curve = dict[int, tuple[float, float, float]]


def pass_curves(counts: Sequence[int], n: int) -> dict[str, Curve]:
    """pass^k and pass@k for k = 1 to n: the mean over trials, each tried n times, and its interval; no trial, no curve."""
    return {"pass^k": _curve(pass_hat, counts, n), "pass@k": _curve(pass_at, counts, n)}


def _curve(estimate: Callable[[int, int, int], float], counts: Sequence[int], n: int) -> Curve:
    import numpy as np

    if len(counts) == 0:
        return {}
    by_count = {c: [estimate(c, n, k) for k in range(1, n + 1)] for c in set(counts)}
    matrix = np.array([by_count[c] for c in sorted(counts)])  # sorted: the order of trials must not move an interval
    samples, means = bootstrap_means(matrix), matrix.mean(axis=0)
    return {k: _point(float(means[k - 1]), samples[:, k - 1]) for k in range(1, n + 1)}


def _point(value: float, samples: Any) -> tuple[float, float, float]:
    low, high = around(value, interval(samples)) or (value, value)
    return value, low, high


def around(value: float, found: tuple[float, float] | None) -> tuple[float, float] | None:
    """An interval that holds its estimate: resamples are summed in single precision, which can end a hair beside it."""
    return found and (min(found[0], value), max(found[1], value))


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Wilson's interval of a share; of nothing, all of 0 to 1."""
    if n == 0:
        return 0.0, 1.0
    z, share = QUANTILE, successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return 0.0 if successes == 0 else centre - half, 1.0 if successes == n else centre + half


def bounds(values: Iterable[float], lost: int, unscored: int) -> tuple[float, float] | None:
    """The least and the most that a mean can be if every missing value is 0 or 1; NaN does not apply. None where there is no value.

    A missing value that does not apply either moves the mean less than a 0 or a 1, so these are bounds with them too.
    """
    known = [v for v in values if not isnan(v)]
    missing = lost + unscored
    n = len(known) + missing
    return (fsum(known) / n, (fsum(known) + missing) / n) if n else None


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """p-values adjusted for their number (Holm's step-down), in the order given; None is no test and counts for none."""
    made = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    least = 0.0
    for rank, (p, place) in enumerate(made):
        least = max(least, min(1.0, (len(made) - rank) * p))
        adjusted[place] = least
    return adjusted


EXACT = 12
FLIPS = 10_000


def sign_flip(differences: Iterable[float]) -> float | None:
    """Two-sided p of paired differences: the share of all ways to flip their signs that sum to as much; NaN is left out, None of nothing.

    All ways are tried up to EXACT differences that are not 0, else FLIPS drawn ones, of which the observed one is one more.
    """
    import numpy as np

    known = [float(d) for d in differences if not isnan(d)]
    sizes = np.array(sorted(abs(d) for d in known if d))
    if not len(sizes):
        return 1.0 if known else None
    least = abs(fsum(known)) - 1e-9 * float(sizes.sum())  # sums that are equal but for rounding are as much
    if len(sizes) <= EXACT:
        ways = (np.arange(1 << len(sizes))[:, None] >> np.arange(len(sizes))) & 1
        return float((np.abs((2 * ways - 1) @ sizes) >= least).mean())
    return (1 + sum(int((np.abs(sums) >= least).sum()) for sums in _flipped(sizes))) / (1 + FLIPS)


def _flipped(sizes: Any) -> Iterator[Any]:
    """Sums under drawn signs; in chunks of at most 4 million."""
    import numpy as np

    random = np.random.RandomState(SEED)
    step = max(1, 4_000_000 // len(sizes))
    for start in range(0, FLIPS, step):
        signs = random.randint(0, 2, size=(min(step, FLIPS - start), len(sizes)), dtype=np.int8)
        yield (2 * signs - 1) @ sizes
