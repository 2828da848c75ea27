"""Stand-ins that several tests share: vectors of hashed words, and a source of documents that a test writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.domain.access import OPEN_TO_TENANT, AccessRule
from core.domain.document import Block, BlockKind, Metadata, SourceDocument
from core.domain.evidence import text_hash
from core.domain.syncing import SourceDescription
from core.embedding.base import PassageEmbedding, PassageInput, TokenVectors
from core.index.analysis import terms
from sync.sources.base import FailedDocument

DIMENSION = 64


class WordVectors:
    """An embedder whose vectors are hashed words: texts are near when they share words. Remembers what it read."""

    model_id = "words"
    dimension = DIMENSION
    token_dimension = DIMENSION

    def __init__(self) -> None:
        self.read: list[str] = []
        """Every passage that was embedded, in order."""

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self._vector(text) for text in texts])

    def embed_passages(self, passages: Sequence[PassageInput]) -> list[PassageEmbedding]:
        self.read += [p.text for p in passages]
        return [
            PassageEmbedding(
                self._vector(p.text),
                np.stack([self._vector(p.text[s:e]) for s, e in p.sentences] or [self._vector(p.text)]),
            )
            for p in passages
        ]

    def query_token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        raise NotImplementedError

    def passage_token_vectors(self, passages: Sequence[PassageInput]) -> list[TokenVectors]:
        raise NotImplementedError

    def _vector(self, text: str) -> np.ndarray:
        vector = np.full(DIMENSION, 1e-3, np.float32)
        for term in terms(text, "en"):
            vector[int(text_hash(term)[:8], 16) % DIMENSION] += 1
        return vector / np.linalg.norm(vector)


@dataclass
class Shelf:
    """A source of documents that a test writes."""

    documents: list[SourceDocument | FailedDocument] = field(default_factory=list)
    name: str = "shelf"
    kind: str = "folder"
    hosts: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()

    def read(self) -> Iterator[SourceDocument | FailedDocument]:
        yield from list(self.documents)

    def describe(self) -> SourceDescription:
        return SourceDescription(self.name, self.kind, "", len(self.documents), self.warnings)

    def put(self, *documents: SourceDocument | FailedDocument) -> None:
        """Add documents, each in place of the one that had its key."""
        for document in documents:
            self.take(document.key)
            self.documents.append(document)

    def take(self, *keys: str) -> None:
        """Take documents away."""
        self.documents = [document for document in self.documents if document.key not in keys]


def document(
    key: str, *sentences: str, rule: AccessRule = OPEN_TO_TENANT, title: str = "", source: str = "shelf",
    **metadata: object,
) -> SourceDocument:  # fmt: skip
    """A page with a heading and a paragraph for each sentence."""
    name = title or key
    blocks = (Block(BlockKind.HEADING, name, level=1), *(Block(BlockKind.PARAGRAPH, s) for s in sentences))
    return SourceDocument(source, key, Metadata(name, **metadata), blocks, rule)  # type: ignore[arg-type]
