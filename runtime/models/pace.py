"""How fast an endpoint may be asked: requests and tokens of any minute, requests at once, and a pause that it asked for."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

MINUTE = 60.0


@dataclass
class Spent:
    """What was used, and when; `counts` while it is less than a minute ago."""

    at: float
    amount: int
    counts: bool = True


class Window:
    """So much of something in any minute."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._spent: deque[Spent] = deque()
        self._total = 0

    def wait(self, amount: int, now: float) -> float:
        """Seconds until so much more fits; what is more than a minute's worth fits into an empty minute."""
        while self._spent and self._spent[0].at <= now - MINUTE:
            gone = self._spent.popleft()
            self._total, gone.counts = self._total - gone.amount, False
        over = self._total + min(amount, self.most) - self.most
        for spent in self._spent:
            if over <= 0:
                break
            over -= spent.amount
            if over <= 0:
                return spent.at + MINUTE - now
        return 0.0

    def take(self, amount: int, now: float) -> Spent:
        """Note that so much was used."""
        spent = Spent(now, amount)
        self._spent.append(spent)
        self._total += amount
        return spent

    def correct(self, spent: Spent, amount: int) -> None:
        """It was other than noted; what was used a minute ago counts no more."""
        if spent.counts:
            self._total, spent.amount = self._total + amount - spent.amount, amount


class Pace:
    """Lets requests through, in the order in which they came, as fast as the limits of a model allow."""

    def __init__(self, requests: int | None = None, tokens: int | None = None, at_once: int | None = None) -> None:
        self._requests = Window(requests) if requests else None
        self._tokens = Window(tokens) if tokens else None
        self._free = asyncio.Semaphore(at_once) if at_once else None
        self._turn = asyncio.Lock()
        self._not_before = 0.0

    @asynccontextmanager
    async def slot(self, tokens: int) -> AsyncIterator[Spent | None]:
        """A place for one request that may take so many tokens; what is noted of them may be corrected."""
        if self._free is None:
            yield await self._admit(tokens)
            return
        async with self._free:
            yield await self._admit(tokens)

    async def _admit(self, tokens: int) -> Spent | None:
        async with self._turn:
            while (seconds := self._wait(tokens, time.monotonic())) > 0:
                await asyncio.sleep(seconds)
            now = time.monotonic()
            if self._requests:
                self._requests.take(1, now)
            return self._tokens.take(tokens, now) if self._tokens else None

    def _wait(self, tokens: int, now: float) -> float:
        waits = [self._not_before - now]
        if self._requests:
            waits.append(self._requests.wait(1, now))
        if self._tokens:
            waits.append(self._tokens.wait(tokens, now))
        return max(waits)

    def correct(self, taken: Spent | None, used: int) -> None:
        """A request took other than expected."""
        if self._tokens and taken:
            self._tokens.correct(taken, used)

    def hold(self, seconds: float) -> None:
        """The endpoint asked for a pause: nobody asks before it is over."""
        self._not_before = max(self._not_before, time.monotonic() + seconds)
