"""What the pipeline tells a front end while it works on one question."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.evidence import Answer, Claim, Passage, TokenUse


@dataclass(frozen=True, slots=True)
class Searching:
    """The search has begun, for this question (a follow-up is already whole here)."""

    run_id: str
    question: str


@dataclass(frozen=True, slots=True)
class Reading:
    """These passages were chosen and are being read."""

    run_id: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class ClaimVerified:
    """A claim has passed the verifier and may be shown. `index` counts the claims of this run from 0.

    `use` is what is known to be used by then: all that is known of a run that is stopped here.
    """

    run_id: str
    index: int
    claim: Claim
    use: TokenUse | None = None


@dataclass(frozen=True, slots=True)
class Restarted:
    """The run failed before a claim was shown and begins again under a new id."""

    run_id: str
    failed_run_id: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of every run: the whole answer."""

    run_id: str
    answer: Answer


Event = Searching | Reading | ClaimVerified | Restarted | Finished
