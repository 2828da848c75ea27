"""Vectors for the chunks of a batch, computed only where the text is new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from core.domain.document import Chunk
from core.embedding.base import PassageEmbedding, PassageInput
from core.embedding.space import VectorSpace
from core.index.schema import EmbeddedChunk, dequantise
from core.index.tables import StoredChunk
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
    inputs = [PassageInput(c.context, c.text, tuple((s - c.start, e - c.start) for s, e in c.sentences)) for c in new]
    languages = [c.language for c in new]
    vectors: Sequence[PassageEmbedding] = space.embed_passages(inputs, languages) if new else []
    packed = _words_of(words, inputs, languages, vectors) if words else [b""] * len(new)
    made = {
        chunk.chunk_id: EmbeddedChunk(chunk, embedding.vector, embedding.sentence_vectors, word_vectors)
        for chunk, embedding, word_vectors in zip(new, vectors, packed, strict=True)
    }
    return [
        [made[chunk.chunk_id] if chunk.chunk_id in made else _kept(chunk, stored[chunk.chunk_id]) for chunk in chunks]
        for chunks, stored in cuts
    ]


def _words_of(
    words: LateInteraction,
    inputs: Sequence[PassageInput],
    languages: Sequence[str],
    vectors: Sequence[PassageEmbedding],
) -> list[bytes]:
    """Word vectors out of the tokens that were read with the passages; read again only where there are none."""
    tokens = [embedding.tokens for embedding in vectors]
    if any(read is None for read in tokens):
        return words.passages(inputs, languages)
    read = zip(inputs, tokens, languages, strict=True)
    return [words.pack(passage.text, own, language) for passage, own, language in read if own is not None]


def _is_stored(chunk: Chunk, stored: Mapping[str, StoredChunk]) -> bool:
    return chunk.chunk_id in stored and stored[chunk.chunk_id].text == chunk.text


def _kept(chunk: Chunk, stored: StoredChunk) -> EmbeddedChunk:
    vector = np.asarray(stored.vector, dtype=np.float32)
    sentence_vectors = dequantise(stored.sentence_vectors or b"", len(vector))
    return EmbeddedChunk(chunk, vector, sentence_vectors, stored.word_vectors)
