"""Late interaction: compare a question with a passage word by word (MaxSim; Khattab & Zaharia: *ColBERT*, SIGIR 2020).

Every telling word of the question looks for the passage's word that is most like it, in the light of both contexts; the
score is the mean of what they find. So a question meets its answer across languages, where no term is shared.

A passage keeps one vector for each of its telling words (the mean of the word's tokens, with the language's mean taken
out), turned by a fixed rotation, and of each component only the sign: 48 bytes a word for 384 dimensions, some 4 KiB
for a chunk of 200 tokens. The question's vectors stay whole. What that costs stands in `docs/benchmarks.md`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.embedding.base import Embedder, PassageInput, TokenVectors, Vectors
from core.embedding.language_means import LanguageMeans
from core.index.analysis import PLAIN, terms
from core.retrieval.coverage import ASKING, only_asking

ASKING_WEIGHT = 0.1
"""What a word that only asks ("how many", "cuál") counts against one that tells what about."""

NO_WORDS = b"\0"
"""A passage that was read and has no word. Not empty: Lance gives nothing and null back alike."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, eq=False)
class QuestionWords:
    """A question token by token: `vectors` is (t, d), rotated; `weights` (t,), with the sum 1."""

    vectors: Vectors
    weights: Vectors
    telling: Vectors
    """(w, t): for each telling word, which of the tokens are its own, each row with the sum 1; all words if none is."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """What a passage has for a question's words, each about 0 (nothing alike) to 1."""

    mean: float
    """Over all words, those that only ask counting little."""
    weakest: float
    """For the telling word that the passage has least to say of: what it does not speak of, a mean would hide."""


NOTHING_ALIKE = Similarity(0.0, 0.0)


class LateInteraction:
    """Makes both sides of the comparison with one embedder. Safe to use from several threads."""

    def __init__(self, embedder: Embedder, means: LanguageMeans) -> None:
        self._embedder = embedder
        self._means = means

    def question(self, text: str, language: str) -> QuestionWords | None:
        """Read a question; None where it has no word."""
        tokens = self._embedder.query_token_vectors([text])[0]
        weights = _token_weights(text, tokens)
        if not weights.any():
            return None
        held = weights > 0
        vectors = self._means.center_questions(tokens.vectors[held], [language] * int(held.sum()))
        telling = _members(_words_of(text, tokens)[1][held], weights[held] == weights.max())
        return QuestionWords(vectors @ _rotation(vectors.shape[1]), weights[held] / weights.sum(), telling)

    def passages(self, passages: Sequence[PassageInput], languages: Sequence[str]) -> list[bytes]:
        """Read passages and pack their words, as the column `word_vectors` stores them."""
        read = self._embedder.passage_token_vectors(passages)
        return [
            self.pack(passage.text, tokens, language)
            for passage, tokens, language in zip(passages, read, languages, strict=True)
        ]

    def pack(self, text: str, tokens: TokenVectors, language: str) -> bytes:
        """Pack the words of one passage whose tokens were read already."""
        words = _telling_words(text, tokens)
        if not len(words):
            return NO_WORDS
        centred = self._means.center_passages(words, [language] * len(words))
        signs = centred @ _rotation(centred.shape[1]) >= 0
        return bytes(np.packbits(signs, axis=1).tobytes())


def max_similarities(question: QuestionWords, packed: Sequence[bytes]) -> list[Similarity]:
    """Compare a question with packed passages."""
    dimension = question.vectors.shape[1]
    held = [i for i, words in enumerate(packed) if words and words != NO_WORDS]
    found = [NOTHING_ALIKE] * len(packed)
    if not held:
        return found
    bits = np.frombuffer(b"".join(packed[i] for i in held), np.uint8).reshape(-1, (dimension + 7) // 8)
    signs = np.unpackbits(bits, axis=1, count=dimension).astype(np.float32)
    # a · sign(b) = 2 a · bit(b) − sum(a); divided by the length of a vector of signs.
    products = (2 * (question.vectors @ signs.T) - question.vectors.sum(axis=1, keepdims=True)) / np.sqrt(dimension)
    lengths = [len(packed[i]) // bits.shape[1] for i in held]
    starts = np.cumsum([0, *lengths[:-1]])
    best = np.maximum.reduceat(products, starts, axis=1)
    weakest = (question.telling @ best).min(axis=0)
    for i, mean, least in zip(held, question.weights @ best, weakest, strict=True):
        found[i] = Similarity(float(mean), float(least))
    return found


def _members(owners: NDArray[np.int64], counted: NDArray[np.bool_]) -> Vectors:
    """(w, t): the share that each token has in its word, for the words whose tokens count."""
    rows = owners[None, :] == np.unique(owners[counted])[:, None]
    members: Vectors = rows.astype(np.float32) / rows.sum(axis=1, keepdims=True)
    return members


@functools.cache
def _rotation(dimension: int) -> Vectors:
    """A random rotation, the same for ever: it spreads what a vector says evenly over the signs."""
    # RandomState's stream is frozen by NumPy's compatibility policy (NEP 19), Generator's is not. The signs of R's
    # diagonal make the decomposition unique, whatever LAPACK is underneath.
    random = np.random.RandomState(0).standard_normal((dimension, dimension))
    q, r = np.linalg.qr(random)
    return np.asarray(q * np.sign(np.diag(r)), np.float32)


@functools.cache
def _asking() -> frozenset[str]:
    return frozenset(terms(" ".join(ASKING.values()), PLAIN))


def _only_asks(word: str) -> bool:
    return all(term in _asking() for term in terms(word, PLAIN))


def _words_of(text: str, tokens: TokenVectors) -> tuple[list[str], NDArray[np.int64]]:
    """The words of a text, and for each token the word in which it ends; −1 for signs between words."""
    owner = np.full(len(text) + 1, -1, np.int64)
    words = []
    for number, match in enumerate(_WORD.finditer(text)):
        owner[match.start() : match.end()] = number
        words.append(match.group())
    return words, owner[np.clip(tokens.offsets[:, 1] - 1, 0, len(text))]


def _token_weights(text: str, tokens: TokenVectors) -> Vectors:
    _, owners = _words_of(text, tokens)
    asking = only_asking(text)
    weights = [ASKING_WEIGHT if word.start() in asking else 1.0 for word in _WORD.finditer(text)]
    return np.array([*weights, 0.0], np.float32)[owners]


def _telling_words(text: str, tokens: TokenVectors) -> Vectors:
    """(w, d): the mean of each telling word's tokens; of all words where none tells, of nothing where there is none."""
    words, owners = _words_of(text, tokens)
    owned = np.unique(owners[owners >= 0])
    telling = [number for number in owned if not _only_asks(words[number])] or list(owned)
    if not telling:
        return np.zeros((0, tokens.vectors.shape[1]), np.float32)
    members = (owners[None, :] == np.array(telling)[:, None]).astype(np.float32)
    means: Vectors = members @ tokens.vectors / members.sum(axis=1, keepdims=True)
    return means
