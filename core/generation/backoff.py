"""When to ask Claude again: full jitter, the service's own `retry-after`, and never past the answer's deadline.

Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeVar

from core.generation.errors import GenerationError, RateLimited

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A new attempt begins; whatever came before it is void and must be forgotten. `failed` is what ended the last."""

    number: int
    failed: GenerationError | None = None


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait between attempts. Times in seconds; `clock` is monotonic, `jitter` gives a number in [0, 1)."""

    base: float = 0.5
    cap: float = 8.0
    attempts: int = 4
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    jitter: Callable[[], float] = random.random

    def delay(self, failures: int, error: GenerationError) -> float:
        """Seconds to wait after so many failures: a random part of a growing span, on top of `retry-after`."""
        span = min(self.cap, self.base * 2.0 ** (failures - 1))
        asked = (error.retry_after or 0.0) if isinstance(error, RateLimited) else 0.0
        return asked + span * self.jitter()

    async def attempts_of(
        self,
        ask: Callable[[int], AsyncGenerator[T, None]],
        *,
        deadline: float,
        may_retry: Callable[[], bool] = _always,
    ) -> AsyncGenerator[Attempt | T, None]:
        """The events of `ask(number)`, each attempt introduced by an `Attempt`, until one attempt ends well.

        `may_retry` is asked at each failure: it must say no from the moment the first claim has gone downstream, since
        a shown claim cannot be unsaid and text of another run never continues it. Raises the last error when it may
        not be retried, when the attempts are used up, or when the wait would pass `deadline` (on `clock`).
        """
        failed: GenerationError | None = None
        for number in range(1, self.attempts + 1):
            yield Attempt(number, failed)
            try:
                async with aclosing(ask(number)) as events:
                    async for event in events:
                        yield event
                return
            except GenerationError as error:
                failed = error
            delay = self.delay(number, failed)
            last = number == self.attempts
            if last or not failed.retryable or not may_retry() or self.clock() + delay >= deadline:
                raise failed
            await self.sleep(delay)
