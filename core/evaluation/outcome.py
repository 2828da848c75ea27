"""What became of one question of a set: where each stage had the expected facts, what was said, how long it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.domain.evidence import TokenUse
from core.evaluation.questions import SetQuestion


class Stage(StrEnum):
    """What puts passages in an order."""

    DENSE = "dense"
    LEXICAL = "lexical"
    FUSED = "fused"
    RERANKED = "reranked"


@dataclass(frozen=True, slots=True)
class FactFound:
    """How far one expected fact came."""

    ranks: Mapping[Stage, int]
    """The first passage of each stage that holds it, from 1; absent where none of the candidates does."""
    read: bool
    """Whether a passage that was read for the answer holds it."""
    quoted: bool
    """Whether the answer quotes exactly it."""
    cited: bool
    """Whether the answer cites its document and section, whatever it quotes there."""


@dataclass(frozen=True, slots=True)
class SaidCitation:
    """A citation as it was shown."""

    title: str
    section: str
    quote: str
    expected_place: bool
    """Whether it is from the document and section of an expected fact."""


@dataclass(frozen=True, slots=True)
class SaidClaim:
    """A claim as it was shown."""

    text: str
    citations: tuple[SaidCitation, ...]
    holds_fact: bool
    """Whether its quotes hold an expected fact."""


@dataclass(frozen=True, slots=True)
class Context:
    """A passage that was read for the answer."""

    chunk_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of one claim: `supported`, `partial` or `unsupported`, and what was missing."""

    verdict: str
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """A judge's verdicts, one a claim, and what they cost."""

    verdicts: tuple[Verdict, ...]
    use: TokenUse | None = None

    @property
    def share(self) -> float:
        """The share of the claims that the passages support."""
        return sum(v.verdict == "supported" for v in self.verdicts) / len(self.verdicts)


class Failing(StrEnum):
    """What went wrong with a question."""

    NOTHING = "right"
    FORBIDDEN_SHOWN = "forbidden shown"
    ANSWERED = "answered, should not"
    REFUSED = "refused, should not"
    WRONG = "wrong"
    INCOMPLETE = "incomplete"


class LostAt(StrEnum):
    """The stage that an expected fact did not pass."""

    SEARCH = "the search did not find it"
    RANKING = "found, but not read"
    DECISION = "read, but too unsure to answer"
    ANSWER = "read, but not quoted"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question, asked."""

    question: SetQuestion
    answered: bool
    confidence: float
    facts: tuple[FactFound, ...]
    claims: tuple[SaidClaim, ...]
    contexts: tuple[Context, ...]
    forbidden: tuple[str, ...]
    """What was shown that must not be, a few words each."""
    timings: Mapping[str, float]
    """Milliseconds by stage."""
    searched: str = ""
    """The question as it was searched: a follow-up is whole here."""
    refusal: str = ""
    """Why there was no answer."""
    use: TokenUse | None = None
    relevance: float | None = None
    """Cosine of question and answer; None where there was none."""
    faithfulness: Faithfulness | None = None
    judge_failed: bool = False

    @property
    def can_be_answered(self) -> bool:
        """Whether the passages that were read hold every expected fact: what confidence is a probability of."""
        return bool(self.facts) and all(fact.read for fact in self.facts)

    @property
    def failing(self) -> Failing:
        """The worst that went wrong."""
        if self.forbidden:
            return Failing.FORBIDDEN_SHOWN
        if self.question.unanswerable:
            return Failing.ANSWERED if self.answered else Failing.NOTHING
        if not self.answered:
            return Failing.REFUSED
        quoted = [fact.quoted for fact in self.facts]
        return Failing.NOTHING if all(quoted) else Failing.INCOMPLETE if any(quoted) else Failing.WRONG

    def lost_at(self, fact: FactFound) -> LostAt | None:
        """Where a fact that was not quoted got lost."""
        if fact.quoted:
            return None
        if not fact.ranks:
            return LostAt.SEARCH
        if not fact.read:
            return LostAt.RANKING
        return LostAt.ANSWER if self.answered else LostAt.DECISION

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it failed, in a few words each; empty for what is right."""
        if self.failing is Failing.NOTHING:
            return ()
        lost = [(number, self.lost_at(fact)) for number, fact in enumerate(self.facts, 1)]
        several = len(self.facts) > 1
        missed = [f"{f'fact {number}: ' if several else ''}{at.value}" for number, at in lost if at is not None]
        refusal = [self.refusal.replace("_", " ")] if self.refusal and not self.question.unanswerable else []
        return (*self.forbidden, *refusal, *missed)
