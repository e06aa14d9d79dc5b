"""The index of a store's texts on disk: int8 rows with a scale each, keyed by the digests of weights and texts."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from shopdsl.dsl.cache import cache_folder
from shopdsl.runtime.shop.encoder import COLUMNS, MODEL, WEIGHTS, Encoder
from shopdsl.runtime.shop.store import Store

FORMAT = 1


class IndexBroken(Exception):
    """An index file that cannot be used."""


def matrix(store: Store, encoder: Encoder, progress: Callable[[int], None] | None = None) -> Any:
    """The float32 matrix of a store: from a shipped or cached index of the same texts and weights, else made now and cached."""
    texts = store.data["search"]["texts"]
    for path in _candidates(texts):
        try:
            return load(path, texts)
        except (OSError, IndexBroken):
            continue
    made = quantise(encoder.encode(store.texts(), progress))
    path = cache_folder() / "index" / f"{texts[:24]}.index"
    with suppress(OSError):  # a cache that cannot be written costs time, not the run
        save(path, texts, *made)
    return restore(*made)


def is_made(store: Store) -> bool:
    """Is there an index of just these texts?"""
    texts = store.data["search"]["texts"]
    return any(_header(path).get("texts") == texts for path in _candidates(texts))


def _candidates(texts: str) -> Iterator[Path]:
    shipped = Path(__file__).resolve().parents[2] / "specs" / "catalogs"
    for path in [*sorted(shipped.glob("*.index")), cache_folder() / "index" / f"{texts[:24]}.index"]:
        if path.is_file() and _header(path).get("texts") == texts and _header(path).get("weights") == WEIGHTS:
            yield path


def _header(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = json.loads(file.readline(4096))
        return data if isinstance(data, dict) else {}
    except (OSError, ValueError):
        return {}


def quantise(vectors: Any) -> tuple[Any, Any]:
    """float32 rows as int8 rows and float32 scales."""
    import numpy as np

    scales = np.maximum(np.abs(vectors).max(axis=1), 1e-9).astype(np.float32) / 127
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


def restore(rows: Any, scales: Any) -> Any:
    """Normalised float32 rows from int8 rows and scales."""
    import numpy as np

    result = rows.astype(np.float32) * scales[:, None]
    return result / np.maximum(np.linalg.norm(result, axis=1, keepdims=True), 1e-9)


def save(path: Path, texts: str, rows: Any, scales: Any) -> None:
    """Write an index; it appears only when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {"format": FORMAT, "model": MODEL, "weights": WEIGHTS, "texts": texts, "rows": len(rows), "columns": COLUMNS}
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    partial.write_bytes(json.dumps(head, sort_keys=True).encode() + b"\n" + scales.tobytes() + rows.tobytes())
    os.replace(partial, path)


def load(path: Path, texts: str) -> Any:
    """The matrix of an index file; raises IndexBroken where it is not of these texts or was cut."""
    import numpy as np

    data = path.read_bytes()
    line = data.index(b"\n") + 1
    head = json.loads(data[:line])
    n = head["rows"]
    if head.get("format") != FORMAT or head.get("texts") != texts or len(data) != line + n * (4 + COLUMNS):
        raise IndexBroken(str(path))
    scales = np.frombuffer(data, dtype=np.float32, count=n, offset=line)
    rows = np.frombuffer(data, dtype=np.int8, count=n * COLUMNS, offset=line + 4 * n).reshape(n, COLUMNS)
    return restore(rows, scales)
