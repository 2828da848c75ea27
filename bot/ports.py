"""What the bot needs from the rest: somebody who answers, and somebody who reads the exports again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar

from core.access.explanation import AccessExplanation
from core.administration import Shareable
from core.domain.access import Audience, Reader
from core.domain.auditing import AuditNote
from core.domain.events import Event
from core.domain.evidence import Answer
from core.domain.question import Question
from core.domain.syncing import ScheduledSync, SyncEvent
from core.evidence.opening import OpenedEvidence
from core.private_addition import PrivateAddition
from core.suggestions import Topic

T = TypeVar("T")


class Asker(Protocol):
    """Answers questions (`core.pipeline`)."""

    def ask(self, question: Question) -> AsyncIterator[Event]:
        """Answer a question; the last event is `Finished`."""
        ...


class Adder(Protocol):
    """Finds what only the one who asked may read (`core.private_addition`)."""

    async def find(self, question: Question, whole: str, common: Answer) -> PrivateAddition | None:
        """What the asker alone may read that answers better."""
        ...


class Recorder(Protocol):
    """Keeps the audit record (`core.store.audit`)."""

    def note(self, note: AuditNote) -> object:
        """Append an entry."""
        ...


class Desk(Protocol):
    """What admins and sharing need of the documents (`core.administration`)."""

    def revoke(self, tenant_id: str, name: str, by: str) -> str | None:
        """Hide a document; its id, or None."""
        ...

    def lift(self, tenant_id: str, name: str) -> str | None:
        """Show a hidden document again; its id, or None."""
        ...

    def explain(self, tenant_id: str, name: str, reader: Reader) -> AccessExplanation | None:
        """What decides whether a reader may read a document."""
        ...

    def shareable(
        self, run_id: str, place: str, reader: Reader, audience: Audience, positions: Collection[int] = ()
    ) -> Shareable | None:
        """What of a run may be shared where it was asked."""
        ...

    def publish(self, tenant_id: str, run_id: str) -> None:
        """Note that an answer which only one person saw is shown to everybody where it was asked."""
        ...

    def may_open(self, run_id: str, place: str, reader: Reader) -> bool:
        """Whether a reader may see an earlier answer at all, where they say they saw it."""
        ...

    def opened(self, run_id: str, place: str, reader: Reader, marks: Collection[str] = ()) -> OpenedEvidence | None:
        """The evidence of an earlier answer as this reader may see it now."""
        ...


class Suggester(Protocol):
    """Makes questions that a reader can ask and have answered (`core.suggestions`)."""

    def suggest(self, reader: Reader, language: str, phrase: Callable[[Topic], str]) -> Sequence[str]:
        """A few questions from what this reader may read, and from nothing else."""
        ...


class Reindexer(Protocol):
    """Reads the exports again."""

    def reindex(
        self,
        source: str | None,
        asked_by: str,
        *,
        full: bool = False,
        dry_run: bool = False,
        agreed_removals: int = 0,
    ) -> AsyncIterator[SyncEvent]:
        """Read one source again, or all of them.

        Args:
            source: its name; None for all.
            asked_by: who wants it, for the record.
            full: write every document again.
            dry_run: only plan.
            agreed_removals: let so many documents go although a guard would hold them back, and no more.

        Raises:
            BusyError: a run is going already.
            SettingsError: there is no source of that name.
        """
        ...


class Scheduler(Protocol):
    """Reads the exports again at the times that the settings say."""

    def start(self) -> None:
        """Begin, in the running event loop, with what was missed while nothing was running."""
        ...

    async def close(self) -> None:
        """End; what is going stops after the documents that it is writing."""
        ...

    def upcoming(self) -> Sequence[ScheduledSync]:
        """When each source that has a schedule is read next."""
        ...


@asynccontextmanager
async def closing(steps: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """Iterate within this block, so that what the generator holds is let go at its end, whatever happens."""
    try:
        yield steps
    finally:
        if isinstance(steps, AsyncGenerator):
            await steps.aclose()
