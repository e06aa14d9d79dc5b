"""Search engines: by words (BM25), and by the cosine of embeddings."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, Protocol

from shopdsl.dsl.library.texts import signs, words


class Engine(Protocol):
    """Ranks the rows of an index for a query."""

    def ranked(self, query: str, limit: int, rows: Any = None) -> list[tuple[float, int]]:
        """The best rows with their scores, best first; `rows` restricts them."""

    def score(self, query: str, text: str) -> float | None:
        """How a text that is not in the index would score; None where it would not be found at all."""

    def nearness(self, a: str, b: str) -> float:
        """How alike two queries are, -1 to 1."""


class Pending(Exception):
    """A query that has no vector yet; the caller has it encoded and calls again."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def best(scores: Any, limit: int, rows: Any = None) -> list[int]:
    """The rows of the highest scores; equal scores in the order of the index."""
    import numpy as np

    pool = scores if rows is None else scores[rows]
    if len(pool) == 0:
        return []
    k = min(limit, len(pool))
    near = np.argpartition(-pool, k - 1)[:k] if k < len(pool) else np.arange(len(pool))
    floor = pool[near].min()
    near = np.flatnonzero(pool >= floor)
    order = near[np.lexsort((near, -pool[near]))][:k]
    return [int(i) for i in (order if rows is None else rows[order])]


class Lexical:
    """Okapi BM25 (k1 = 1.2, b = 0.75) over case-folded words with a plural `s` dropped; of Chinese over signs and pairs of them."""

    def __init__(self, texts: list[str]) -> None:
        import numpy as np

        counts = [Counter(_terms(t)) for t in texts]
        lengths = np.array([sum(c.values()) for c in counts], dtype=np.float64)
        norm = 1.2 * (0.25 + 0.75 * lengths / max(lengths.mean() if len(lengths) else 1.0, 1e-9))
        postings: dict[str, list[tuple[int, int]]] = {}
        for row, count in enumerate(counts):
            for word, n in count.items():
                postings.setdefault(word, []).append((row, n))
        self._n, self._mean = len(texts), lengths.mean() if len(lengths) else 1.0
        self._postings: dict[str, tuple[Any, Any]] = {}
        for word, entries in postings.items():
            rows = np.array([r for r, _ in entries])
            tf = np.array([n for _, n in entries], dtype=np.float64)
            idf = math.log(1 + (self._n - len(entries) + 0.5) / (len(entries) + 0.5))
            self._postings[word] = (rows, idf * tf * 2.2 / (tf + norm[rows]))

    def ranked(self, query: str, limit: int, rows: Any = None) -> list[tuple[float, int]]:
        import numpy as np

        scores = np.zeros(self._n)
        for word in dict.fromkeys(_asked(query)):
            if word in self._postings:
                hit, weight = self._postings[word]
                scores[hit] += weight
        return [(float(scores[i]), i) for i in best(scores, limit, rows) if scores[i] > 0]

    def score(self, query: str, text: str) -> float | None:
        counts = Counter(_terms(text))
        norm = 1.2 * (0.25 + 0.75 * sum(counts.values()) / max(self._mean, 1e-9))
        total = 0.0
        for word in dict.fromkeys(_asked(query)):
            known = len(self._postings[word][0]) if word in self._postings else 0
            idf = math.log(1 + (self._n - known + 0.5) / (known + 0.5))
            total += idf * counts[word] * 2.2 / (counts[word] + norm)
        return total or None

    def nearness(self, a: str, b: str) -> float:
        one, two = Counter(_asked(a)), Counter(_asked(b))
        dot = sum(n * two[w] for w, n in one.items())
        size = math.sqrt(sum(n * n for n in one.values()) * sum(n * n for n in two.values()))
        return dot / size if size else 0.0


def _terms(text: str) -> list[str]:
    """What a text can be found by."""
    return [stem(w) for w in words(text)] + _pairs(text)


def _asked(query: str) -> list[str]:
    """What a query looks for: a single sign of Chinese says too little where it stands in a run."""
    single = {sign for run in signs(query) if len(run) > 1 for sign in run} - {run for run in signs(query) if len(run) == 1}
    return [stem(w) for w in words(query) if w not in single] + _pairs(query)


def _pairs(text: str) -> list[str]:
    return [run[i : i + 2] for run in signs(text) for i in range(len(run) - 1)]


def stem(word: str) -> str:
    """A word without a plural `s`."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


class Semantic:
    """Cosine of normalised embeddings; queries must be encoded before (`vectors`)."""

    def __init__(self, matrix: Any, vectors: dict[str, Any]) -> None:
        self._matrix, self._vectors = matrix, vectors

    def ranked(self, query: str, limit: int, rows: Any = None) -> list[tuple[float, int]]:
        scores = self._matrix @ self._vector(query)
        return [(float(scores[i]), i) for i in best(scores, limit, rows)]

    def score(self, query: str, text: str) -> float | None:
        return self.nearness(query, text)

    def nearness(self, a: str, b: str) -> float:
        return float(self._vector(a) @ self._vector(b))

    def _vector(self, query: str) -> Any:
        vector = self._vectors.get(query)
        if vector is None:
            raise Pending(query)
        return vector
