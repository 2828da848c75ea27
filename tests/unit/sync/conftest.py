"""A small real index with cheap vectors, and the engine that writes it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from core.domain.access import EVERYONE, Audience, Principal, Reader
from core.domain.document import Version
from core.domain.syncing import SyncFinished
from core.embedding.language_means import LanguageMeans
from core.embedding.space import VectorSpace
from core.index.lexical import LexicalIndex
from core.index.reader import IndexReader
from core.index.tables import Tables
from sync.engine import SyncEngine
from tests.fakes import DIMENSION, Shelf, WordVectors

BEGINNING = dt.datetime(2026, 11, 29, 9, tzinfo=dt.UTC)


@dataclass
class Workshop:
    """An index, an embedder that remembers what it read, and a shelf of documents."""

    folder: Path
    embedder: WordVectors = field(default_factory=WordVectors)
    shelf: Shelf = field(default_factory=Shelf)
    now: dt.datetime = BEGINNING

    def __post_init__(self) -> None:
        self.space = VectorSpace(self.embedder, LanguageMeans({}))
        self.tables = Tables(str(self.folder / "index"), dimension=DIMENSION, model_id=self.space.model_id)
        self.lexical = LexicalIndex(self.folder / "lexical")

    def engine(self, **options: object) -> SyncEngine:
        return SyncEngine(self.tables, self.lexical, self.space, "t", now=lambda: self.now, **options)  # type: ignore[arg-type]

    def sync(self, **options: Any) -> SyncFinished:
        """Sync the shelf; what was embedded before is forgotten."""
        self.embedder.read.clear()
        finished = list(self.engine().sync(self.shelf, **options))[-1]
        assert isinstance(finished, SyncFinished)
        return finished

    def served(self, key: str, source: str = "shelf") -> Version | None:
        """The version of a document that readers see."""
        head = self.tables.heads("t", source).get((source, key))
        return None if head is None or head.served is None else self.tables.version("t", head.document_id, head.served)

    def found(self, text: str, *principals: Principal) -> list[str]:
        """Titles of what both halves of a search find, for a member with more principals."""
        reader = Reader("t", frozenset({EVERYONE, *principals}), "ana@x.com")
        snapshot = IndexReader(self.tables, self.lexical).snapshot(reader, Audience.person(reader))
        vector = self.space.embed_query(text, "en")
        keys = [hit.key for hit in snapshot.lexical(text, 10)] + [hit.key for hit in snapshot.dense(vector, 10)]
        return sorted({candidate.passage.title for candidate in snapshot.candidates(keys)})


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


@pytest.fixture
def workshops(tmp_path: Path) -> Callable[[], Workshop]:
    """Several workshops over one index: as many processes have it."""
    return lambda: Workshop(tmp_path)
