"""Means with bootstrap intervals over trials. Resampling is seeded, and NumPy keeps this generator's stream for ever (NEP 19)."""

from __future__ import annotations

from typing import Any

RESAMPLES = 2_000
LEVEL = 0.95
SEED = 2609


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


def interval(samples: Any) -> tuple[float, float] | None:
    """The central 95 % of samples, or None where there are none."""
    import numpy as np

    known = samples[~np.isnan(samples)]
    if len(known) == 0:
        return None
    tail = (1 - LEVEL) / 2 * 100
    low, high = np.percentile(known, [tail, 100 - tail])
    return float(low), float(high)
