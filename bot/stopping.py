"""The stop button: who asked a question may end its answer, whichever process is giving it.

The wish is kept in SQL, where the process that works on the question looks several times in two seconds; when it is
this one, it knows at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from bot.incoming import Incoming, Surface
from bot.ledger import Ledger
from core.errors import StorageError
from core.store.events import OpenEvent

logger = logging.getLogger("testigo.stopping")

T = TypeVar("T")

LOOK_SECONDS = 0.5
"""How often SQL is asked while something is being answered."""
STOPPABLE = frozenset({Surface.MENTION, Surface.DIRECT, Surface.AGAIN})


class StoppedError(Exception):
    """Who asked does not want the answer any more."""


class Stop:
    """Whether one question is to be stopped."""

    def __init__(self) -> None:
        self._asked = asyncio.Event()

    def ask(self) -> None:
        """Stop it."""
        self._asked.set()

    async def ends(self, work: Coroutine[Any, Any, T]) -> T:
        """Do some work, and cancel it when the question is stopped meanwhile.

        Raises:
            StoppedError: it was stopped, and the work did not come to its end.
        """
        doing = asyncio.create_task(work)
        waiting = asyncio.create_task(self._asked.wait())
        try:
            await asyncio.wait({doing, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if not doing.done():
                raise StoppedError
        finally:
            for task in (waiting, doing):
                task.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await task
        return doing.result()


class Stops:
    """Takes wishes to stop, and brings them to who works on the question."""

    def __init__(self, ledger: Ledger, look_seconds: float = LOOK_SECONDS) -> None:
        self._ledger = ledger
        self._look_seconds = look_seconds
        self._watched: dict[int, Stop] = {}
        self._looking: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def watching(self, event_id: int) -> AsyncIterator[Stop]:
        """Hear of a wish to stop this question during the block, also of one that an earlier process was told."""
        stop = self._watched[event_id] = Stop()
        if self._looking is None:
            self._looking = asyncio.create_task(self._look(), name="stops")
        try:
            yield stop
        finally:
            del self._watched[event_id]
            if not self._watched and self._looking is not None:
                self._looking.cancel()
                self._looking = None

    async def ask(self, team_id: str, channel_id: str, thread_ts: str, user_id: str) -> int:
        """Stop what a person has asked in a thread and is being answered, or waits; how many questions that is.

        Raises:
            StorageError: it could not be written down.
        """
        asked = [
            event.id
            for event in await self._ledger.open_of(team_id)
            if _may_stop(event, channel_id, thread_ts, user_id)
        ]
        if asked:
            await self._ledger.ask_to_stop(asked, user_id)
        self._tell(asked)
        return len(asked)

    async def _look(self) -> None:
        while True:
            try:
                self._tell(await self._ledger.to_stop(list(self._watched)))
            except StorageError as error:
                logger.warning("it is not known what is to be stopped (%s)", type(error).__name__)
            await asyncio.sleep(self._look_seconds)

    def _tell(self, event_ids: list[int] | set[int]) -> None:
        for event_id in event_ids:
            if (stop := self._watched.get(event_id)) is not None:
                stop.ask()


def _may_stop(event: OpenEvent, channel_id: str, thread_ts: str, user_id: str) -> bool:
    """Whether a press on the button is about this question, by who asked it (in a direct message nobody else can)."""
    try:
        incoming = Incoming.from_payload(event.payload)
    except (KeyError, TypeError, ValueError):  # the worker gives such an event up
        return False
    return (
        incoming.surface in STOPPABLE
        and incoming.channel_id == channel_id
        and incoming.thread == thread_ts
        and incoming.user_id == user_id
    )
