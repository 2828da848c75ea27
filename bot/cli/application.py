"""What the commands need, behind one protocol: the composition root fills it in."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from typing import Protocol

from sqlalchemy import Engine

from bot.ports import Reindexer, Scheduler
from core.access.groups import GroupsFile
from core.administration import AccessDesk
from core.domain.syncing import SourceDescription, SyncEvent
from core.errors import TestigoError
from core.index.lexical import LexicalIndex
from core.index.reader import IndexReader
from core.index.tables import Tables
from core.pipeline import Pipeline
from core.private_addition import PrivateAdditions
from core.retrieval.search import Retrieval
from core.settings import Settings


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
    ) -> Iterator[SyncEvent]:
        """See `sync.service.SyncService.run`."""
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

    @property
    def scheduler(self) -> Scheduler:
        """Syncs at the times that the settings say."""

    @property
    def source_hosts(self) -> frozenset[str]:
        """Hosts that links may point to."""

    def pipeline(self, on_retrieval: Callable[[Retrieval], None] | None = None) -> Pipeline:
        """The pipeline; `on_retrieval` is told what each search found."""

    @property
    def access_desk(self) -> AccessDesk:
        """What admins do with documents."""

    def private_additions(self) -> PrivateAdditions:
        """Finds what only the one who asked in a channel may read."""

    def sample(self) -> Application:
        """The same parts over the sample corpus, in an index of its own."""

    def now(self) -> dt.datetime:
        """The time, in UTC."""
