"""Constants of a spec as a plan carries them."""

from __future__ import annotations

from typing import Any

from shopdsl.dsl.values import Money, Row


def constant(value: Any) -> Any:
    """A constant from its plan data (the inverse of `compiler/constants.encode`)."""
    match value:
        case {"n": text}:
            return float(text)
        case {"money": amount, "currency": currency}:
            return Money(amount, currency)
        case {"row": fields}:
            return Row("", {k: constant(v) for k, v in fields.items()})
        case {"map": entries}:
            return {constant(k): constant(v) for k, v in entries}
        case list():
            return [constant(v) for v in value]
    return value
