"""One request to Claude's Messages API, as a typed stream: what we send, what comes back, how it can end.

Retries are not here but in `backoff.py`, because only the caller knows whether a claim has already been shown.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, cast

import anthropic
from anthropic.types import (
    ContentBlockParam,
    Message,
    MessageParam,
    OutputConfigParam,
    RawMessageStreamEvent,
    TextBlockParam,
    ThinkingConfigParam,
    ToolParam,
)

from core.generation.backoff import Attempt, Backoff
from core.generation.claude_events import Begun, CitationFound, Ending, Finished, StreamEvent, TextDelta
from core.generation.claude_faults import translated_faults
from core.generation.errors import CutShort, GenerationError, RejectedRequest
from core.generation.partial_json import AnswerEvent, AnswerReader, answer_schema

__all__ = [
    "Attempt",
    "Begun",
    "CitationFound",
    "ClaudeMessages",
    "Effort",
    "Finished",
    "SourceDocument",
    "StreamEvent",
    "TextDelta",
    "Thinking",
    "Turn",
]

Effort = Literal["low", "medium", "high", "xhigh", "max"]
Thinking = Literal["adaptive", "between_tools", "disabled"]


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document that Claude may cite by itself (native citations). `context` is read but never cited."""

    title: str
    text: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the conversation."""

    role: Literal["user", "assistant"]
    text: str
    documents: tuple[SourceDocument, ...] = ()
    cached: str = ""
    """Goes before the text, the same in several requests, and is marked for the prompt cache."""


class ClaudeMessages:
    """Asks one model of Claude, over one pool of connections, without retrying by itself.

    `stall` is how many seconds may pass with nothing on the wire (pings count). Sonnet 5.5 thinks before it writes
    unless `thinking="between_tools"`; thinking counts towards `max_tokens` and is never passed on.
    """

    def __init__(
        self,
        api_key: str,
        model: str,
        *,
        base_url: str | None = None,
        max_tokens: int = 8192,
        effort: Effort | None = None,
        thinking: Thinking | None = None,
        cache_ttl: Literal["5m", "1h"] = "5m",
        stall: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not api_key.strip():
            raise RejectedRequest("There is no key for Claude: set ANTHROPIC_API_KEY, or use the extractive generator.")
        self.model = model
        self._max_tokens = max_tokens
        self._effort = effort
        self._thinking = thinking
        self._cache_ttl: Literal["5m", "1h"] = cache_ttl
        self._clock = clock
        self._client = anthropic.AsyncAnthropic(
            api_key=api_key.strip(),
            base_url=base_url,
            max_retries=0,
            timeout=anthropic.Timeout(stall, connect=min(5.0, stall)),
        )

    async def __aenter__(self) -> ClaudeMessages:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the pool of connections."""
        await self._client.close()

    async def stream(
        self,
        system: str,
        messages: Sequence[Turn],
        schema: Mapping[str, object] | None,
        deadline: float,
    ) -> AsyncGenerator[StreamEvent, None]:
        """Ask once, and yield `Begun`, the text as it comes, `Finished`; `deadline` is on the client's clock, seconds.

        `system` and `schema` are the stable prefix: they are sent the same way each time and marked for the prompt
        cache (below 512 tokens Sonnet 5.5 caches nothing). With `schema` the text is JSON that follows it; without,
        documents may be cited natively, which the API does not allow together. Raises a GenerationError for every
        other end, with the usage that is known by then. Wrap it in `contextlib.aclosing` where it may be left early.
        """
        ending = Ending()
        try:
            with translated_faults(self.model):
                async with asyncio.timeout(self._left(deadline)):
                    stream = await self._open(system, messages, schema)
            async with stream:
                ending.request_id = stream.response.headers.get("request-id")
                events = aiter(stream)
                while True:
                    with translated_faults(self.model):
                        try:
                            async with asyncio.timeout(self._left(deadline)):
                                event = await anext(events)
                        except StopAsyncIteration:
                            break
                        told = ending.follow(event)
                    if told is not None:
                        yield told
        except GenerationError as error:
            if error.usage is None:
                error.usage = ending.usage
            raise
        yield ending.finish()

    async def stream_with_retries(
        self,
        system: str,
        messages: Sequence[Turn],
        schema: Mapping[str, object] | None,
        deadline: float,
        *,
        backoff: Backoff | None = None,
        may_retry: Callable[[], bool] = lambda: True,
    ) -> AsyncGenerator[Attempt | StreamEvent, None]:
        """As `stream`, asking again where that may help. Each `Attempt` voids the text before it: begin a new run.

        `may_retry` must say no as soon as the first claim has been emitted downstream.
        """
        policy = backoff or Backoff(clock=self._clock)
        attempts = policy.attempts_of(
            lambda _: self.stream(system, messages, schema, deadline), deadline=deadline, may_retry=may_retry
        )
        async with aclosing(attempts):
            async for event in attempts:
                yield event

    async def answer_with_retries(
        self,
        system: str,
        messages: Sequence[Turn],
        deadline: float,
        *,
        backoff: Backoff | None = None,
        may_retry: Callable[[], bool] = lambda: True,
    ) -> AsyncGenerator[Attempt | AnswerEvent | Begun | Finished, None]:
        """As `stream_with_retries`, reading the answer's JSON within the attempt.

        So an answer that does not follow its schema is asked for again too, as long as `may_retry` allows it.
        """
        policy = backoff or Backoff(clock=self._clock)
        attempts = policy.attempts_of(
            lambda _: self._answer(system, messages, deadline), deadline=deadline, may_retry=may_retry
        )
        async with aclosing(attempts):
            async for event in attempts:
                yield event

    async def _answer(
        self, system: str, messages: Sequence[Turn], deadline: float
    ) -> AsyncGenerator[AnswerEvent | Begun | Finished, None]:
        reader = AnswerReader()
        async with aclosing(self.stream(system, messages, answer_schema(), deadline)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    for read in reader.feed(event.text):
                        yield read
                elif isinstance(event, Begun):
                    yield event
                elif isinstance(event, Finished):
                    try:
                        reader.close()
                    except GenerationError as error:
                        error.usage = event.usage
                        raise
                    yield event

    async def with_tools(
        self, system: str, messages: Sequence[MessageParam], tools: Sequence[ToolParam], deadline: float
    ) -> Message:
        """Ask once, with tools that Claude may call, and return the whole message; `deadline` as in `stream`.

        Raises:
            GenerationError: there is no message, or it ends otherwise than with a call or an end of its own.
        """
        with translated_faults(self.model):
            async with asyncio.timeout(self._left(deadline)):
                message = await self._client.messages.create(
                    model=self.model,
                    max_tokens=self._max_tokens,
                    system=[self._stable(system)],
                    messages=list(messages),
                    tools=list(tools),
                    thinking=_thinking(self._thinking) if self._thinking else anthropic.omit,
                )
        if message.stop_reason not in ("tool_use", "end_turn"):
            raise CutShort(f"Claude stopped while it searched ({message.stop_reason}): ask again.")
        return message

    def _stable(self, text: str) -> TextBlockParam:
        """The system prompt, or what else is the same in several requests, marked for the prompt cache."""
        return {"type": "text", "text": text, "cache_control": {"type": "ephemeral", "ttl": self._cache_ttl}}

    def _message(self, turn: Turn) -> MessageParam:
        content: list[ContentBlockParam] = [
            {
                "type": "document",
                "source": {"type": "text", "media_type": "text/plain", "data": document.text},
                "title": document.title or None,
                "context": document.context or None,
                "citations": {"enabled": True},
            }
            for document in turn.documents
        ]
        if turn.cached:
            content.append(self._stable(turn.cached))
        content.append({"type": "text", "text": turn.text})
        if turn.role == "assistant":
            return {"role": "assistant", "content": content}
        return {"role": "user", "content": content}

    def _left(self, deadline: float) -> float:
        left = deadline - self._clock()
        if left <= 0:
            raise TimeoutError
        return left

    async def _open(
        self, system: str, messages: Sequence[Turn], schema: Mapping[str, object] | None
    ) -> anthropic.AsyncStream[RawMessageStreamEvent]:
        output: OutputConfigParam = {}
        if self._effort is not None:
            output["effort"] = self._effort
        if schema is not None:
            output["format"] = {"type": "json_schema", "schema": dict(schema)}
        return await self._client.messages.create(
            model=self.model,
            max_tokens=self._max_tokens,
            system=[self._stable(system)],
            messages=[self._message(turn) for turn in messages],
            output_config=output or anthropic.omit,
            thinking=_thinking(self._thinking) if self._thinking else anthropic.omit,
            stream=True,
        )


def _thinking(kind: Thinking) -> ThinkingConfigParam:
    return cast("ThinkingConfigParam", {"type": kind})
