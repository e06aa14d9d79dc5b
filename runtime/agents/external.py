"""Agents of users: a program that speaks JSON lines, and a Python callable."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shopdsl.runtime.agents.protocol import Action, AgentFault, Event

MAX_LINE = 1_000_000
MAX_WORDS = 300


class Command:
    """A program, started once a trial. It reads events from stdin and writes actions to stdout, one JSON object a line."""

    def __init__(self, command: list[str], timeout: float, folder: Path | None) -> None:
        self._command, self._timeout, self._folder = command, timeout, folder
        self._process: asyncio.subprocess.Process | None = None
        self._complaints = b""
        self._listening: asyncio.Task[None] | None = None

    async def start(self, event: Event) -> None:
        """Start the program and send `start`; raises AgentFault."""
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=self._folder,
                limit=MAX_LINE,
                env=dict(os.environ),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise AgentFault("agent_exited", f"cannot start {self._command[0]!r}: {error}") from None
        self._listening = asyncio.create_task(self._listen())
        await self._send(event)

    async def _listen(self) -> None:
        """Keep the end of what it writes to stderr, however much that is."""
        assert self._process is not None
        assert self._process.stderr is not None
        while part := await self._process.stderr.read(1 << 16):
            self._complaints = (self._complaints + part)[-MAX_WORDS:]

    async def step(self, event: Event) -> Action:
        """Send an event and read the next action; raises AgentFault."""
        await self._send(event)
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(self._timeout):
                line = await self._process.stdout.readline()
        except TimeoutError:
            raise AgentFault("agent_timeout", f"no answer within {self._timeout:g} s") from None
        except ValueError:
            raise AgentFault("agent_protocol", f"a line of more than {MAX_LINE:,} bytes") from None
        if not line:
            raise AgentFault("agent_exited", await self._last_words())
        try:
            return json.loads(line)  # type: ignore[no-any-return]
        except (ValueError, RecursionError):
            raise AgentFault("agent_protocol", f"not JSON: {line[:80]!r}") from None

    async def _send(self, event: Event) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(event, ensure_ascii=False).encode() + b"\n")
            async with asyncio.timeout(self._timeout):
                await self._process.stdin.drain()
        except TimeoutError:
            raise AgentFault("agent_timeout", f"it reads nothing for {self._timeout:g} s") from None
        except (ConnectionError, RuntimeError):
            raise AgentFault("agent_exited", await self._last_words()) from None

    async def _last_words(self) -> str:
        """How the program ended, and the end of what it wrote to stderr."""
        assert self._process is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self._process.wait()
        if self._listening is not None:
            await asyncio.wait({self._listening}, timeout=1)
        words = self._complaints.decode("utf-8", "replace").strip()
        return f"it ended with code {self._process.returncode}" + (f": {words}" if words else "")

    async def close(self) -> None:
        """End the program and whatever it started."""
        if self._process is None:
            return
        if self._process.stdin is not None:
            self._process.stdin.close()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self._process.returncode is None:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(0.2):
                        await self._process.wait()
            os.killpg(self._process.pid, 9)
        await self._drain()
        if self._listening is not None:
            await asyncio.wait({self._listening}, timeout=1)
            self._listening.cancel()
        with contextlib.suppress(TimeoutError):  # what it started may have left its group and hold the pipes
            async with asyncio.timeout(5):
                await self._process.wait()

    async def _drain(self) -> None:
        """Read what a killed program still had to say: asyncio waits for the end of its pipes before it sees the end of the process."""
        assert self._process is not None
        assert self._process.stdout is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(5):
                while await self._process.stdout.read(1 << 16):
                    pass


class PythonAgent:
    """A callable that is given `start` and returns a function from events to actions (plain or async)."""

    def __init__(self, make: Callable[[Event], Any], timeout: float) -> None:
        self._make, self._timeout = make, timeout
        self._step: Callable[[Event], Any] | None = None

    async def start(self, event: Event) -> None:
        self._step = await self._guarded(self._make, event)

    async def step(self, event: Event) -> Action:
        if not callable(self._step):
            raise AgentFault("agent_protocol", "the callable must return a function of one event")
        return await self._guarded(self._step, event)  # type: ignore[no-any-return]

    async def _guarded(self, call: Callable[[Event], Any], event: Event) -> Any:
        try:
            result = call(event)
            if not inspect.isawaitable(result):
                return result
            async with asyncio.timeout(self._timeout):
                return await result
        except TimeoutError:
            raise AgentFault("agent_timeout", f"no answer within {self._timeout:g} s") from None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # somebody else wants an end
                raise
            raise AgentFault("agent_exited", "it cancelled its own turn") from None
        except (Exception, SystemExit) as error:  # an agent's own mistake, of whatever kind, ends its trial and no other
            raise AgentFault("agent_exited", f"{type(error).__name__}: {error}") from None

    async def close(self) -> None:
        """Nothing to release."""


def load_callable(path: str, folder: str) -> Callable[[Event], Any]:
    """`module:name`, looked up with `folder` first; raises ImportError or AttributeError."""
    module, _, name = path.partition(":")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    target: Any = importlib.import_module(module)
    for part in name.split("."):
        target = getattr(target, part)
    if not callable(target):
        raise AttributeError(f"{path} is not callable")
    return target  # type: ignore[no-any-return]
