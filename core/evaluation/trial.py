"""Ask one question of a set through the real pipeline, and keep what the metrics need."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from core.domain.events import ClaimVerified, Finished
from core.domain.evidence import Answer, Citation, Claim, Passage
from core.domain.question import Question
from core.embedding.base import PassageInput
from core.embedding.space import VectorSpace
from core.evaluation.faithfulness import FaithfulnessJudge
from core.evaluation.outcome import Context, FactFound, Outcome, SaidCitation, SaidClaim, Stage
from core.evaluation.places import DocumentIds, Spot, holds, is_cited_at, spots
from core.evaluation.questions import Fact, SetQuestion
from core.generation.errors import GenerationError
from core.pipeline import Pipeline
from core.retrieval.search import Retrieval

FIRST_CLAIM, WHOLE_ANSWER = "first claim", "whole answer"
PLACE_REFUSED = "place_refused"

PipelineMaker = Callable[[Callable[[Retrieval], None]], Pipeline]


class Trial:
    """Asks questions one at a time, so that their times are their own."""

    def __init__(
        self,
        pipeline: PipelineMaker,
        space: VectorSpace,
        documents: DocumentIds,
        *,
        judge: FaithfulnessJudge | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._found: list[Retrieval] = []
        self._pipeline = pipeline(self._found.append)
        self._space = space
        self._documents = documents
        self._judge = judge
        self._clock = clock

    async def ask(self, asked: SetQuestion, question: Question) -> Outcome:
        """Ask, and say what became of it.

        Raises:
            TestigoError: see `Pipeline.ask`.
        """
        self._found.clear()
        begun = self._clock()
        first: float | None = None
        answer: Answer | None = None
        async for event in self._pipeline.ask(question):
            if isinstance(event, ClaimVerified) and first is None:
                first = self._clock()
            if isinstance(event, Finished):
                answer = event.answer
        assert answer is not None, "the pipeline ends with Finished"
        timings = dict(self._found[-1].timings) if self._found else {}
        if first is not None:
            timings[FIRST_CLAIM] = (first - begun) * 1000
        timings[WHOLE_ANSWER] = (self._clock() - begun) * 1000
        outcome = outcome_of(asked, answer, self._found, self._documents, timings)
        outcome = replace(outcome, relevance=await asyncio.to_thread(self._relevance, asked, outcome))
        return await self._judged(outcome) if self._judge is not None else outcome

    def _relevance(self, asked: SetQuestion, outcome: Outcome) -> float | None:
        """The cosine of the question and the answer, by the embedder that searches: no more than nearness of topic."""
        if not outcome.claims:
            return None
        text = said(outcome)
        question = self._space.embed_query(outcome.searched, asked.language)
        answer = self._space.embed_passages([PassageInput("", text)], [asked.language])[0]
        return float(question @ answer.vector)

    async def _judged(self, outcome: Outcome) -> Outcome:
        if not outcome.claims:
            return outcome
        assert self._judge is not None
        try:
            return replace(outcome, faithfulness=await self._judge.judge(outcome))
        except GenerationError:
            return replace(outcome, judge_failed=True)


def said(outcome: Outcome) -> str:
    """The answer as one text."""
    return "\n".join(claim.text for claim in outcome.claims)


def refused_place(asked: SetQuestion) -> Outcome:
    """The outcome in a place where nothing may be shown: nobody is asked."""
    nowhere = FactFound({}, read=False, quoted=False, cited=False)
    return Outcome(
        question=asked,
        answered=False,
        confidence=0.0,
        facts=tuple(nowhere for _ in asked.expected),
        claims=(),
        contexts=(),
        forbidden=(),
        timings={},
        refusal=PLACE_REFUSED,
    )


def outcome_of(
    asked: SetQuestion,
    answer: Answer,
    retrievals: Sequence[Retrieval],
    ids: DocumentIds,
    timings: dict[str, float],
) -> Outcome:
    """Compare an answer, and the searches that led to it, with what was expected. The last search is the one told."""
    last = retrievals[-1] if retrievals else None
    known = [p for r in retrievals for p in (*r.candidates, *r.kept)]
    places = [spots(fact, known, ids) for fact in asked.expected]
    facts = tuple(
        FactFound(
            ranks=_ranks(fact, last, ids),
            read=any(holds(p, fact, ids) for r in retrievals for p in r.kept),
            quoted=any(_quotes(citation, fact, where, ids) for citation in answer.citations),
            cited=any(is_cited_at(citation, fact, ids) for citation in answer.citations),
        )
        for fact, where in zip(asked.expected, places, strict=True)
    )
    claims = tuple(_said(claim, asked.expected, places, ids) for claim in answer.claims)
    return Outcome(
        question=asked,
        answered=answer.abstention is None,
        confidence=answer.confidence,
        facts=facts,
        claims=claims,
        contexts=tuple(Context(p.chunk_id, p.title, p.text) for p in last.kept) if last is not None else (),
        forbidden=tuple(_forbidden(asked, answer, ids)),
        timings=timings,
        searched=last.question if last is not None else asked.question,
        refusal=answer.abstention.reason.value if answer.abstention is not None else "",
        use=answer.use,
    )


def ranking(retrieval: Retrieval, stage: Stage) -> list[Passage]:
    """The candidates in the order of one stage. What neither half's first ones brought is not among them."""
    found = retrieval.candidates
    match stage:
        case Stage.DENSE:
            return sorted((p for p in found if p.scores.dense_rank), key=lambda p: p.scores.dense_rank or 0)
        case Stage.LEXICAL:
            return sorted((p for p in found if p.scores.lexical_rank), key=lambda p: p.scores.lexical_rank or 0)
        case Stage.FUSED:
            return sorted(found, key=lambda p: -p.scores.fused)
        case Stage.RERANKED:
            return list(found)


def _ranks(fact: Fact, retrieval: Retrieval | None, ids: DocumentIds) -> dict[Stage, int]:
    if retrieval is None:
        return {}
    ranks = {}
    for stage in Stage:
        for place, passage in enumerate(ranking(retrieval, stage), 1):
            if holds(passage, fact, ids):
                own = {Stage.DENSE: passage.scores.dense_rank, Stage.LEXICAL: passage.scores.lexical_rank}
                ranks[stage] = own.get(stage) or place
                break
    return ranks


def _quotes(citation: Citation, fact: Fact, where: Iterable[Spot], ids: DocumentIds) -> bool:
    if any(spot.within(citation) for spot in where):
        return True
    unquoted = [place for place in fact.places if not place.quote]
    return any(is_cited_at(citation, Fact(document=p.document, section=p.section), ids) for p in unquoted)


def _said(claim: Claim, expected: Sequence[Fact], places: Sequence[Iterable[Spot]], ids: DocumentIds) -> SaidClaim:
    citations = tuple(
        SaidCitation(
            title=c.title,
            section=" › ".join(c.section_path),
            quote=c.quote,
            expected_place=any(is_cited_at(c, fact, ids) for fact in expected),
        )
        for c in claim.citations
    )
    pairs = list(zip(expected, places, strict=True))
    holds_fact = any(_quotes(c, fact, where, ids) for c in claim.citations for fact, where in pairs)
    return SaidClaim(claim.text, citations, holds_fact)


def _forbidden(asked: SetQuestion, answer: Answer, ids: DocumentIds) -> Iterable[str]:
    hidden = {ids[name]: name for name in asked.forbidden if name in ids}
    shown = {c.document_id for c in answer.citations}
    if asked.unanswerable and answer.abstention is not None:
        shown |= {near.document_id for near in answer.abstention.near}
    yield from (f"names {hidden[document_id]}" for document_id in sorted(shown & hidden.keys()))
    texts = [claim.text for claim in answer.claims] + [c.quote for c in answer.citations]
    yield from (f"says {words!r}" for words in asked.forbidden_text if any(words in text for text in texts))
