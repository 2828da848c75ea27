"""Slack's postman: sends each delivery, repeats what was not acknowledged, and suffers the planned faults."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

from bot.standin.clock import Clock
from bot.standin.delivery import Attempt, Delivery, DeliveryKind, Outcome, Transport
from bot.standin.faults import Faults

RETRY_DELAYS = (0.0, 60.0, 300.0)
"""Slack repeats an event at once, after one minute and after five."""


class Courier:
    """Keeps every delivery ever made in `deliveries`, oldest first."""

    def __init__(
        self,
        clock: Clock,
        faults: Faults,
        *,
        retry_delays: tuple[float, ...],
        on_change: Callable[[], None],
        on_settled: Callable[[Delivery], None],
    ) -> None:
        self._clock = clock
        self._faults = faults
        self._retry_delays = retry_delays
        self._on_change = on_change
        self._on_settled = on_settled
        self._tasks: set[asyncio.Task[None]] = set()
        self.deliveries: list[Delivery] = []
        self.transport: Transport | None = None
        self.under_way = 0
        """How many deliveries are neither acknowledged nor given up."""

    def dispatch(self, delivery: Delivery) -> Delivery:
        """Start bringing it to the bot."""
        self.deliveries.append(delivery)
        self.under_way += 1
        self._spawn(self._bring(delivery))
        return delivery

    async def repeat(self, delivery: Delivery, number: int = 1, reason: str = "timeout") -> Attempt:
        """Send a delivery once more, whatever became of it before."""
        return await self._attempt(delivery, number, reason)

    async def close(self) -> None:
        """Stop everything that is on its way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _bring(self, delivery: Delivery) -> None:
        await self._faults.turn()
        copies, as_retries = self._faults.takes_duplicate()
        for copy in range(1, copies + 1):
            self._spawn(self._copy(delivery, copy if as_retries else 0))
        reason, error = "", "operation_timeout"
        delays = self._retry_delays if delivery.kind is DeliveryKind.EVENT else ()
        for number, delay in enumerate((0.0, *delays)):
            if number:
                await self._clock.sleep(delay)
            outcome = (await self._attempt(delivery, number, reason)).outcome
            if outcome is None or outcome.acknowledged:
                self._settle(delivery, None)
                return
            reason = outcome.reason
            error = "operation_timeout" if "timeout" in reason else "dispatch_failed"
            if not outcome.may_retry:
                break
        self._settle(delivery, error)

    async def _copy(self, delivery: Delivery, number: int) -> None:
        await self._attempt(delivery, number, "timeout" if number else "")

    async def _attempt(self, delivery: Delivery, number: int, reason: str) -> Attempt:
        attempt = Attempt(number, reason, self._clock.now())
        delivery.attempts.append(attempt)
        if number == 0 and self._faults.takes_loss():
            attempt.outcome = Outcome(acknowledged=False, reason="timeout")
        elif self.transport is None:
            attempt.outcome = Outcome(acknowledged=False, reason="connection_failed", may_retry=False)
        else:
            attempt.outcome = await self.transport.send(delivery, attempt)
        attempt.seconds = time.perf_counter() - attempt.started
        if attempt.outcome.answer:
            delivery.answer = attempt.outcome.answer
        self._on_change()
        return attempt

    def _settle(self, delivery: Delivery, error: str | None) -> None:
        self.under_way -= 1
        delivery.settle(error)
        self._on_settled(delivery)
        self._on_change()
