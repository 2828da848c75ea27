"""What one run gathers while it goes: the pipeline's notebook, never shown to a front end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.domain.evidence import Claim, Evidence, TokenUse
from core.domain.question import Question
from core.generation.generator import FailedClaim
from core.retrieval.compound import FoundPart, Part
from core.retrieval.search import Retrieval
from core.settings import Mode
from core.verification.contradictions import Contradiction


@dataclass(slots=True)
class Run:
    """What one run gathers while it goes."""

    run_id: str
    question: Question
    whole: str
    asked_in: str
    """The language of the question, which it is searched in."""
    language: str
    """The language of the answer."""
    mode: Mode
    started_at: float
    compound: tuple[Part, ...] = ()
    """The parts of a question that asks several things."""
    parts: tuple[FoundPart, ...] = ()
    """Those parts of a compound question for which something was found; none of a question that asks one thing."""
    missing: tuple[str, ...] = ()
    """The other parts."""
    unanswered: list[str] = field(default_factory=list)
    """Parts for which something was found that then answered nothing."""
    is_explored: bool = False
    """Whether its passages were found by Claude's own searches."""
    needed_rule: int | None = None
    """A rule that must hold for every claim, besides that of the version it stands in."""
    retrieval: Retrieval | None = None
    evidence: Evidence | None = None
    contradictions: tuple[Contradiction, ...] = ()
    claims: list[Claim] = field(default_factory=list)
    drafts: int = 0
    """Drafts of this turn of the generator."""
    failed: list[FailedClaim] = field(default_factory=list)
    """Those of them that did not pass."""
    sent_back: int = 0
    """Failed drafts of the first turn that this turn is to mend."""
    passed: int = 0
    """Drafts of this part of the question that passed the verifier, those that were said already too."""
    lost: int = 0
    """Claims that were lost in earlier parts."""
    lost_for: list[str] = field(default_factory=list)
    """The verifier's first word on each of those that it rejected."""
    answerable: bool = True
    judged: bool = True
    """Whether the judge can be reached."""
    generator: str = ""
    notes: list[str] = field(default_factory=list)
    use: TokenUse | None = None
    """What the requests that came to their end have cost."""
    billed: TokenUse | None = None
    """What is known to be billed already of the one that is going on."""
    has_ended: bool = False

    @property
    def used(self) -> TokenUse | None:
        """What is known to be used at this moment."""
        return self.use if self.billed is None else self.billed.plus(self.use)

    @property
    def dropped(self) -> int:
        """Claims that were lost: they failed in the last turn of a part, or were given up in it."""
        return self.lost + len(self.failed) + max(0, self.sent_back - self.drafts)

    @property
    def dropped_for(self) -> Mapping[str, int]:
        """How many of the lost claims were rejected for which reason; what was given up has none."""
        return Counter([*self.lost_for, *self._rejected_for])

    @property
    def _rejected_for(self) -> list[str]:
        return [failed.reasons[0].code.value for failed in self.failed if failed.reasons]

    def begin_turn(self, sent_back: int = 0) -> None:
        """Forget the drafts of the turn before."""
        self.drafts, self.failed, self.sent_back = 0, [], sent_back

    def begin_part(self) -> None:
        """Begin another part of the question; what the last one lost stays lost."""
        self.lost, self.passed, self.answerable = self.dropped, 0, True
        self.lost_for += self._rejected_for
        self.begin_turn()
