"""One query over the vectors of a large store, its encoding aside, beside reading those vectors once."""

from __future__ import annotations

import numpy as np
from measure import bound, fastest, figure, title

from shopdsl.runtime.shop.encoder import COLUMNS
from shopdsl.runtime.shop.search import Semantic

ROWS, TIMES, LIMIT = 10_000, 200, 10


def main() -> None:
    """Rank random unit vectors; the read is the fastest of several ways to touch every number."""
    title(f"search: one query over {ROWS:,} vectors of {COLUMNS} float32")
    draw = np.random.default_rng(1)
    matrix = draw.standard_normal((ROWS, COLUMNS), dtype=np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    flat, words = matrix.ravel(), matrix.ravel().view(np.uint64)
    engine = Semantic(matrix, {"query": matrix[7].copy()})
    assert engine.ranked("query", LIMIT)[0][1] == 7
    query, *reads = fastest([lambda: engine.ranked("query", LIMIT), flat.sum, flat.max, words.max, lambda: flat @ flat], TIMES)
    for name, value in (("one query, best ten", query), ("one read of the vectors, the fastest of four ways", min(reads))):
        figure(name, value * 1000, "ms")
    figure("bandwidth of that read", matrix.nbytes / min(reads) / 1e9, "GB/s")
    bound("query / read", query / min(reads), 2)


if __name__ == "__main__":
    main()
