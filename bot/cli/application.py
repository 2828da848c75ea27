"""What the commands need, behind one protocol: the composition root fills it in."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from typing import Protocol

from sqlalchemy import Engine

from bot.aftercare import Aftercare
from bot.ports import Reindexer, Scheduler
from core.access.groups import GroupsFile
from core.administration import AccessDesk
from core.domain.contexts import ContextCost, ContextReport
from core.domain.syncing import SourceDescription, SyncEvent, SyncProgress
from core.embedding.space import VectorSpace
from core.errors import TestigoError
from core.gaps import Gaps
from core.generation.claude_stream import ClaudeMessages
from core.index.lexical import LexicalIndex
from core.index.reader import IndexReader
from core.index.rebuild import RebuildFinished, RebuildProgress
from core.index.tables import Tables
from core.pipeline import Pipeline
from core.private_addition import PrivateAdditions
from core.retrieval.search import Retrieval
from core.settings import Settings
from core.suggestions import Suggestions


class Sync(Reindexer, Protocol):
    """Syncs for the terminal: the same runs, in the caller's thread."""

    def run(
        self,
        source: str | None,
        asked_by: str,
        *,
        confirm_removals: bool = False,
        full: bool = False,
        dry_run: bool = False,
        contexts: bool = True,
    ) -> Iterator[SyncEvent]:
        """See `sync.service.SyncService.run`."""
        ...

    def contexts_cost(self, source: str | None) -> ContextCost | None:
        """See `sync.service.SyncService.contexts_cost`."""
        ...

    def fill_contexts(
        self, source: str | None, asked_by: str, budget_usd: float | None
    ) -> Iterator[SyncProgress | ContextReport]:
        """See `sync.service.SyncService.fill_contexts`."""
        ...

    def describe(self) -> Iterator[SourceDescription | TestigoError]:
        """See `sync.service.SyncService.describe`."""
        ...


class Application(Protocol):
    """The parts, made when they are first asked for, so that `testigo --help` loads no model."""

    @property
    def settings(self) -> Settings:
        """The settings in force."""

    @property
    def database(self) -> Engine:
        """The SQL store."""

    @property
    def has_index(self) -> bool:
        """Whether there is an index already; asking makes none."""

    @property
    def tables(self) -> Tables:
        """The LanceDB tables."""

    @property
    def stored(self) -> Tables:
        """The same, as they are: to look at without loading a model."""

    @property
    def lexical(self) -> LexicalIndex:
        """The tantivy index."""

    @property
    def index(self) -> IndexReader:
        """Snapshots of both."""

    @property
    def groups(self) -> GroupsFile:
        """People's groups, from the people file."""

    @property
    def sync(self) -> Sync:
        """Syncs of the sources in the settings."""

    def rebuild(self, asked_by: str) -> Iterator[RebuildProgress | RebuildFinished]:
        """Build the index anew with the model of the settings, then swap; see `core.index.rebuild`."""

    @property
    def scheduler(self) -> Scheduler:
        """Syncs at the times that the settings say."""

    @property
    def source_hosts(self) -> frozenset[str]:
        """Hosts that links may point to."""

    def pipeline(
        self, on_retrieval: Callable[[Retrieval], None] | None = None, record: Engine | None = None
    ) -> Pipeline:
        """The pipeline; `on_retrieval` is told what each search found; with `record`, runs are written there alone."""

    @property
    def space(self) -> VectorSpace:
        """The space that questions and passages meet in."""

    def judging_claude(self) -> ClaudeMessages:
        """Claude as a judge. Raises RejectedRequest without a key."""

    @property
    def access_desk(self) -> AccessDesk:
        """What admins do with documents."""

    def private_additions(self) -> PrivateAdditions:
        """Finds what only the one who asked in a channel may read."""

    def gaps(self) -> Gaps:
        """What people asked and the documents did not answer."""

    def aftercare(self) -> Aftercare:
        """What follows an answer: living citations, gaps, alerts, questions that are handed to people."""

    def suggestions(self) -> Suggestions:
        """Questions that a reader can ask and have answered."""

    def sample(self, **overrides: object) -> Application:
        """The same parts over the sample corpus, in an index of its own; `overrides` are settings that win."""

    def missing_for_ocr(self) -> str:
        """A sentence that says what OCR lacks on this machine; empty when nothing."""

    def now(self) -> dt.datetime:
        """The time, in UTC."""
