"""What is known, source by source: for a reader only what they may read something of, for admins all of it."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.access import Audience, Reader
from core.index.reader import IndexReader
from core.store.sync_runs import SyncRun, SyncRunStore

CACHE_SIZE = 512


@dataclass(frozen=True, slots=True)
class SourceOverview:
    """How many documents of a source somebody may read, and when it was last read to its end."""

    source: str
    documents: int
    read_at: dt.datetime | None


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source as admins see it: with all its documents, and how its last sync went."""

    source: str
    documents: int
    read_at: dt.datetime | None
    last: SyncRun | None


@dataclass(frozen=True, slots=True)
class IndexState:
    """The index: documents and passages that are served, the model of its vectors, and its version.

    `behind` counts the rows that the lexical half has not taken in yet.
    """

    documents: int
    passages: int
    model_id: str
    version: int
    behind: int


class Overviews:
    """Counts documents. Safe to use from several threads."""

    def __init__(self, index: IndexReader, runs: SyncRunStore, sources: Sequence[str]) -> None:
        """`sources` are those of the settings, in their order."""
        self._index = index
        self._runs = runs
        self._sources = tuple(sources)
        self._lock = threading.Lock()
        self._counted: dict[tuple[object, ...], dict[str, int]] = {}

    def of_reader(self, reader: Reader) -> tuple[SourceOverview, ...]:
        """The sources that a reader may read something of, and of each only what they may read.

        A source that is no longer in the settings counts as long as its documents are served.
        """
        snapshot = self._index.snapshot(reader, Audience.person(reader))
        # By what is visible, not by who looks: the rules and the hidden documents decide the counts.
        key = (snapshot.tenant_id, self._index.tables.chunks_table, snapshot.version, snapshot.rules, snapshot.hidden)
        with self._lock:
            counted = self._counted.get(key)
        if counted is None:
            counted = snapshot.documents_by_source()
            with self._lock:
                if len(self._counted) >= CACHE_SIZE:
                    self._counted.clear()
                self._counted[key] = counted
        read_at = self._runs.read_at()
        return tuple(
            SourceOverview(source, counted[source], _moment(read_at.get(source)))
            for source in self._ordered(counted)
            if counted.get(source)
        )

    def sources(self, tenant_id: str) -> tuple[SourceState, ...]:
        """Every source of the settings, and those that documents are still served of."""
        self._index.tables.refresh()
        counted = self._index.tables.served_by_source(tenant_id)
        read_at, latest = self._runs.read_at(), self._runs.latest()
        return tuple(
            SourceState(source, counted.get(source, 0), _moment(read_at.get(source)), latest.get(source))
            for source in self._ordered(counted)
        )

    def index(self, tenant_id: str) -> IndexState:
        """The index as it is now."""
        tables = self._index.tables
        version = tables.refresh()
        documents, passages = tables.counts(tenant_id)
        behind = tables.commits_after(self._index.lexical.of(tables.chunks_table).seq)
        return IndexState(documents, passages, tables.model_id, version, behind)

    def _ordered(self, counted: dict[str, int]) -> list[str]:
        return [*self._sources, *sorted(counted.keys() - set(self._sources))]


def _moment(seconds: float | None) -> dt.datetime | None:
    return None if seconds is None else dt.datetime.fromtimestamp(seconds, dt.UTC)
