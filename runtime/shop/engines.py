"""Gives every store of a plan its search engine, and trials the encoder that they ask for query vectors."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from shopdsl.runtime.shop.encoder import Encoder
from shopdsl.runtime.shop.search import Lexical, Semantic
from shopdsl.runtime.shop.store import Store
from shopdsl.runtime.world import World

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]


def quiet(label: str, length: int) -> AbstractContextManager[Callable[[int], None]]:
    """Nobody is told how far it is."""
    return nullcontext(lambda done: None)


def equip(world: World, progress: Progress = quiet) -> Encoder | None:
    """Give all stores their engines; the encoder, where a store needs one, is for the caller to close. Raises EncoderMissing or PlanError."""
    stores = [world.store(name) for name in world.header["stores"]]
    semantic = any(s.data["search"]["engine"] == "minilm" for s in stores)
    encoder = Encoder() if semantic else None  # it loads while the rest is made ready
    for store in stores:
        if store.data["search"]["engine"] == "lexical":
            store.engine = Lexical(store.texts())
        else:
            assert encoder is not None
            store.engine = _semantic(store, encoder, progress)
    return encoder


def _semantic(store: Store, encoder: Encoder, progress: Progress) -> Semantic:
    from shopdsl.runtime.shop.index import matrix

    with progress("encoding products", len(store.products)) as advance:
        return Semantic(matrix(store, encoder, advance), encoder.vectors)
