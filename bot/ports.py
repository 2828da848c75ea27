"""What the bot needs from the rest: somebody who answers, and somebody who reads the exports again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar

from core.domain.events import Event
from core.domain.question import Question
from core.domain.syncing import SyncEvent

T = TypeVar("T")


class Asker(Protocol):
    """Answers questions (`core.pipeline`)."""

    def ask(self, question: Question) -> AsyncIterator[Event]:
        """Answer a question; the last event is `Finished`."""
        ...


class Reindexer(Protocol):
    """Reads the exports again."""

    def reindex(self, source: str | None, asked_by: str) -> AsyncIterator[SyncEvent]:
        """Read one source again, or all of them.

        Raises:
            BusyError: a run is going already.
            SettingsError: there is no source of that name.
        """
        ...


@asynccontextmanager
async def closing(steps: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """Iterate within this block, so that what the generator holds is let go at its end, whatever happens."""
    try:
        yield steps
    finally:
        if isinstance(steps, AsyncGenerator):
            await steps.aclose()
