"""The store of events for an async program: each call runs in a thread of the ledger's own.

Its own, so that a claim does not wait behind the searches that fill the loop's default threads, nor behind leases and
notes: Slack waits 3 seconds for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from bot.claims import Claims
from bot.incoming import Incoming
from core.domain.message_life import Stage
from core.errors import StorageError
from core.store.events import ClaimedEvent, EventStore, NewEvent, OpenEvent

T = TypeVar("T")

THREADS = 2
"""One may wait for a lock of the database while the other goes on."""


class Ledger:
    """Claims, leases and ends events. Every method raises StorageError when the database does not answer."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._claims = Claims(store.claim_all)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="ledger")

    async def claim(self, event_id: str, incoming: Incoming) -> bool:
        """Write down that something came in; False when it is known already."""
        arrival = NewEvent(incoming.team_id, event_id, incoming.subject, incoming.surface.value, incoming.to_payload())
        try:
            return await self._claims.claim(arrival)
        except SQLAlchemyError as error:
            raise _storage_error(error) from None

    async def lease(self, owner: str, seconds: float, limit: int) -> list[ClaimedEvent]:
        """Take up to `limit` events that nobody holds."""
        return await self._run(self._store.lease, owner, seconds, limit)

    async def renew(self, event_id: int, owner: str, seconds: float) -> bool:
        """Hold an event longer; False when another holds it by now."""
        return await self._run(self._store.renew, event_id, owner, seconds)

    async def note(self, event_id: int, delivered: Mapping[str, Any], stage: Stage | None = None) -> bool:
        """Write down what has been shown for an event; False when its message has ended elsewhere."""
        return await self._run(self._store.note_delivered, event_id, delivered, stage)

    async def finish(self, event_id: int, state: str) -> None:
        """End an event."""
        await self._run(self._store.finish, event_id, state)

    async def release(self, event_id: int) -> None:
        """Give an event back."""
        await self._run(self._store.release, event_id)

    async def open_of(self, team_id: str) -> list[OpenEvent]:
        """What of a workspace waits or is worked on."""
        return await self._run(self._store.open_of, team_id)

    async def ask_to_stop(self, event_ids: Collection[int], asked_by: str) -> None:
        """Write down that events are to be stopped, for whichever process works on them."""
        await self._run(self._store.ask_to_stop, event_ids, asked_by)

    async def to_stop(self, event_ids: Collection[int]) -> set[int]:
        """Those of some events that are to be stopped."""
        return await self._run(self._store.to_stop, event_ids)

    async def open_count(self) -> int:
        """How many events wait or are worked on."""
        return await self._run(self._store.open_count)

    def close(self) -> None:
        """End the threads once their calls are done."""
        self._claims.close()
        self._threads.shutdown(wait=True)

    async def _run(self, call: Callable[..., T], *args: Any) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, partial(call, *args))
        except SQLAlchemyError as error:
            raise _storage_error(error) from None


def _storage_error(error: SQLAlchemyError) -> StorageError:
    # The text of an SQLAlchemyError repeats the row: it must not reach the log.
    return StorageError(f"The database does not answer ({type(error).__name__}).")
