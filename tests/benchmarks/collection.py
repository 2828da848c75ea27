"""Paragraphs in the real index, each a document under an access rule of its own.

So "without the answering paragraph" and "without the whole article" are questions of other readers to the same index:
nothing that a reader may not see takes part, neither in the ranking nor in the statistics.
"""

from __future__ import annotations

import datetime as dt
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.chunking import chunk_version
from core.domain.document import Block, BlockKind, Chunk, Metadata, Version
from core.domain.evidence import text_hash
from core.embedding.base import Embedder, PassageInput, Vectors
from core.embedding.language_means import LanguageMeans
from core.embedding.space import VectorSpace
from core.index.lexical import LexicalIndex
from core.index.schema import EmbeddedChunk
from core.index.snapshot import Snapshot
from core.index.tables import Tables
from core.retrieval.interaction import LateInteraction, QuestionWords
from core.text.canonical import canonicalise
from tests.benchmarks.datasets import QuestionSet

TENANT = "t"
NOW = dt.datetime(2026, 11, 29, tzinfo=dt.UTC)


class RememberingSpace(VectorSpace):
    """The real space; a question that was read once is not read again for the next reader."""

    def __init__(self, embedder: Embedder, means: LanguageMeans) -> None:
        super().__init__(embedder, means)
        self._known: dict[tuple[str, str], Vectors] = {}

    def embed_query(self, text: str, language: str) -> Vectors:
        if (text, language) not in self._known:
            self._known[text, language] = super().embed_query(text, language)
        return self._known[text, language]


class RememberingWords(LateInteraction):
    """The real late interaction, remembering questions likewise."""

    def __init__(self, embedder: Embedder, means: LanguageMeans) -> None:
        super().__init__(embedder, means)
        self._known: dict[tuple[str, str], QuestionWords | None] = {}

    def question(self, text: str, language: str) -> QuestionWords | None:
        if (text, language) not in self._known:
            self._known[text, language] = super().question(text, language)
        return self._known[text, language]


@dataclass(frozen=True, slots=True)
class Collection:
    """An index of one or several question sets. A paragraph's rule is its number + 1, + 1,000 for each set before."""

    tables: Tables
    lexical: LexicalIndex
    pinned: object
    version: int
    chunks: tuple[Chunk, ...]
    vectors: dict[str, EmbeddedChunk]
    folder: Path

    def seen(self, rules: Iterable[int]) -> Snapshot:
        """What a reader sees who satisfies these rules."""
        return Snapshot(self.tables, self.pinned, self.version, self.lexical, TENANT, frozenset(rules))

    def close(self) -> None:
        """Remove it."""
        shutil.rmtree(self.folder, ignore_errors=True)


def rule_of(number: int, paragraph: int) -> int:
    """The rule of a paragraph of the set of this number."""
    return 1_000 * number + paragraph + 1


def build(sets: Sequence[QuestionSet], embedder: Embedder, means: LanguageMeans) -> Collection:
    """Chunk, embed and write every paragraph of the sets."""
    pieces = []
    for number, questions in enumerate(sets):
        versions = (_version(questions, number, index) for index in range(len(questions.paragraphs)))
        pieces += [(v, chunk_version(v.document_id, "", v.canonical, v.language)) for v in versions]
    return write(pieces, embedder, means)


def write(pieces: Sequence[tuple[Version, Sequence[Chunk]]], embedder: Embedder, means: LanguageMeans) -> Collection:
    """Embed versions cut into chunks, and write them into an index of their own."""
    folder = Path(tempfile.mkdtemp(prefix="testigo-bench-"))
    space, words = VectorSpace(embedder, means), LateInteraction(embedder, means)
    tables = Tables(str(folder / "index"), dimension=space.dimension, model_id=space.model_id)
    chunks = [chunk for _, cut in pieces for chunk in cut]
    inputs = [
        PassageInput(c.context, c.text, tuple((s - c.start, e - c.start) for s, e in c.sentences)) for c in chunks
    ]
    languages = [c.language for c in chunks]
    vectors = {
        chunk.chunk_id: EmbeddedChunk(chunk, read.vector, read.sentence_vectors, packed)
        for chunk, read, packed in zip(
            chunks, space.embed_passages(inputs, languages), words.passages(inputs, languages), strict=True
        )
    }
    tables.write_versions([version for version, _ in pieces])
    tables.commit_chunks(TENANT, [(version, [vectors[c.chunk_id] for c in cut]) for version, cut in pieces])
    tables.ensure_indexes()
    lexical = LexicalIndex(folder / "lexical")
    lexical.catch_up(tables)
    version = tables.refresh()
    return Collection(
        tables=tables,
        lexical=lexical,
        pinned=tables.pinned(version),
        version=version,
        chunks=tuple(chunks),
        vectors=vectors,
        folder=folder,
    )


def document_id(language: str, paragraph: int) -> str:
    """The document that a paragraph is."""
    return f"{language}-{paragraph}"


def _version(questions: QuestionSet, number: int, index: int) -> Version:
    canonical = canonicalise([Block(BlockKind.PARAGRAPH, questions.paragraphs[index].text)])
    name = document_id(questions.language, index)
    return Version(
        tenant_id=TENANT,
        document_id=name,
        number=1,
        source=questions.language,
        source_key=name,
        metadata=Metadata(""),
        canonical=canonical,
        rule_id=rule_of(number, index),
        language=questions.language,
        content_hash=text_hash(canonical.text),
        observed_at=NOW,
    )
