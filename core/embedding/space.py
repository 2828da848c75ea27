"""The space that questions and passages meet in: an embedder, with each language's own offset taken out.

A multilingual model prefers the question's own language; without that offset an English passage loses to any Spanish
one before a Spanish question.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.embedding.base import Embedder, PassageEmbedding, PassageInput, Vectors
from core.embedding.language_means import LanguageMeans


class VectorSpace:
    """What the index and the search use. Safe to use from several threads."""

    def __init__(self, embedder: Embedder, means: LanguageMeans) -> None:
        self._embedder = embedder
        self._means = means

    @property
    def model_id(self) -> str:
        """Name of the space: vectors of different names cannot be compared."""
        return f"{self._embedder.model_id}+{self._means.id}"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedder.dimension

    def embed_query(self, text: str, language: str) -> Vectors:
        """A question's vector, (d,)."""
        vector: Vectors = self._means.center_questions(self._embedder.embed_queries([text]), [language])[0]
        return vector

    def embed_passages(self, passages: Sequence[PassageInput], languages: Sequence[str]) -> list[PassageEmbedding]:
        """Vectors of chunks and of their sentences, in order; tokens are handed on as they were read."""
        embedded = self._embedder.embed_passages(passages)
        return [
            PassageEmbedding(
                self._means.center_passages(e.vector[None, :], [language])[0],
                self._means.center_passages(e.sentence_vectors, [language] * len(e.sentence_vectors)),
                e.tokens,
            )
            for e, language in zip(embedded, languages, strict=True)
        ]
