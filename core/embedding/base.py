"""What an embedder is: texts in, unit vectors out; the same for the packaged model and any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""(n, d) or (d,) float32."""

Progress = Callable[[str], None]
"""Takes one sentence for a person who waits."""


def silent(sentence: str) -> None:
    """Report to nobody: the progress callback where none is given."""


@dataclass(frozen=True, slots=True)
class PassageInput:
    """A chunk as the model shall read it."""

    context: str
    """Title and section path, put before the text; may be empty. Never part of a sentence's vector."""
    text: str
    sentences: tuple[tuple[int, int], ...] = ()
    """(start, end) in code points of `text`, in reading order, not overlapping."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenVectors:
    """A text token by token, without prefix, context and special tokens: what late interaction (MaxSim) compares."""

    ids: NDArray[np.int32]
    """(t,) vocabulary ids, to weigh tokens by their idf."""
    offsets: NDArray[np.int32]
    """(t, 2) code points of the text."""
    vectors: Vectors
    """(t, d), each of length 1, d being the embedder's `token_dimension`."""


@dataclass(frozen=True, slots=True, eq=False)
class PassageEmbedding:
    """A chunk's vectors, all of length 1."""

    vector: Vectors
    """(d,)."""
    sentence_vectors: Vectors
    """(sentences, d), in the order of `PassageInput.sentences`."""
    tokens: TokenVectors | None = None
    """The chunk token by token, out of the same reading, where the embedder gives it."""


class Embedder(Protocol):
    """Turns questions and passages into vectors whose inner product says how well they fit.

    Safe to use from several threads. Vectors are float32, finite and of length 1: what a model returns otherwise is a
    ModelError, never a row.
    """

    @property
    def model_id(self) -> str:
        """Which model, in which form: vectors of different ids cannot be compared."""

    @property
    def dimension(self) -> int:
        """Length of every query, passage and sentence vector."""

    @property
    def token_dimension(self) -> int:
        """Length of every token's vector."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions; (n, d)."""

    def embed_passages(self, passages: Sequence[PassageInput]) -> list[PassageEmbedding]:
        """Embed chunks with their sentences; a chunk longer than the model's window is read whole, in several."""

    def query_token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Embed the tokens of questions."""

    def passage_token_vectors(self, passages: Sequence[PassageInput]) -> list[TokenVectors]:
        """Embed the tokens of chunks, each in the light of its whole chunk and context."""
