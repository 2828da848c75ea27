"""Whoever makes a follow-up a whole question: a rule, or Claude with the rule behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.domain.evidence import TokenUse
from core.retrieval.followup import whole_question


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The whole question, and what it cost where it was bought."""

    question: str
    use: TokenUse | None = None


class Rewriter(Protocol):
    """Makes a question stand on its own."""

    async def rewrite(self, question: str, earlier: Sequence[str], deadline: float) -> Rewritten:
        """Carry over what the question leans on.

        Args:
            question: as it was typed.
            earlier: the same person's questions in this conversation, whole, newest first.
            deadline: of the answer, in monotonic seconds.

        It never fails: a question that cannot be rewritten is searched by the rule.
        """


class RuleRewriter:
    """Carries the topic over by the words of the question: see `core.retrieval.followup`."""

    async def rewrite(self, question: str, earlier: Sequence[str], deadline: float) -> Rewritten:
        """Put the last question before one that leans on it."""
        return Rewritten(whole_question(question, earlier[0] if earlier else None))
