"""The store of events for an async program: each call runs in a thread of the ledger's own.

Its own, so that a claim does not wait behind the searches that fill the loop's default threads, nor behind leases and
notes: Slack waits 3 seconds for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from bot.incoming import Incoming
from core.errors import StorageError
from core.store.events import ClaimedEvent, EventStore

T = TypeVar("T")

THREADS = 2
"""One may wait for a lock of the database while the other goes on."""


class Ledger:
    """Claims, leases and ends events. Every method raises StorageError when the database does not answer."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._claims = ThreadPoolExecutor(1, thread_name_prefix="claims")
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="ledger")

    async def claim(self, event_id: str, incoming: Incoming) -> bool:
        """Write down that something came in; False when it is known already."""
        claim = partial(
            self._store.claim,
            team_id=incoming.team_id,
            event_id=event_id,
            subject=incoming.subject,
            kind=incoming.surface.value,
            payload=incoming.to_payload(),
        )
        return await self._run(claim, threads=self._claims)

    async def lease(self, owner: str, seconds: float, limit: int) -> list[ClaimedEvent]:
        """Take up to `limit` events that nobody holds."""
        return await self._run(self._store.lease, owner, seconds, limit)

    async def renew(self, event_id: int, owner: str, seconds: float) -> bool:
        """Hold an event longer; False when another holds it by now."""
        return await self._run(self._store.renew, event_id, owner, seconds)

    async def note(self, event_id: int, delivered: Mapping[str, Any]) -> None:
        """Write down what has been shown for an event."""
        await self._run(self._store.note_delivered, event_id, delivered)

    async def finish(self, event_id: int, state: str) -> None:
        """End an event."""
        await self._run(self._store.finish, event_id, state)

    async def release(self, event_id: int) -> None:
        """Give an event back."""
        await self._run(self._store.release, event_id)

    async def open_count(self) -> int:
        """How many events wait or are worked on."""
        return await self._run(self._store.open_count)

    def close(self) -> None:
        """End the threads once their calls are done."""
        self._claims.shutdown(wait=True)
        self._threads.shutdown(wait=True)

    async def _run(self, call: Callable[..., T], *args: Any, threads: ThreadPoolExecutor | None = None) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(threads or self._threads, partial(call, *args))
        except SQLAlchemyError as error:
            # The text of an SQLAlchemyError repeats the row: it must not reach the log.
            raise StorageError(f"The database does not answer ({type(error).__name__}).") from None
