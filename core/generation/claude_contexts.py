"""Claude writes a sentence about each chunk, in the light of its whole document: contextual retrieval.

https://www.anthropic.com/news/contextual-retrieval. The document is the prompt's cached part, the same for all requests
about it; several chunks go in one request. Requests about one document follow each other, since only what a request has
finished to write can the next one read from the cache; those about different documents go at the same time.

The Message Batches API would halve the price. It answers within a day instead of minutes, runs its requests in any
order, so that the cache is seldom hit, and a batch would have to be remembered over the end of the process: not taken.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files

from pydantic import TypeAdapter, ValidationError

from core.domain.contexts import ChunkText, ContextCost, DocumentPart, WrittenContexts
from core.domain.evidence import TokenUse
from core.generation.backoff import Backoff
from core.generation.chunk_sentence import taken_sentence
from core.generation.claude import accounted
from core.generation.claude_stream import ClaudeMessages, TextDelta, Turn
from core.generation.errors import CutShort, GenerationError, MalformedAnswer, Refused
from core.generation.generator import Attempted, Spent
from core.generation.prices import Usage, cost_usd
from core.text.canonical import clean_line

log = logging.getLogger(__name__)

CHUNKS_AT_ONCE = 10
DOCUMENTS_AT_ONCE = 4
REQUEST_SECONDS = 180.0
"""The longest that a request may take, with its repetitions."""
ATTEMPTS = 3
FAILURES_IN_A_ROW = 3
"""After so many failures of the service itself it is not asked any more."""
MOST_TOKENS = 2_000
"""Of one answer: ten sentences in JSON take some 900."""

_TOKEN_BYTES = 3
"""For the estimate: a token has more bytes than this, in English and in Spanish."""
_SENTENCE_TOKENS = 90
_TAG_TOKENS = 40
_CACHED_FROM = 4_096
"""Tokens. Shorter prompts may not be cached, as models go: the estimate takes them to be read whole each time."""

_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "contexts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"chunk": {"type": "integer"}, "sentence": {"type": "string"}},
                "required": ["chunk", "sentence"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["contexts"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class _Context:
    chunk: int
    sentence: str


@dataclass(frozen=True, slots=True)
class _Answer:
    contexts: tuple[_Context, ...]


_ANSWER = TypeAdapter(_Answer)


@dataclass(slots=True)
class _Outcome:
    """What has come of the requests so far."""

    sentences: dict[str, str] = field(default_factory=dict)
    spent: list[TokenUse] = field(default_factory=list)
    failures: int = 0
    """Of the service, in a row."""
    stopped: str = ""

    def failed(self, error: GenerationError) -> None:
        """Count a failure: an answer that is of no use says nothing of the next one, a service that is ill does."""
        log.warning("a request for sentences about chunks failed: %s", type(error).__name__)
        if isinstance(error, Refused | CutShort | MalformedAnswer):
            return
        self.failures += 1
        if self.failures >= FAILURES_IN_A_ROW:
            self.stopped = str(error)

    def frozen(self) -> WrittenContexts:
        total: TokenUse | None = None
        for use in self.spent:
            total = use.plus(total)
        if total is None:
            return WrittenContexts(self.sentences, stopped=self.stopped)
        read = total.input_tokens + total.cache_read_tokens + total.cache_write_tokens
        return WrittenContexts(self.sentences, read + total.output_tokens, total.cost_usd, self.stopped)


class ClaudeContexts:
    """Asks one model of Claude. Blocking: to be called from a thread that runs no event loop."""

    def __init__(self, connect: Callable[[], ClaudeMessages], model: str, backoff: Backoff | None = None) -> None:
        """`connect` opens a client of `model`; it is closed again with the event loop that used it."""
        self._connect = connect
        self._model = model
        self._backoff = backoff or Backoff(attempts=ATTEMPTS)

    def cost(self, part: DocumentPart) -> ContextCost:
        """Estimate what the sentences about a part will cost."""
        document = _tokens(part.title) + _tokens(part.text) + _TAG_TOKENS
        stable = _tokens(_system()) + _TAG_TOKENS
        total = ContextCost()
        for number, batch in enumerate(_batches(part)):
            chunks = sum(_tokens(chunk.text) + _TAG_TOKENS for chunk in batch)
            output = len(batch) * _SENTENCE_TOKENS
            prompt = stable + document
            if len(part.chunks) <= CHUNKS_AT_ONCE or prompt < _CACHED_FROM:
                usage = Usage(prompt + chunks, output)
            elif number == 0:
                usage = Usage(chunks, output, cache_creation_tokens=prompt)
            else:
                usage = Usage(chunks, output, cache_read_tokens=prompt)
            total += ContextCost(len(batch), 1, prompt + chunks, output, cost_usd(self._model, usage))
        return total

    def write(self, parts: Sequence[DocumentPart]) -> WrittenContexts:
        """Ask about the chunks of these parts; those that no fit sentence came for are left out."""
        return asyncio.run(self._write(parts))

    async def _write(self, parts: Sequence[DocumentPart]) -> WrittenContexts:
        outcome, at_once = _Outcome(), asyncio.Semaphore(DOCUMENTS_AT_ONCE)
        async with self._connect() as messages, asyncio.TaskGroup() as tasks:
            for part in parts:
                tasks.create_task(self._part(messages, part, outcome, at_once))
        return outcome.frozen()

    async def _part(
        self, messages: ClaudeMessages, part: DocumentPart, outcome: _Outcome, at_once: asyncio.Semaphore
    ) -> None:
        async with at_once:
            code = _fence_code(part)
            document = f'<document-{code} title="{escape(clean_line(part.title))}">\n{part.text}\n</document-{code}>'
            known = f"{part.title}\n{part.text}"
            batches = list(_batches(part))
            for batch in batches:
                if outcome.stopped:
                    return
                chunks = "\n\n".join(
                    f'<chunk-{code} number="{number}">\n{chunk.text}\n</chunk-{code}>'
                    for number, chunk in enumerate(batch, 1)
                )
                # What is asked only once is not written to the cache, which costs more than to be read.
                turn = Turn("user", f"{document}\n\n{chunks}")
                if len(batches) > 1:
                    turn = Turn("user", chunks, cached=document)
                try:
                    answer = await self._asked(messages, turn, outcome)
                except GenerationError as error:
                    outcome.failed(error)
                    continue
                outcome.failures = 0
                for number, sentence in _by_number(answer).items():
                    if 1 <= number <= len(batch) and (taken := taken_sentence(sentence, known)) is not None:
                        outcome.sentences[batch[number - 1].key] = taken

    async def _asked(self, messages: ClaudeMessages, turn: Turn, outcome: _Outcome) -> _Answer:
        deadline = self._backoff.clock() + REQUEST_SECONDS
        said: list[str] = []
        stream = messages.stream_with_retries(_system(), [turn], _SCHEMA, deadline, backoff=self._backoff)
        async with aclosing(accounted(stream, self._model)) as events:
            async for event in events:
                match event:
                    case Attempted():
                        said.clear()
                    case Spent(use):
                        outcome.spent.append(use)
                    case TextDelta(text):
                        said.append(text)
                    case _:
                        pass  # nothing is cited here
        try:
            return _ANSWER.validate_json("".join(said))
        except (ValidationError, UnicodeError) as error:
            raise MalformedAnswer("Claude's answer does not follow its schema: ask again.") from error


def _by_number(answer: _Answer) -> dict[int, str]:
    """The sentences by their chunk's number; of a chunk that was named twice, none: one of them is another's."""
    numbers = [context.chunk for context in answer.contexts]
    return {context.chunk: context.sentence for context in answer.contexts if numbers.count(context.chunk) == 1}


def _batches(part: DocumentPart) -> Iterable[Sequence[ChunkText]]:
    return (part.chunks[at : at + CHUNKS_AT_ONCE] for at in range(0, len(part.chunks), CHUNKS_AT_ONCE))


def _fence_code(part: DocumentPart) -> str:
    """The code of the tags: unknown to who wrote the document, and in none of its texts."""
    while True:
        code = secrets.token_hex(6)
        if code not in part.text and code not in part.title:
            return code


def _tokens(text: str) -> int:
    return math.ceil(len(text.encode("utf-8", "replace")) / _TOKEN_BYTES)


@cache
def _system() -> str:
    """What Claude is told: the same for every chunk, so that the prompt cache holds it."""
    return files("core.generation").joinpath("rubrics", "contexts.md").read_text("utf-8")
