"""Whoever judges, besides the rules, whether a claim follows from its quotes: a local model or Claude, asked alike.

A judge can lower what the rules found and never raise it (`core.verification.entailment.lowered`). One that cannot be
reached changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.domain.evidence import Judgement, TokenUse
from core.verification.entailment import EntailmentJudge


@dataclass(frozen=True, slots=True)
class Opinion:
    """A judgement, and what it cost where it was bought."""

    judgement: Judgement
    use: TokenUse | None = None


class ClaimJudge(Protocol):
    """Gives an opinion on claims while an answer is being written."""

    async def opinion(self, claim: str, quotes: Sequence[str], deadline: float) -> Opinion:
        """Say whether the claim follows from the quotes; `deadline` is monotonic seconds.

        Raises GenerationError when the judge cannot be reached, ModelError when there is none.
        """
        ...


class ThreadedJudge:
    """A judge that computes, kept off the event loop."""

    def __init__(self, judge: EntailmentJudge) -> None:
        self._judge = judge
        self._one_at_a_time = asyncio.Lock()

    async def opinion(self, claim: str, quotes: Sequence[str], deadline: float) -> Opinion:
        """Ask it in a thread, one claim at a time: a model is loaded once and uses every core by itself."""
        async with self._one_at_a_time:
            return Opinion(await asyncio.to_thread(self._judge.judge, claim, quotes))
