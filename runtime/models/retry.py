"""When a request is worth another try, and after how long: 408, 409, 429, 5xx and connections that broke, with what `Retry-After` asks for."""

from __future__ import annotations

import email.utils
import random
import time
from collections.abc import Mapping

FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
AGAIN = frozenset({408, 409, 429})
LONGEST_ASKED = 3_600.0
"""Seconds; who asks for more is not believed."""


def wait_before(attempt: int, status: int, headers: Mapping[str, str]) -> float | None:
    """Seconds before the next try (`attempt` were made; status 0: no answer at all), or None: what a client did wrong stays wrong.

    A server that says itself whether it is worth it (`x-should-retry`) is believed.
    """
    advice = headers.get("x-should-retry")
    if advice == "false" or (300 <= status < 500 and status not in AGAIN and advice != "true"):
        return None
    asked = retry_after(headers)
    return asked if asked is not None else min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)) * random.uniform(0.75, 1.25)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """What `Retry-After` asks for: seconds, or a date; `retry-after-ms` is more exact."""
    if (seconds := _number(headers.get("retry-after-ms"), 0.001)) is not None:
        return seconds
    if (seconds := _number(headers.get("retry-after"), 1.0)) is not None:
        return seconds
    try:
        seconds = email.utils.parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, seconds) if seconds < LONGEST_ASKED else None


def _number(text: str | None, unit: float) -> float | None:
    try:
        found = float(text or "") * unit
    except ValueError:
        return None
    return found if 0 <= found < LONGEST_ASKED else None
