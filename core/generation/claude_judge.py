"""Claude as a judge of entailment, by the rubric in `rubrics/entailment.md`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from core.domain.evidence import Judgement
from core.generation.claude_asking import asked
from core.generation.claude_stream import ClaudeMessages
from core.generation.judge import Opinion
from core.verification.entailment import NEUTRAL

JUDGE_SECONDS = 15.0
"""The longest a claim waits for its judge, whatever is left of the answer's time."""
LEAST_CONFIDENCE = 0.5
"""A label counts from here on; below it the judgement is neutral."""


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The judgement as Claude writes it."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    label: Literal["entailment", "neutral", "contradiction"]
    confidence: Annotated[float, Field(description="How sure you are of the label, from 0 to 1.")]
    missing: Annotated[str, Field(description="The part of the claim that is not in the quotes, or an empty string.")]


_VERDICT = TypeAdapter(_Verdict)


class ClaudeJudge:
    """Asks Claude once for each claim; it does not ask again, since the rules have already judged."""

    def __init__(self, messages: ClaudeMessages, clock: Callable[[], float] = time.monotonic) -> None:
        self._messages = messages
        self._clock = clock

    async def opinion(self, claim: str, quotes: Sequence[str], deadline: float) -> Opinion:
        """Judge one claim. Raises GenerationError."""
        until = min(deadline, self._clock() + JUDGE_SECONDS)
        data = {"claim": claim, "quotes": list(quotes)}
        verdict, use = await asked(self._messages, rubric(), data, _VERDICT, until)
        return Opinion(_judgement(verdict, self._messages.model), use)


def _judgement(verdict: _Verdict, model: str) -> Judgement:
    confidence = min(1.0, max(0.0, verdict.confidence))
    label = verdict.label if confidence >= LEAST_CONFIDENCE else NEUTRAL
    return Judgement(model, label, confidence)


@cache
def rubric() -> str:
    """What the judge is told: the same for every claim, so that the prompt cache holds it."""
    return files("core.generation").joinpath("rubrics", "entailment.md").read_text("utf-8")
