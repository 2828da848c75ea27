"""The vectors of a chunk, all out of one reading of it: its own, its sentences', and those of its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.embedding.base import PassageEmbedding, PassageInput
from core.embedding.space import VectorSpace
from core.index.schema import Vector
from core.retrieval.interaction import LateInteraction


@dataclass(frozen=True, slots=True, eq=False)
class ChunkVectors:
    """What the chunks table stores: `vector` is (d,), `sentence_vectors` (s, d), both L2-normalised float32."""

    vector: Vector
    sentence_vectors: Vector
    word_vectors: bytes
    """As `core.retrieval.interaction` packs them; empty where nobody computes them."""


def chunk_vectors(
    space: VectorSpace, words: LateInteraction | None, inputs: Sequence[PassageInput], languages: Sequence[str]
) -> list[ChunkVectors]:
    """Read chunks with the model, in order."""
    if not inputs:
        return []
    embedded = space.embed_passages(inputs, languages)
    packed = _words_of(words, inputs, languages, embedded) if words is not None else [b""] * len(inputs)
    return [
        ChunkVectors(each.vector, each.sentence_vectors, word_vectors)
        for each, word_vectors in zip(embedded, packed, strict=True)
    ]


def _words_of(
    words: LateInteraction,
    inputs: Sequence[PassageInput],
    languages: Sequence[str],
    embedded: Sequence[PassageEmbedding],
) -> list[bytes]:
    """Word vectors out of the tokens that were read with the passages; read again only where there are none."""
    tokens = [each.tokens for each in embedded]
    if any(read is None for read in tokens):
        return words.passages(inputs, languages)
    read = zip(inputs, tokens, languages, strict=True)
    return [words.pack(passage.text, own, language) for passage, own, language in read if own is not None]
