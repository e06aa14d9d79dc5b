"""Asks one model at one endpoint: paced, tried again where that may help, counted and paid for. It knows nothing of what is asked."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

from shopdsl.dsl.plan import RESERVED
from shopdsl.dsl.terminal import clean
from shopdsl.runtime.models.endpoint import Endpoint
from shopdsl.runtime.models.faults import ContextTooLong, Denied, EndpointFault, Rejected
from shopdsl.runtime.models.pace import Pace
from shopdsl.runtime.models.pools import Pools
from shopdsl.runtime.models.retry import AGAIN, retry_after, wait_before
from shopdsl.runtime.models.texts import is_text, spoken
from shopdsl.runtime.models.usage import Purse, Usage, cost, guessed, read_usage
from shopdsl.runtime.watch import Note, unwatched

DENIED = frozenset({401, 403, 404})
SHORT = 300
_TOO_LONG = ("context_length", "context length", "maximum context", "context window", "too many tokens", "prompt is too long")


@dataclass(frozen=True)
class Completion:
    """What a model answered: its message as it was sent, why it ended, and what it took."""

    message: dict[str, Any]
    finish: str
    usage: Usage
    seconds: float

    @property
    def text(self) -> str:
        """What it said, without the thoughts that some servers leave before it; halves of characters are replaced."""
        return spoken(self.message)


@dataclass
class Account:
    """Who asks (agent, customer, judge), for which trial, and what it has taken so far."""

    role: str
    trial: str = ""
    repeat: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: Decimal = Decimal(0)

    def names(self) -> dict[str, Any]:
        """For those who watch."""
        return {"role": self.role} | ({"trial": self.trial, "repeat": self.repeat} if self.trial else {})

    def pay(self, usage: Usage, price: Decimal) -> None:
        """Count an answer."""
        self.usage.add(usage)
        self.cost += price

    def as_data(self) -> dict[str, Any]:
        """For the record of a trial."""
        return {**self.usage.as_data(), **({"cost": f"{self.cost.normalize():f}"} if self.cost else {})}


class Garbled(Exception):
    """An answer that is no completion."""


@dataclass
class ModelClient:
    """One model, as its spec says, at one endpoint. Used inside of one event loop, and closed there."""

    model: dict[str, Any]
    endpoint: Endpoint
    purse: Purse = field(default_factory=Purse)
    note: Note = unwatched
    _without_schema: set[str] = field(default_factory=set)

    @cached_property
    def _pools(self) -> Pools:
        return Pools(self.endpoint)

    @cached_property
    def _pace(self) -> Pace:
        limits = self.model["limits"]
        return Pace(limits["requests_per_minute"], limits["tokens_per_minute"], limits["at_once"])

    async def close(self) -> None:
        """Close the connections."""
        await self._pools.close()

    async def structured(self, messages: list[dict[str, Any]], name: str, schema: dict[str, Any], account: Account) -> Completion:
        """An answer of a JSON Schema; a server that knows none is asked without, and not again with it."""
        form = {"type": "json_schema", "json_schema": {"name": name[:64], "schema": schema, "strict": _is_strict(schema)}}
        if name not in self._without_schema:
            try:
                return await self.complete(messages, account, response_format=form)
            except ContextTooLong:
                raise
            except Rejected:
                pass
        answer = await self.complete(messages, account)
        self._without_schema.add(name)
        return answer

    async def complete(self, messages: list[dict[str, Any]], account: Account, **options: Any) -> Completion:
        """The model's next message; raises an EndpointFault, or BudgetSpent."""
        request = {"model": self.model["model"], "messages": messages, **_sampling(self.model), **options}
        expected = guessed(json.dumps(request, ensure_ascii=False))
        self._pools.begin()
        attempt = 0
        while True:
            attempt += 1
            async with self._pace.slot(expected) as taken:
                self.purse.check()
                started = time.perf_counter()
                try:
                    with self.purse.holding(expected, self.model["price"]), self._pools.client() as client:
                        body = await self._send(client.post, request)
                except Exception as error:  # whatever a server sends is its fault, and nobody's else
                    failed, seconds = error, time.perf_counter() - started
                else:
                    seconds, usage = time.perf_counter() - started, self._usage(body, expected)
                    self._pace.correct(taken, usage.tokens)
                    return self._counted(body, usage, seconds, attempt, account)
            await self._again(failed, attempt, seconds, account)

    async def _send(self, post: Any, request: dict[str, Any]) -> dict[str, Any]:
        import httpx2

        extra = {k: v for k, v in json.loads(self.model["extra"]).items() if k not in RESERVED}
        seconds = float(self.model["limits"]["timeout"])
        try:
            async with asyncio.timeout(seconds):  # of the whole answer: one that comes byte by byte is none
                # `chat.completions.create` would look at every message again, which takes longer than all the rest
                answer = await post("/chat/completions", cast_to=httpx2.Response, body=request | extra)
        except TimeoutError:
            raise Garbled(f"no answer within {seconds:g} s") from None
        return _checked(self._plain(answer.content.decode("utf-8", "replace")))

    def _plain(self, text: str) -> Any:
        """The JSON of an answer, in which neither the key nor half a character is left, also where they were spelt with escapes."""
        try:
            return self._without_key(json.loads(text))
        except (ValueError, RecursionError):
            raise Garbled(f"it sent {len(text):,} characters that are no JSON") from None

    def _without_key(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.endpoint.without_key(value.encode("utf-8", "replace").decode())
        if isinstance(value, list):
            return [self._without_key(v) for v in value]
        if isinstance(value, dict):
            return {self._without_key(k): self._without_key(v) for k, v in value.items()}
        return value

    async def _again(self, error: Exception, attempt: int, seconds: float, account: Account) -> None:
        """Wait before the next try; raises what is to be done where there is none."""
        why = self._reason(error)
        wait = wait_before(attempt, _status(error), _headers(error))
        if wait is None or attempt > self.model["limits"]["retries"]:
            raise _fault(error, f"{self.model['model']} at {self.endpoint.place}: {why}{self._hint(error)}") from None
        failed = {"status": _status(error), "seconds": round(seconds, 4), "why": why, "wait": round(wait, 3)}
        self.note({"event": "retry", **account.names(), **self._who(), **failed})
        if (
            _status(error) in (429, 503) and retry_after(_headers(error)) is not None
        ):  # it asks for a pause, and not only this request
            self._pace.hold(wait)
        else:
            await asyncio.sleep(wait)

    def _hint(self, error: Exception) -> str:
        """What its user may have overlooked."""
        if _status(error) in (401, 403) and self.endpoint.key is None:
            return "; no key was sent, for none was set for this address"
        return "; most addresses end in /v1" if _status(error) == 404 and "/v1" not in self.endpoint.address else ""

    def _usage(self, body: dict[str, Any], expected: int) -> Usage:
        made = guessed(json.dumps(body["choices"][0]["message"], ensure_ascii=False))
        return read_usage(body, (expected, made))

    def _counted(self, body: dict[str, Any], usage: Usage, seconds: float, tries: int, account: Account) -> Completion:
        choice = body["choices"][0]
        price = cost(usage, self.model["price"])
        self.purse.pay(usage, price)
        account.pay(usage, price)
        finish = str(choice.get("finish_reason") or "stop")[:SHORT]
        self.note(
            {
                "event": "request", **account.names(), **self._who(), "seconds": round(seconds, 4), "usage": usage.as_data(),
                "cost": str(price), "tries": tries, "finish": finish,
            }
        )  # fmt: skip
        return Completion(choice["message"], finish, usage, seconds)

    def _who(self) -> dict[str, str]:
        return {"model": str(self.model["model"]), "place": self.endpoint.place}

    def _reason(self, error: Exception) -> str:
        """What went wrong, in one line without control characters and without the key."""
        inner = error.__cause__ if not _status(error) else None
        cause = f" ({type(inner).__name__}: {inner})" if inner is not None else ""
        text = clean(" ".join(f"{error}{cause}".split())) or type(error).__name__
        return self.endpoint.without_key(text)[:SHORT]


def _checked(body: Any) -> dict[str, Any]:
    """A completion with a message; raises Garbled."""
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict) or not isinstance(first.get("message"), dict):
        raise Garbled("it sent no completion")
    if not is_text(first["message"].get("content")):
        raise Garbled("it sent a completion whose content is no text")
    return body  # type: ignore[no-any-return]


def _is_strict(schema: Any) -> bool:
    """Servers that hold a model to a schema want every property to be required."""
    if isinstance(schema, list):
        return all(map(_is_strict, schema))
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    whole = not isinstance(properties, dict) or set(properties) == set(schema.get("required", []))
    return whole and all(map(_is_strict, schema.values()))


def _sampling(model: dict[str, Any]) -> dict[str, Any]:
    whole = ("max_tokens", "seed")
    return {k: int(v) if k in whole else float(v) for k, v in model["sampling"].items()}


# what went wrong


def _status(error: Exception) -> int:
    status = getattr(error, "status_code", 0)
    return status if isinstance(status, int) else 0


def _headers(error: Exception) -> Any:
    return getattr(getattr(error, "response", None), "headers", None) or {}


def _fault(error: Exception, message: str) -> EndpointFault:
    status = _status(error)
    if status in DENIED or 300 <= status < 400:
        return Denied(message)
    if 400 <= status < 500 and status not in AGAIN:
        text = str(error).lower()
        return ContextTooLong(message) if any(t in text for t in _TOO_LONG) else Rejected(message)
    return EndpointFault(message)
