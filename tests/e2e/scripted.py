"""Stand-ins for what is behind the bot: an asker and a reindexer that do what a test says, and answers to give."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable

from core.access.groups import Groups
from core.domain.events import ClaimVerified, Event, Finished, Reading, Searching
from core.domain.evidence import (
    Abstention,
    AbstentionReason,
    Answer,
    Citation,
    Claim,
    ClaimKind,
    ClaimStatus,
    Passage,
    text_hash,
)
from core.domain.question import Question
from core.domain.syncing import SyncCounts, SyncEvent, SyncFinished, SyncProgress, SyncStarted
from core.errors import BusyError

QUOTE = "Cada persona tiene 23 días laborables de vacaciones al año."


def citation(quote: str = QUOTE, title: str = "Manual de vacaciones") -> Citation:
    """A citation of an invented document."""
    return Citation(
        citation_id=f"c-{text_hash(quote)[:8]}",
        tenant_id="acme",
        document_id="manual-vacaciones",
        document_version=3,
        chunk_id="manual-vacaciones#s1-p1",
        source_uri="https://wiki.acme.example/manual",
        title=title,
        section_path=("Días",),
        page=None,
        start_offset=0,
        end_offset=len(quote),
        quote=quote,
        text_hash=text_hash(quote),
        retrieved_at=dt.datetime(2026, 11, 29, tzinfo=dt.UTC),
        visibility=1,
        index_version=7,
        run_id="run",
    )


def answer_to(question: Question, *texts: str) -> Answer:
    """An answer of these sentences, each with its own quote."""
    claims = tuple(
        Claim(text, ClaimKind.SYNTHESIS, ClaimStatus.SUPPORTED, (citation(text or QUOTE),))
        for text in texts or (QUOTE,)
    )
    return Answer("run", question.text, "es", claims, None, 0.95, "extractive", 7)


def abstention_to(question: Question) -> Answer:
    """No answer."""
    nothing = Abstention(AbstentionReason.NOTHING_FOUND, question.text, ("wiki",), ())
    return Answer("run", question.text, "es", (), nothing, 0.02, "extractive", 7)


class ScriptedAsker:
    """Answers as `script` says (by default with one sentence), once `go_on` is set (it is, unless a test clears it).

    With `tells_claims` each claim is told before the end, the first `claims_at_once` before `go_on`.
    """

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.script: Callable[[Question], Answer] = answer_to
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.cancelled = 0
        self.tells_claims = False
        self.claims_at_once = 0
        self.passages: tuple[Passage, ...] = ()

    async def ask(self, question: Question) -> AsyncIterator[Event]:
        self.questions.append(question)
        yield Searching("run", question.text)
        yield Reading("run", self.passages)
        told = 0
        while self.tells_claims and told < self.claims_at_once:
            yield ClaimVerified("run", told, self.script(question).claims[told])
            told += 1
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        answer = self.script(question)
        for index, claim in enumerate(answer.claims[told:] if self.tells_claims else (), start=told):
            yield ClaimVerified("run", index, claim)
        yield Finished("run", answer)


class ScriptedReindexer:
    """Reads nothing, in three steps; a second run while one is going gets BusyError."""

    def __init__(self) -> None:
        self.asked: list[tuple[str | None, str]] = []
        self.wanted: list[dict[str, object]] = []
        self.finished: Callable[[str, bool], SyncFinished] = lambda name, dry_run: SyncFinished(
            name, SyncCounts(added=2, unchanged=38), 1.5, dry_run=dry_run
        )
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.error: Exception | None = None
        self.error_at_the_end: Exception | None = None
        self._running: str | None = None

    async def reindex(
        self,
        source: str | None,
        asked_by: str,
        *,
        full: bool = False,
        dry_run: bool = False,
        agreed_removals: int = 0,
    ) -> AsyncIterator[SyncEvent]:
        if self._running is not None:
            raise BusyError(self._running, dt.datetime(2026, 11, 29, 9, 30, tzinfo=dt.UTC))
        self.asked.append((source, asked_by))
        self.wanted.append({"full": full, "dry_run": dry_run, "agreed_removals": agreed_removals})
        self._running = asked_by
        try:
            name = source or "wiki"
            yield SyncStarted(name)
            await self.go_on.wait()
            if self.error is not None:
                raise self.error
            yield SyncProgress(name, 20, 40)
            yield self.finished(name, dry_run)
            if self.error_at_the_end is not None:
                raise self.error_at_the_end
        finally:
            self._running = None


class FixedGroups:
    """Groups that a test can exchange, or make unreadable."""

    def __init__(self, groups: Groups | None = None) -> None:
        self.groups = groups or Groups()
        self.error: Exception | None = None

    def current(self) -> Groups:
        if self.error is not None:
            raise self.error
        return self.groups
