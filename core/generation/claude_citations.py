"""Claude as a generator that cites by itself: prose with native citations, mapped to our offsets.

The provider promises that what it cites stands in the document. We take no one's word for it: the offsets become the
exact words of our version, and those go through the same verifier as any other quote.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from core.domain.evidence import ClaimKind, DraftClaim, DraftQuote, Evidence
from core.generation.backoff import Backoff
from core.generation.cited_prose import CitedProse, CitedSentence
from core.generation.claude import accounted
from core.generation.claude_events import CitationFound, TextDelta
from core.generation.claude_stream import ClaudeMessages, Turn
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
from core.generation.prompts import CITATIONS_SYSTEM, cited_documents, question_turn, repair_turn

log = logging.getLogger(__name__)


class ClaudeCitationsGenerator:
    """Writes claims with Claude, which cites by itself. Retries only until the first draft has been handed on."""

    def __init__(self, messages: ClaudeMessages, backoff: Backoff | None = None) -> None:
        self._messages = messages
        self._backoff = backoff

    @property
    def name(self) -> str:
        """The model's name, and that it cited by itself."""
        return f"{self._messages.model} (citations)"

    def generate(self, request: GenerationRequest) -> AsyncGenerator[GenerationEvent, None]:
        """Yield a draft for each sentence, as soon as the next begins."""
        return self._drafts([_documents(request)], request)

    def repair(
        self, request: GenerationRequest, failures: Sequence[FailedClaim]
    ) -> AsyncGenerator[GenerationEvent, None]:
        """Send the failed sentences back once, with what was wrong with each."""
        turns = [
            _documents(request),
            Turn("assistant", " ".join(failed.draft.text for failed in failures)),
            Turn("user", repair_turn(failures, request.question, request.evidence)),
        ]
        return self._drafts(turns, request)

    async def _drafts(self, turns: Sequence[Turn], request: GenerationRequest) -> AsyncGenerator[GenerationEvent, None]:
        handed_on = False
        prose = CitedProse()
        said = False
        stream = self._messages.stream_with_retries(
            CITATIONS_SYSTEM,
            turns,
            None,
            request.deadline,
            backoff=self._backoff,
            may_retry=lambda: not handed_on,
        )
        async with aclosing(accounted(stream, self._messages.model)) as events:
            async for event in events:
                match event:
                    case Attempted():
                        prose, said = CitedProse(), False
                        yield event
                        continue
                    case Billed() | Spent():
                        yield event
                        continue
                    case TextDelta() | CitationFound():
                        sentences = prose.feed(event)
                if not said and prose.answerable is not None:
                    said = True
                    yield Answerable(prose.answerable)
                for sentence in sentences:
                    handed_on = True
                    yield Drafted(_draft(sentence, request.evidence))
        rest = prose.close()
        if not said:
            yield Answerable(bool(prose.answerable))
        for sentence in rest:
            yield Drafted(_draft(sentence, request.evidence))


def _documents(request: GenerationRequest) -> Turn:
    return Turn("user", question_turn(request.question, request.language), cited_documents(request.evidence))


def _draft(sentence: CitedSentence, evidence: Evidence) -> DraftClaim:
    quotes = tuple(dict.fromkeys(_quote(citation, evidence) for citation in sentence.citations))
    verbatim = sentence.text == " ".join(quote.quote for quote in quotes)
    return DraftClaim(sentence.text, ClaimKind.QUOTE if verbatim else ClaimKind.SYNTHESIS, quotes)


def _quote(citation: CitationFound, evidence: Evidence) -> DraftQuote:
    """The words at the cited place in our version. Where the place and the words disagree, the words are judged."""
    if not 0 <= citation.document < len(evidence.passages):
        return DraftQuote(f"document {citation.document}", citation.cited_text)
    delivered = evidence.passages[citation.document]
    passage = delivered.passage
    start, end = passage.start + citation.start, passage.start + citation.end
    inside = passage.start <= start < end <= passage.end
    words = delivered.document_text[start:end].strip() if inside else ""
    if words.split() != citation.cited_text.split():
        log.warning("a native citation's offsets are not where its words are")
        words = citation.cited_text.strip()
    return DraftQuote(delivered.label, words)
