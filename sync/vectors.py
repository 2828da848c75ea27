"""Vectors for the chunks of a batch, computed only where the text is new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.domain.document import Chunk
from core.embedding.base import PassageInput
from core.embedding.space import VectorSpace
from core.index.schema import EmbeddedChunk, dequantise
from core.index.tables import StoredChunk
from core.index.vectors import chunk_vectors
from core.retrieval.interaction import LateInteraction


def embed_where_new(
    space: VectorSpace,
    words: LateInteraction | None,
    cuts: Sequence[tuple[Sequence[Chunk], Mapping[str, StoredChunk]]],
) -> list[list[EmbeddedChunk]]:
    """Vectors for each document's chunks, taken from what is stored of it where the text is the same.

    Args:
        space: computes passage and sentence vectors.
        words: computes word vectors, where the index has them.
        cuts: for each document its chunks, and what is stored, by chunk id.
    """
    new = [chunk for chunks, stored in cuts for chunk in chunks if not _is_stored(chunk, stored)]
    inputs = [PassageInput(c.above, c.text, tuple((s - c.start, e - c.start) for s, e in c.sentences)) for c in new]
    read = chunk_vectors(space, words, inputs, [c.language for c in new])
    made = {
        chunk.chunk_id: EmbeddedChunk(chunk, own.vector, own.sentence_vectors, own.word_vectors)
        for chunk, own in zip(new, read, strict=True)
    }
    return [
        [made[chunk.chunk_id] if chunk.chunk_id in made else _kept(chunk, stored[chunk.chunk_id]) for chunk in chunks]
        for chunks, stored in cuts
    ]


def with_their_sentences(chunks: Sequence[Chunk], stored: Mapping[str, StoredChunk]) -> tuple[Chunk, ...]:
    """The same chunks, those whose text is stored already with the sentence that was written about it."""
    return tuple(
        replace(chunk, about=stored[chunk.chunk_id].about) if _is_stored(chunk, stored) else chunk for chunk in chunks
    )


def _is_stored(chunk: Chunk, stored: Mapping[str, StoredChunk]) -> bool:
    return chunk.chunk_id in stored and stored[chunk.chunk_id].text == chunk.text


def _kept(chunk: Chunk, stored: StoredChunk) -> EmbeddedChunk:
    vector = np.asarray(stored.vector, dtype=np.float32)
    sentence_vectors = dequantise(stored.sentence_vectors or b"", len(vector))
    return EmbeddedChunk(chunk, vector, sentence_vectors, stored.word_vectors)
