"""Time as the stand-in sees it: the machine's, or one that a test moves by hand."""

import asyncio
import heapq
import itertools
import time
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Clock(Protocol):
    """Tells the time in Unix seconds and waits."""

    def now(self) -> float:
        """Return the time in Unix seconds."""

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds of this clock."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Return the time in Unix seconds."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds."""
        await asyncio.sleep(seconds)


class ManualClock:
    """A clock that stands still until `advance` moves it; who sleeps wakes in the order of their times."""

    def __init__(self, start: float = 1_760_000_000.0) -> None:
        self._now = start
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> float:
        """Return the time in Unix seconds."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Return once the clock was advanced by so many seconds."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + seconds, next(self._order), woken))
        await woken

    async def advance(self, seconds: float) -> None:
        """Move the clock forward, waking every sleeper whose time comes, and let them run."""
        target = self._now + seconds
        await _let_others_run()
        while self._sleepers and self._sleepers[0][0] <= target:
            due, _, woken = heapq.heappop(self._sleepers)
            self._now = max(self._now, due)
            if not woken.done():
                woken.set_result(None)
            await _let_others_run()
        self._now = target


async def _let_others_run() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def within(clock: Clock, seconds: float, answer: "asyncio.Future[T]") -> bool:
    """Wait for an answer for so many seconds of the clock; say whether it came."""
    alarm: asyncio.Future[None] = asyncio.ensure_future(clock.sleep(seconds))
    try:
        waiting: set[asyncio.Future[Any]] = {alarm, answer}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        return answer.done() and not answer.cancelled()
    finally:
        alarm.cancel()
