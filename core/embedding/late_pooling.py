"""Passages through a token-level encoder: windows that lose nothing, and sentence vectors out of one reading.

A passage is read once, with its context before it, and a sentence's vector is the mean of its own tokens' states ("late
pooling", Günther et al. 2024, arXiv:2409.04701): it knows its surroundings and costs nothing more than the passage.

A passage that does not fit into the model's window is read in several windows, cut between sentences where that is
possible, each with the context before it. The passage's vector is then the mean over its windows, weighted by their
tokens; a sentence that is itself longer than a window is the mean over all its tokens. So no sentence is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.embedding.base import PassageInput, TokenVectors, Vectors

CONTEXT_SEPARATOR = "\n"
CONTEXT_SHARE = 4
"""A context longer than a quarter of the window is cut there, so that the text keeps its place."""
SPARE_TOKENS = 4
"""A text that is cut within a word may have a token or two more at the cut than before."""

_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, eq=False)
class TokenStates:
    """One input of the encoder, read."""

    ids: NDArray[np.int32]
    """(t,)."""
    offsets: NDArray[np.int32]
    """(t, 2) code points of the input; (0, 0) for special tokens."""
    states: Vectors
    """(t, d) as the encoder leaves them."""
    pooled: Vectors
    """(d,) the model's own vector of the whole input."""


Offsets = Callable[[Sequence[str]], list[NDArray[np.int32]]]
"""Texts to their tokens' (t, 2) offsets, special tokens included, nothing cut."""

Read = Callable[[Sequence[str]], Iterable[tuple[int, TokenStates]]]
"""Inputs to (index, states), in any order."""


@dataclass(frozen=True, slots=True)
class Window:
    """One input of the encoder: prefix and context, then `text[start:end]` of the passage at `body`."""

    passage: int
    input: str
    body: int
    start: int


def encodable(text: str) -> str:
    """Replace lone surrogates, which no tokenizer takes, one for one; every offset stays what it is."""
    return _SURROGATES.sub("\ufffd", text)


def windows_of(passages: Sequence[PassageInput], prefix: str, limit: int, offsets: Offsets) -> list[Window]:
    """Cut every passage into inputs of at most `limit` tokens, special tokens included."""
    heads = [
        prefix + encodable(passage.context) + CONTEXT_SEPARATOR if passage.context else prefix for passage in passages
    ]
    texts = [encodable(passage.text) for passage in passages]
    tokens = offsets([head + text for head, text in zip(heads, texts, strict=True)])
    windows: list[Window] = []
    for number, (head, text, spans) in enumerate(zip(heads, texts, tokens, strict=True)):
        if len(spans) <= limit:
            windows.append(Window(number, head + text, len(head), 0))
            continue
        short = _shortened_head(head, len(prefix), spans, limit // CONTEXT_SHARE)
        room = max(1, limit - len(offsets([short])[0]) - SPARE_TOKENS)
        ends = spans[spans[:, 1] > len(head), 1] - len(head)
        sentence_ends = [end for _, end in passages[number].sentences]
        for start, end in _cuts(ends, sentence_ends, len(text), room):
            windows.append(Window(number, short + text[start:end], len(short), start))
    return windows


def _shortened_head(head: str, keep: int, tokens: NDArray[np.int32], most: int) -> str:
    inside = tokens[(tokens[:, 1] <= len(head)) & (tokens[:, 1] > 0), 1]
    if len(inside) <= most:
        return head
    return head[: max(keep, int(inside[most - 1]))].rstrip() + CONTEXT_SEPARATOR


def _cuts(
    token_ends: NDArray[np.int32], sentence_ends: Sequence[int], length: int, room: int
) -> Iterable[tuple[int, int]]:
    """Cover the text by stretches of at most `room` tokens, which end with a sentence where one ends late enough."""
    stops = np.array(sentence_ends, np.int64)
    start = 0
    while True:
        ahead = token_ends[token_ends > start]
        if len(ahead) <= room:
            yield start, length
            return
        furthest, nearest = int(ahead[room - 1]), int(ahead[room // 2])
        fitting = stops[(stops > nearest) & (stops <= furthest)]
        end = int(fitting[-1]) if len(fitting) else furthest
        yield start, end
        start = end


class PassageSums:
    """Adds up a passage's windows into its vector and its sentences' vectors."""

    def __init__(self, passage: PassageInput) -> None:
        self._passage = passage
        self._whole: Vectors | None = None
        self._sentences: Vectors | None = None
        self._counts = np.zeros(len(passage.sentences), np.int64)

    def add(self, window: Window, read: TokenStates) -> None:
        """Take in one window as it was read."""
        ends = read.offsets[:, 1]
        inside = ends > window.body
        if self._whole is None:
            self._whole = np.zeros_like(read.pooled)
            self._sentences = np.zeros((len(self._passage.sentences), read.states.shape[1]), np.float32)
        assert self._sentences is not None
        self._whole += read.pooled * max(1, int(inside.sum()))
        if not len(self._counts):
            return
        last = ends[inside] - 1 - window.body + window.start
        members = _membership(last, self._passage.sentences)
        self._sentences += members @ read.states[inside]
        self._counts += members.sum(axis=1).astype(np.int64)

    def vector(self) -> Vectors:
        """(d,) of the whole passage, not yet of length 1."""
        assert self._whole is not None
        return self._whole

    def sentence_vectors(self) -> Vectors:
        """(s, d), not yet of length 1; a sentence that owns no token (blank, or inside one piece) is its passage."""
        assert self._sentences is not None
        if (self._counts == 0).any():
            self._sentences[self._counts == 0] = self.vector()
        return self._sentences


def _membership(last_characters: NDArray[np.int32], sentences: Sequence[tuple[int, int]]) -> Vectors:
    """(s, t) of 1 where the token's last character lies in the sentence: so no token counts twice."""
    spans = np.array(sentences, np.int64).reshape(-1, 2)
    inside = (last_characters >= spans[:, :1]) & (last_characters < spans[:, 1:])
    return inside.astype(np.float32)


def text_tokens(windows: Sequence[Window], reads: Sequence[TokenStates]) -> TokenVectors:
    """Join the windows of one text into its tokens, without what stood before the text; vectors not yet of length 1."""
    ids, offsets, states = [], [], []
    for window, read in zip(windows, reads, strict=True):
        inside = read.offsets[:, 1] > window.body
        ids.append(read.ids[inside])
        offsets.append(np.maximum(read.offsets[inside] - window.body, 0) + window.start)
        states.append(read.states[inside])
    return TokenVectors(np.concatenate(ids), np.concatenate(offsets), np.concatenate(states))
