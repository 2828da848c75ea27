"""What a generator is: evidence in, draft claims out, each as soon as it is whole."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.domain.evidence import DraftClaim, Evidence, Reason, TokenUse


@dataclass(frozen=True, slots=True)
class Attempted:
    """The generator begins again: drafts that came before are void. `number` counts from 1."""

    number: int


@dataclass(frozen=True, slots=True)
class Answerable:
    """Whether the generator finds an answer in the passages. Comes before any draft."""

    answerable: bool


@dataclass(frozen=True, slots=True)
class Drafted:
    """A whole claim, not verified."""

    claim: DraftClaim


@dataclass(frozen=True, slots=True)
class Billed:
    """What a request that has begun is known to be billed, should it be given up: `Spent` comes in its place."""

    use: TokenUse


@dataclass(frozen=True, slots=True)
class Spent:
    """What one request of the generator has used; several add up."""

    use: TokenUse


GenerationEvent = Attempted | Answerable | Drafted | Billed | Spent


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """A whole question with the evidence that may answer it. `deadline` is monotonic seconds."""

    question: str
    language: str
    evidence: Evidence
    deadline: float


@dataclass(frozen=True, slots=True)
class FailedClaim:
    """A draft that the verifier turned down, with its named failures."""

    draft: DraftClaim
    reasons: tuple[Reason, ...]


class Generator(Protocol):
    """Writes claims from evidence."""

    @property
    def name(self) -> str:
        """What the record of a run says: `extractive`, or the model's name."""

    def generate(self, request: GenerationRequest) -> AsyncGenerator[GenerationEvent, None]:
        """Yield drafts. Raises GenerationError when it cannot go on.

        A generator that begins again by itself says so by `Attempted`, and never does after the consumer has taken a
        draft and asked for the next event.
        """

    def repair(
        self, request: GenerationRequest, failures: Sequence[FailedClaim]
    ) -> AsyncGenerator[GenerationEvent, None] | None:
        """One more turn over the same evidence, to mend claims that failed before anything was shown; as `generate`.

        None where there is nobody to ask. What it yields is verified like any other draft.
        """
