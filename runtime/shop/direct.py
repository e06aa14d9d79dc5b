"""Calls of a store's tools outside a trial: texts that a search by meaning needs are encoded on the spot."""

from __future__ import annotations

from typing import Any

from shopdsl.runtime.shop.encoder import Encoder
from shopdsl.runtime.shop.search import Pending
from shopdsl.runtime.shop.state import State
from shopdsl.runtime.shop.store import Store
from shopdsl.runtime.shop.tools import Outcome


def call_directly(store: Store, tool: str, args: dict[str, Any], state: State, encoder: Encoder | None) -> Outcome:
    """What a call gives; the encoder is for stores that search by meaning."""
    while True:
        try:
            return store.call(tool, args, state)
        except Pending as pending:
            assert encoder is not None
            encoder.add(pending.text)
