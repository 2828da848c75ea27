"""Sentences that a model writes about chunks (contextual retrieval): what it is given, costs, and gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk by the key of its row, and its text."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A document (a long one in parts), and those of its chunks that lack a sentence."""

    title: str
    text: str
    chunks: tuple[ChunkText, ...]


@dataclass(frozen=True, slots=True)
class ContextCost:
    """What sentences will cost, estimated so that they seldom cost more. `usd` is None where the price is not known."""

    chunks: int = 0
    requests: int = 0
    input_tokens: int = 0
    """The whole prompts; the greater part of a long document's is read from the prompt cache."""
    output_tokens: int = 0
    usd: float | None = 0.0

    def __add__(self, other: ContextCost) -> ContextCost:
        known = self.usd is not None and other.usd is not None
        return ContextCost(
            self.chunks + other.chunks,
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            (self.usd or 0) + (other.usd or 0) if known else None,
        )


@dataclass(frozen=True, slots=True)
class WrittenContexts:
    """The sentences that came back, by the key of their chunk, and what was billed for them."""

    sentences: Mapping[str, str]
    tokens: int = 0
    usd: float | None = 0.0
    stopped: str = ""
    """A sentence that says why the rest was not asked, where asking on would have been of no use."""


@dataclass(frozen=True, slots=True)
class ContextReport:
    """How the sentences of one source ended. What lacks one is found without it, and asked again by the next sync."""

    source: str
    written: int = 0
    lacking: int = 0
    tokens: int = 0
    usd: float | None = 0.0
    reasons: tuple[str, ...] = field(default=())
    """Why some lack one, a sentence each."""

    @property
    def lines(self) -> tuple[str, ...]:
        """What of it belongs among a report's warnings."""
        if not self.lacking:
            return ()
        return (f"{self.lacking} passages go without a sentence of context. {' '.join(self.reasons)}".strip(),)
