"""Claude as a generator: structured output, read while it is written."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TypeVar

from core.domain.evidence import (
    ClaimKind,
    DraftCalculation,
    DraftClaim,
    DraftInput,
    DraftQuote,
    TokenUse,
)
from core.generation.backoff import Attempt, Backoff
from core.generation.claude_stream import Begun, ClaudeMessages, Finished, Turn
from core.generation.errors import GenerationError
from core.generation.generator import (
    Answerable,
    Attempted,
    Billed,
    Drafted,
    FailedClaim,
    GenerationEvent,
    GenerationRequest,
    Spent,
)
from core.generation.partial_json import AnswerableRead, ClaimRead, RawClaim
from core.generation.prices import Usage, cost_usd
from core.generation.prompts import SYSTEM, drafted_answer, passages_turn, repair_turn

log = logging.getLogger(__name__)

T = TypeVar("T")


class ClaudeGenerator:
    """Writes claims with Claude. Retries by itself only until the first draft has been handed on."""

    def __init__(self, messages: ClaudeMessages, backoff: Backoff | None = None) -> None:
        self._messages = messages
        self._backoff = backoff

    @property
    def name(self) -> str:
        """The model's name."""
        return self._messages.model

    def generate(self, request: GenerationRequest) -> AsyncGenerator[GenerationEvent, None]:
        """Yield drafts as their closing braces arrive."""
        return self._drafts([_passages(request)], request.deadline)

    def repair(
        self, request: GenerationRequest, failures: Sequence[FailedClaim]
    ) -> AsyncGenerator[GenerationEvent, None]:
        """Send the failed claims back once, with what was wrong with each."""
        turns = [
            _passages(request),
            Turn("assistant", drafted_answer(request.language, failures)),
            Turn("user", repair_turn(failures, request.question, request.evidence)),
        ]
        return self._drafts(turns, request.deadline)

    async def _drafts(self, turns: Sequence[Turn], deadline: float) -> AsyncGenerator[GenerationEvent, None]:
        handed_on = False
        stream = self._messages.answer_with_retries(
            SYSTEM, turns, deadline, backoff=self._backoff, may_retry=lambda: not handed_on
        )
        async with aclosing(accounted(stream, self._messages.model)) as events:
            async for event in events:
                match event:
                    case AnswerableRead(answerable):
                        yield Answerable(answerable)
                    case ClaimRead(_, raw):
                        handed_on = True
                        yield Drafted(_draft(raw))
                    case Attempted() | Billed() | Spent():
                        yield event
                    case _:
                        pass  # the language and what is missing: the pipeline knows its own


async def accounted(
    stream: AsyncGenerator[Attempt | Begun | Finished | T, None], model: str
) -> AsyncGenerator[Attempted | Billed | Spent | T, None]:
    """The events of a stream with retries, its attempts and ends told as a generator tells them.

    What a failed attempt was billed counts too, the last one's before its error goes on.
    """
    async with aclosing(stream):
        try:
            async for event in stream:
                match event:
                    case Attempt(number, failed):
                        if failed is not None:
                            log.warning("claude attempt %d after %s", number, type(failed).__name__)
                            if failed.usage is not None:
                                yield Spent(use_of(model, failed.usage))
                        yield Attempted(number)
                    case Begun():
                        yield Billed(use_of(model, event.usage))
                    case Finished():
                        yield Spent(use_of(model, event.usage))
                    case _:
                        yield event
        except GenerationError as error:
            if error.usage is not None:
                yield Spent(use_of(model, error.usage))
            raise


def _passages(request: GenerationRequest) -> Turn:
    return Turn("user", passages_turn(request.question, request.language, request.evidence))


def _draft(raw: RawClaim) -> DraftClaim:
    calculation = None
    if raw.calculation is not None:
        c = raw.calculation
        inputs = tuple(DraftInput(i.name, i.value, i.unit, i.citation) for i in c.inputs)
        calculation = DraftCalculation(inputs, c.expression, c.result, c.unit)
    quotes = tuple(DraftQuote(c.passage, c.quote) for c in raw.citations)
    return DraftClaim(raw.text, ClaimKind(raw.kind), quotes, calculation)


def use_of(model: str, usage: Usage) -> TokenUse:
    """What one request cost."""
    return TokenUse(
        model=model,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_creation_tokens,
        cost_usd=cost_usd(model, usage),
    )
