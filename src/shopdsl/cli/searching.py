"""Gives every store of a plan its search engine; the encoder loads while the rest is made ready."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from shopdsl.cli.common import Trouble, progress
from shopdsl.dsl.plan import PlanError
from shopdsl.runtime.shop.encoder import Encoder, EncoderMissing
from shopdsl.runtime.shop.search import Lexical, Semantic
from shopdsl.runtime.shop.store import Store
from shopdsl.runtime.world import World


@contextmanager
def engines(world: World) -> Iterator[Encoder | None]:
    """The engines of all stores, and the encoder that trials ask for query vectors (none where no store needs one)."""
    encoder = None
    try:
        stores = [world.store(name) for name in world.header["stores"]]
        if any(s.data["search"]["engine"] == "minilm" for s in stores):
            encoder = Encoder()
        for store in stores:
            if store.data["search"]["engine"] == "lexical":
                store.engine = Lexical(store.texts())
            else:
                assert encoder is not None
                store.engine = _semantic(store, encoder)
        yield encoder
    except (EncoderMissing, PlanError) as error:
        raise Trouble(str(error)) from None
    finally:
        if encoder is not None:
            encoder.close()


def _semantic(store: Store, encoder: Encoder) -> Semantic:
    from shopdsl.runtime.shop.index import matrix

    with progress("encoding products", len(store.products)) as advance:
        return Semantic(matrix(store, encoder, advance), encoder.vectors)
