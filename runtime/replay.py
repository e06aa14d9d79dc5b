"""Plays the calls that a case lists against its own state: which were refused, and which records differ at the end."""

from __future__ import annotations

from typing import Any

from shopdsl.dsl.entities import foreign
from shopdsl.runtime.expect.listed import listed_calls
from shopdsl.runtime.expect.solve import case_values
from shopdsl.runtime.shop.direct import call_directly
from shopdsl.runtime.shop.encoder import Encoder
from shopdsl.runtime.shop.state import State
from shopdsl.runtime.world import Trial


def replay(trial: Trial, encoder: Encoder | None = None) -> dict[str, Any]:
    """`changed`: whole records by `table/key`, under foreign names; `errors`: call and message; `calls`: tool and error or None.

    `cart` is there where it differs: how many of each product, by number."""
    assert trial.case is not None
    state = trial.opening()
    before, cart = state.records.changed, state.cart
    errors, calls = [], []
    names = {**trial.names, **case_values(trial.case, trial)}
    for call in listed_calls(trial.case["expects"]["groups"].get("calls"), names):
        outcome = call_directly(trial.store, call.tool, call.args, state, encoder)
        calls.append([call.tool, outcome.error])
        if outcome.error is not None:
            errors.append([call.id or call.tool, outcome.error])
    held = {"cart": {p.id: n for p, n in state.cart.counts.items()}} if state.cart != cart else {}
    return {"changed": changed_records(state, before), "errors": errors, "calls": calls, **held}


def changed_records(state: State, before: dict[tuple[str, str], Any]) -> dict[str, Any]:
    """The records that differ from an earlier state, whole, as a foreign file writes them."""
    tables = state.records.tables
    result = {}
    for record, key, data in state.records.since(before):
        if data != (before.get((record, key)) or tables.data[record].get(key)):
            result[f"{tables.shapes[record].table}/{key}"] = foreign(data, {"record": record}, tables.shapes)
    return result
