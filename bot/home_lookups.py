"""Where `/rag-status` and the home tab look things up, and what they make of it. It blocks: call it in a thread."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from sqlalchemy import Engine

from bot.rendering.home import HeldBack
from bot.rendering.status import LastSync, Machinery, NextSync, SourceStatus
from core.domain.access import Reader
from core.domain.syncing import ScheduledSync
from core.gaps import Gap, Gaps
from core.index.reader import IndexReader
from core.overview import Overviews, SourceState
from core.reviews import Reviews
from core.settings import GeneratorKind, Settings
from core.store.conversations import ConversationStore
from core.store.evidence import EvidenceStore
from core.store.forgetting import Forgetting
from core.store.person_settings import PersonSettingsStore
from core.store.runs import RunStore
from core.store.sync_runs import SyncRunStore

GLANCE_SECONDS = 600.0
GLANCED_AT = 5
"""Gaps that the home tab names."""

Upcoming = Callable[[], Sequence[ScheduledSync]]


def nothing_scheduled() -> tuple[ScheduledSync, ...]:
    """No source is read by itself."""
    return ()


@dataclass(frozen=True, slots=True)
class HomeLookups:
    """The stores and counts behind the home tab.

    `upcoming` says when sources are read next; `gaps` names the largest gaps in a tenant's documents, where they are
    gathered.
    """

    settings: Settings
    overviews: Overviews
    conversations: ConversationStore
    forgetting: Forgetting
    reviews: Reviews
    sync_runs: SyncRunStore
    people: PersonSettingsStore
    upcoming: Upcoming = nothing_scheduled
    gaps: Callable[[str], Sequence[Gap]] | None = None

    @classmethod
    def of(
        cls,
        engine: Engine,
        settings: Settings,
        index: IndexReader,
        upcoming: Upcoming = nothing_scheduled,
    ) -> HomeLookups:
        """Over a database and an index."""
        sync_runs = SyncRunStore(engine)
        return cls(
            settings,
            Overviews(index, sync_runs, [source.name for source in settings.sources]),
            ConversationStore(engine),
            Forgetting(engine),
            Reviews(index, RunStore(engine), EvidenceStore(engine)),
            sync_runs,
            PersonSettingsStore(engine),
            upcoming,
        )

    def readable(self, reader: Reader) -> tuple[SourceStatus, ...]:
        """The sources that a reader may read something of, with what they may read of them."""
        return tuple(
            SourceStatus(each.source, each.documents, each.read_at) for each in self.overviews.of_reader(reader)
        )

    def all_sources(self, tenant_id: str) -> tuple[tuple[SourceStatus, ...], tuple[HeldBack, ...]]:
        """Every source with its syncs, for admins, and what their last syncs held back."""
        states = self.overviews.sources(tenant_id)
        due = {each.source: each for each in self.upcoming()}
        held = tuple(
            HeldBack(state.source, state.last.awaiting, state.last.id)
            for state in states
            if state.last is not None and state.last.awaiting
        )
        return tuple(_status(state, due.get(state.source)) for state in states), held

    def machinery(self, tenant_id: str) -> tuple[Machinery, int]:
        """What the index and the answers are made of, and how many changes the search has not taken in yet."""
        state = self.overviews.index(tenant_id)
        made = Machinery(
            state.documents,
            state.passages,
            state.version,
            state.model_id,
            self.settings.claude_model if self.settings.uses_claude else GeneratorKind.EXTRACTIVE.value,
            version("testigo-bot"),
        )
        return made, state.behind


def glance_at_gaps(
    gaps: Gaps, settings: Settings, clock: Callable[[], float] = time.time
) -> Callable[[str], Sequence[Gap]]:
    """The largest gaps of a tenant, without documents, as admins see them in passing.

    They are remembered for `GLANCE_SECONDS`: to gather them, each question is compared with each.
    """
    known: dict[str, tuple[float, Sequence[Gap]]] = {}

    def glance(tenant_id: str) -> Sequence[Gap]:
        now = clock()
        found = known.get(tenant_id)
        if found is None or now - found[0] >= GLANCE_SECONDS:
            since = dt.datetime.fromtimestamp(now, dt.UTC) - dt.timedelta(days=settings.question_days)
            found = known[tenant_id] = (now, gaps.listed(tenant_id, since, None, GLANCED_AT))
        return found[1]

    return glance


def _status(state: SourceState, due: ScheduledSync | None) -> SourceStatus:
    last = None
    if state.last is not None:
        began = dt.datetime.fromtimestamp(state.last.started_at, dt.UTC)
        last = LastSync(began, state.last.state, state.last.asked_by, tuple(state.last.failures))
    following = None
    if due is not None and due.next_run is not None:
        following = NextSync(due.next_run, due.schedule, due.missed)
    return SourceStatus(state.source, state.documents, state.read_at, last, following)
