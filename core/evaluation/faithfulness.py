"""Claude as a judge of whether an answer is faithful to its passages, by the rubric in `rubrics/faithfulness.md`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, Protocol

from pydantic import ConfigDict, TypeAdapter, ValidationError

from core.evaluation.outcome import Faithfulness, Outcome, Verdict
from core.generation.claude import use_of
from core.generation.claude_stream import ClaudeMessages, Finished, TextDelta, Turn
from core.generation.errors import MalformedAnswer

JUDGE_SECONDS = 60.0


class FaithfulnessJudge(Protocol):
    """Judges the claims of an outcome by the passages that were read."""

    async def judge(self, outcome: Outcome) -> Faithfulness:
        """One verdict for each claim. Raises GenerationError."""
        ...


@dataclass(frozen=True, slots=True)
class _Verdict:
    __pydantic_config__ = ConfigDict(extra="forbid")
    verdict: Literal["supported", "partial", "unsupported"]
    missing: str


@dataclass(frozen=True, slots=True)
class _Verdicts:
    __pydantic_config__ = ConfigDict(extra="forbid")
    verdicts: list[_Verdict]


_VERDICTS = TypeAdapter(_Verdicts)


class ClaudeFaithfulness:
    """Asks Claude once for each answer."""

    def __init__(self, messages: ClaudeMessages, clock: Callable[[], float] = time.monotonic) -> None:
        self._messages = messages
        self._clock = clock

    async def judge(self, outcome: Outcome) -> Faithfulness:
        """One verdict for each claim. Raises GenerationError, also where there are more or fewer."""
        given = {
            "question": outcome.question.question,
            "passages": [context.text for context in outcome.contexts],
            "claims": [claim.text for claim in outcome.claims],
        }
        turn = Turn("user", json.dumps(given, ensure_ascii=False))
        written: list[str] = []
        use = None
        until = self._clock() + JUDGE_SECONDS
        async with aclosing(self._messages.stream(rubric(), [turn], _SCHEMA, until)) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        written.append(text)
                    case Finished():
                        use = use_of(self._messages.model, event.usage)
        verdicts = _read("".join(written))
        if len(verdicts) != len(outcome.claims):
            raise MalformedAnswer("Claude judged another number of claims than there are: ask again.")
        return Faithfulness(verdicts, use)


def _read(text: str) -> tuple[Verdict, ...]:
    try:
        read = _VERDICTS.validate_json(text)
    except (ValidationError, UnicodeError) as error:
        raise MalformedAnswer("Claude's verdicts do not follow their schema: ask again.") from error
    return tuple(Verdict(each.verdict, each.missing) for each in read.verdicts)


@cache
def rubric() -> str:
    """What the judge is told: the same for every answer, so that the prompt cache holds it."""
    return files("core.evaluation").joinpath("rubrics", "faithfulness.md").read_text("utf-8")


_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "description": "One for each claim, in their order.",
            "items": {
                "type": "object",
                "properties": {
                    "verdict": {"type": "string", "enum": ["supported", "partial", "unsupported"]},
                    "missing": {
                        "type": "string",
                        "description": "What of the claim is not in the passages, or an empty string.",
                    },
                },
                "required": ["verdict", "missing"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["verdicts"],
    "additionalProperties": False,
}
