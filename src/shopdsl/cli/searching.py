"""The search engines of a plan's stores, with progress on a terminal and errors for people."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from shopdsl.cli.common import Trouble, progress
from shopdsl.dsl.plan import PlanError
from shopdsl.runtime.shop.encoder import Encoder, EncoderMissing
from shopdsl.runtime.shop.engines import equip
from shopdsl.runtime.world import World


@contextmanager
def engines(world: World) -> Iterator[Encoder | None]:
    """The engines of all stores, and the encoder that trials ask for query vectors (none where no store needs one)."""
    encoder = None
    try:
        encoder = equip(world, progress)
        yield encoder
    except (EncoderMissing, PlanError) as error:
        raise Trouble(str(error)) from None
    finally:
        if encoder is not None:
            encoder.close()
