"""Works on claimed events, a set number at a time, each under a lease that is renewed while the work goes on.

What a killed process left behind is taken up as soon as its lease runs out. Nothing here knows what the work is.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal, Protocol

from bot.failures import log_failure, new_code
from bot.incoming import Incoming, Surface
from bot.ledger import Ledger
from core.errors import SlackError, StorageError
from core.store.events import MAX_ATTEMPTS, ClaimedEvent

logger = logging.getLogger("testigo.worker")

LOOK_AROUND_SECONDS = 2.0
"""How often the store is asked for events that nobody has announced: those of processes that died."""
GRACE_SECONDS = 20.0
"""How long work may still take when the bot is told to stop."""
RENEWALS_PER_LEASE = 3


class Handler(Protocol):
    """Does the work of one kind of event."""

    async def handle(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Do it, and tell the person whatever comes of it.

        Raises:
            SlackError: the person could not be told anything; another attempt is worth it later.
        """
        ...

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Tell the person that it will not be done.

        Raises:
            SlackError: the person could not be told.
        """
        ...


class Worker:
    """Leases events and hands them to their handlers until it is stopped."""

    def __init__(
        self,
        ledger: Ledger,
        handlers: Mapping[Surface, Handler],
        *,
        at_once: int,
        lease_seconds: float,
        look_around_seconds: float = LOOK_AROUND_SECONDS,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._ledger = ledger
        self._handlers = dict(handlers)
        self._at_once = at_once
        self._lease_seconds = lease_seconds
        self._look_around_seconds = look_around_seconds
        self._grace_seconds = grace_seconds
        self._owner = f"{socket.gethostname()[:32]}:{os.getpid()}:{secrets.token_hex(4)}"
        self._something_came = asyncio.Event()
        self._is_idle = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._last_look = time.monotonic()

    def wake(self) -> None:
        """Say that an event has been claimed."""
        self._is_idle.clear()
        self._something_came.set()

    async def idle(self) -> None:
        """Return once nothing is being worked on and there was nothing more to take."""
        await self._is_idle.wait()

    @property
    def is_alive(self) -> bool:
        """Whether the loop has looked for work lately."""
        return time.monotonic() - self._last_look < 10 * self._look_around_seconds + 30

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set; then let the work that is going on end, and give back what does not end in time."""
        stopping = asyncio.create_task(stop.wait())
        try:
            while not stop.is_set():
                self._something_came.clear()
                self._last_look = time.monotonic()
                took_all = await self._take()
                if not took_all:
                    await self._wait_for_work(stopping)
        finally:
            stopping.cancel()
            await self._wind_down()

    async def _take(self) -> bool:
        """Begin with as many events as there is room for; whether there may be more to take at once."""
        room = self._at_once - len(self._tasks)
        if room <= 0:
            return False
        try:
            leased = await self._ledger.lease(self._owner, self._lease_seconds, room)
        except StorageError as error:
            logger.warning("no events can be taken: %s", error)
            return False
        if not leased and not self._tasks and not self._something_came.is_set():
            self._is_idle.set()
        for event in leased:
            self._is_idle.clear()
            task = asyncio.create_task(self._work(event), name=f"event-{event.id}")
            self._tasks.add(task)
            task.add_done_callback(self._ended)
        return len(leased) == room and len(self._tasks) < self._at_once

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._something_came.set()  # there is room for another

    async def _wait_for_work(self, stopping: asyncio.Task[Literal[True]]) -> None:
        came = asyncio.create_task(self._something_came.wait())
        try:
            await asyncio.wait({came, stopping}, timeout=self._look_around_seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            came.cancel()

    async def _work(self, event: ClaimedEvent) -> None:
        """Handle one event, with its lease renewed meanwhile. The lease lost, the work stops: another has it."""
        handling = asyncio.create_task(self._handle(event))
        renewing = asyncio.create_task(self._renew(event))
        both: set[asyncio.Task[Any]] = {handling, renewing}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if not handling.done():
                logger.warning("event %d: its lease is lost, its work stops", event.id)
        finally:
            for task in (renewing, handling):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def _renew(self, event: ClaimedEvent) -> None:
        """Renew the lease until it is lost."""
        held_until = time.monotonic() + self._lease_seconds
        while True:
            await asyncio.sleep(self._lease_seconds / RENEWALS_PER_LEASE)
            began = time.monotonic()
            try:
                if not await self._ledger.renew(event.id, self._owner, self._lease_seconds):
                    return
                held_until = began + self._lease_seconds
            except StorageError as error:
                logger.warning("event %d: its lease is not renewed (%s)", event.id, type(error).__name__)
                if time.monotonic() >= held_until - self._lease_seconds / RENEWALS_PER_LEASE:
                    return

    async def _handle(self, event: ClaimedEvent) -> None:
        state = "done"
        try:
            incoming = Incoming.from_payload(event.payload)
            handler = self._handlers[incoming.surface]
            if event.attempts > MAX_ATTEMPTS:
                state = "failed"
                await handler.give_up(event, incoming)
            else:
                await handler.handle(event, incoming)
        except SlackError as error:
            # The person knows nothing yet. The lease runs out, and another attempt is made, until there were too many.
            log_failure(event.id, error, new_code())
            if event.attempts <= MAX_ATTEMPTS:
                return
            state = "failed"
        except Exception as error:
            log_failure(event.id, error, new_code())
            if event.attempts <= MAX_ATTEMPTS:
                return
            state = "failed"
        try:
            await self._ledger.finish(event.id, state)
        except StorageError as error:
            logger.warning("event %d: its end is not noted (%s)", event.id, type(error).__name__)

    async def _wind_down(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._grace_seconds)
        for task in list(self._tasks):
            event_id = int(task.get_name().removeprefix("event-"))
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            with suppress(StorageError):
                await self._ledger.release(event_id)
