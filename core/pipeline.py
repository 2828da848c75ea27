"""One question, from start to end, as a stream of events. Front ends only draw them.

    understand → search → decide → freeze → generate → verify → record

A claim is emitted the moment it has passed the verifier, and never before. Where none passed, the generator may mend
those that failed, in one more turn. A run that fails before its first claim was emitted begins again with the
extractive generator, under a new id; after that it only ends.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import time
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from core.domain.access import Reader
from core.domain.events import ClaimVerified, Event, Finished, Reading, Restarted, Searching
from core.domain.evidence import (
    Abstention,
    AbstentionReason,
    Answer,
    Claim,
    ClaimKind,
    ClaimStatus,
    DraftClaim,
    Evidence,
    EvidencePassage,
    NearDocument,
    Reason,
    ReasonCode,
    TokenUse,
)
from core.domain.question import Question
from core.errors import QuestionError
from core.generation.errors import GenerationError
from core.generation.extractive import ExtractiveGenerator
from core.generation.generator import (
    Answerable,
    Attempted,
    Drafted,
    FailedClaim,
    GenerationEvent,
    GenerationRequest,
    Generator,
    Spent,
)
from core.generation.judge import ClaimJudge
from core.generation.opposing import opposing
from core.index.reader import IndexReader
from core.index.snapshot import Snapshot
from core.retrieval.confidence import THRESHOLDS
from core.retrieval.followup import whole_question
from core.retrieval.search import Retrieval, Searcher
from core.retrieval.selection import in_force
from core.settings import Mode
from core.store.audit import AuditStore
from core.store.conversations import ConversationStore
from core.store.runs import RunRecord, RunStore
from core.text.language import language_of
from core.verification.contradictions import Contradiction, find_contradictions
from core.verification.entailment import lowered
from core.verification.verifier import Verifier

log = logging.getLogger(__name__)

NEAR_DOCUMENTS = 3
ANSWER_LANGUAGES = ("es", "en")

FALLBACK_EXTRACTIVE = "fallback_extractive"
INTERRUPTED = "interrupted"
OTHER_LANGUAGE = "other_language"
LOW_CONFIDENCE = "low_confidence"
CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True)
class Limits:
    """Numbers that bound one answer."""

    max_question: int = 4000
    answer_seconds: float = 60
    mode: Mode = Mode.BALANCED


@dataclass(slots=True)
class _Run:
    """What one run gathers while it goes."""

    run_id: str
    question: Question
    whole: str
    language: str
    started_at: float
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
    answerable: bool = True
    judged: bool = True
    """Whether the judge can be reached."""
    generator: str = ""
    notes: list[str] = field(default_factory=list)
    use: TokenUse | None = None

    @property
    def dropped(self) -> int:
        """Claims that were lost: they failed in the last turn, or were given up in it."""
        return len(self.failed) + max(0, self.sent_back - self.drafts)

    def begin_turn(self, sent_back: int = 0) -> None:
        """Forget the drafts of the turn before."""
        self.drafts, self.failed, self.sent_back = 0, [], sent_back


class Pipeline:
    """Answers questions. One object serves a whole process."""

    def __init__(
        self,
        *,
        index: IndexReader,
        searcher: Searcher,
        generator: Generator,
        runs: RunStore,
        conversations: ConversationStore,
        judge: ClaimJudge | None = None,
        audit: AuditStore | None = None,
        limits: Limits | None = None,
        sources: Callable[[], tuple[str, ...]] = tuple,
        on_retrieval: Callable[[Retrieval], None] | None = None,
        today: Callable[[], dt.date] = dt.date.today,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._index = index
        self._searcher = searcher
        self._generator = generator
        self._extractive = ExtractiveGenerator()
        self._judge = judge
        self._runs = runs
        self._audit = audit
        self._conversations = conversations
        self._limits = limits or Limits()
        self._sources = sources
        self._on_retrieval = on_retrieval
        self._today = today
        self._clock = clock
        self._monotonic = monotonic

    async def ask(self, question: Question) -> AsyncGenerator[Event, None]:
        """Answer one question.

        Raises:
            QuestionError: the question is empty or too long.
            StorageError, ModelError: the index or the model cannot be used.
        """
        text = question.text.strip()
        if not text:
            raise QuestionError("Write your question after the command, for example: how many holidays do I have?")
        if len(text) > self._limits.max_question:
            raise QuestionError(
                f"The question has {len(text)} characters, and {self._limits.max_question} is the most: shorten it."
            )
        deadline = self._monotonic() + self._limits.answer_seconds
        run = await self._understand(question, text)
        yield Searching(run.run_id, run.whole)
        snapshot = await asyncio.to_thread(self._index.snapshot, question.reader, question.audience)
        retrieval = await asyncio.to_thread(self._searcher.search, snapshot, run.whole, run.language, self._today())
        run.retrieval = retrieval
        if self._on_retrieval is not None:
            self._on_retrieval(retrieval)
        if retrieval.confidence < THRESHOLDS[self._limits.mode]:
            yield await self._finish(run, self._why_not(snapshot, retrieval))
            return
        if retrieval.confidence < THRESHOLDS[Mode.BALANCED]:
            run.notes.append(LOW_CONFIDENCE)
        yield Reading(run.run_id, retrieval.kept)
        run.evidence = await asyncio.to_thread(self._freeze, run, snapshot, retrieval)
        run.contradictions = await asyncio.to_thread(
            find_contradictions, run.evidence, self._today(), snapshot.rules.__contains__
        )
        try:
            async with aclosing(self._generate(run, self._generator, deadline)) as events:
                async for event in events:
                    yield event
        except GenerationError as error:
            log.warning("run %s: %s failed with %s", run.run_id, self._generator.name, type(error).__name__)
            if run.claims:
                run.notes.append(INTERRUPTED)
            else:
                run.notes.append(FALLBACK_EXTRACTIVE)
                yield self._restart(run)
                async with aclosing(self._generate(run, self._extractive, deadline)) as events:
                    async for event in events:
                        yield event
        reason = None
        if not run.claims:
            reason = AbstentionReason.NOTHING_VERIFIED if run.answerable else AbstentionReason.NOT_IN_PASSAGES
        yield await self._finish(run, reason)

    # -- stages -------------------------------------------------------------------------------------------------

    async def _understand(self, question: Question, text: str) -> _Run:
        previous = None
        if question.conversation:
            turns = await asyncio.to_thread(
                self._conversations.last, question.reader.tenant_id, question.conversation, _name(question.reader), 1
            )
            previous = turns[0].question if turns else None
        whole = whole_question(text, previous)
        return _Run(_new_id(), question, whole, _question_language(text, whole), self._clock())

    def _freeze(self, run: _Run, snapshot: Snapshot, retrieval: Retrieval) -> Evidence:
        versions = snapshot.versions(retrieval.kept)
        passages: list[EvidencePassage] = []
        for passage in retrieval.kept:
            version = versions.get((passage.document_id, passage.document_version))
            if version is not None and version.text[passage.start : passage.end] == passage.text:
                label = f"p{len(passages) + 1}"
                passages.append(
                    EvidencePassage(
                        label,
                        passage,
                        version.text,
                        version.canonical.blocks,
                        version.canonical.sections,
                        # The search keeps what is not in force only where it is asked for, or is the best there is.
                        outdated_allowed=not in_force(passage, self._today()),
                    )
                )
            else:
                log.error("chunk %s does not match its version: left out", passage.chunk_id)
        return Evidence(
            run_id=run.run_id,
            tenant_id=snapshot.tenant_id,
            index_version=snapshot.version,
            retrieved_at=dt.datetime.now(dt.UTC),
            passages=tuple(passages),
        )

    async def _generate(self, run: _Run, generator: Generator, deadline: float) -> AsyncGenerator[Event, None]:
        assert run.evidence is not None
        run.generator = generator.name
        run.answerable = True
        run.begin_turn()
        verifier = Verifier(self._today())
        request = GenerationRequest(run.whole, run.language, run.evidence, deadline)
        async with aclosing(self._turn(run, generator.generate(request), verifier, deadline)) as events:
            async for event in events:
                yield event
        # What is shown cannot be unsaid, so only a run that has shown nothing may try again, once.
        if run.claims or not run.failed or not run.answerable or self._monotonic() >= deadline:
            return
        failures = tuple(run.failed)
        repair = generator.repair(replace(request, evidence=run.evidence), failures)
        if repair is None:
            return
        log.info("run %s: %d claims are sent back", run.run_id, len(failures))
        run.begin_turn(sent_back=len(failures))
        async with aclosing(self._turn(run, repair, verifier, deadline)) as events:
            async for event in events:
                yield event

    async def _turn(
        self, run: _Run, drafts: AsyncGenerator[GenerationEvent, None], verifier: Verifier, deadline: float
    ) -> AsyncGenerator[Event, None]:
        """One turn of a generator: each draft is verified as it comes, and emitted only if it passed."""
        assert run.evidence is not None
        async with aclosing(drafts):
            async for event in drafts:
                match event:
                    case Attempted(number):
                        run.answerable = True
                        if number > 1:
                            run.begin_turn(run.sent_back)
                            yield self._restart(run)
                    case Answerable(answerable):
                        run.answerable = answerable
                    case Drafted(draft) if run.answerable:
                        run.drafts += 1
                        claim = await self._verified(run, verifier, draft, deadline)
                        if claim.status is ClaimStatus.UNSUPPORTED:
                            run.failed.append(FailedClaim(draft, claim.reasons))
                            log.info("run %s: claim dropped: %s", run.run_id, [r.code.value for r in claim.reasons])
                            continue
                        if any(claim.text == shown.text for shown in run.claims):
                            continue  # said already
                        yield self._emit(run, draft, claim)
                        # A claim that others in force contradict is never left to stand alone.
                        for other in opposing(run.contradictions, run.evidence, run.claims):
                            opposed = await self._verified(run, verifier, other, deadline)
                            if opposed.status is not ClaimStatus.UNSUPPORTED:
                                yield self._emit(run, other, opposed)
                            if CONTRADICTION not in run.notes:
                                run.notes.append(CONTRADICTION)
                    case Spent(use):
                        run.use = use.plus(run.use)
                    case Drafted():
                        log.warning("run %s: a claim came after the no-answer flag", run.run_id)

    def _emit(self, run: _Run, draft: DraftClaim, claim: Claim) -> ClaimVerified:
        run.claims.append(claim)
        self._note_language(run, draft)
        return ClaimVerified(run.run_id, len(run.claims) - 1, claim)

    async def _verified(self, run: _Run, verifier: Verifier, draft: DraftClaim, deadline: float) -> Claim:
        """What the rules say of a draft, and then the judge, who can only lower it."""
        assert run.evidence is not None
        if draft.kind is ClaimKind.QUOTE and _withheld(draft, run.evidence):
            reason = Reason(ReasonCode.EXTRACT_WITHHELD, "its source forbids extracts")
            return Claim(draft.text, draft.kind, ClaimStatus.UNSUPPORTED, (), (reason,))
        visible = await asyncio.to_thread(self._visible_now, run.question)
        evidence = await asyncio.to_thread(self._not_revoked, run.evidence)
        claim = await asyncio.to_thread(verifier.verify, draft, evidence, visible)
        if (
            self._judge is None
            or not run.judged
            or claim.kind is ClaimKind.QUOTE
            or claim.status is ClaimStatus.UNSUPPORTED
        ):
            return claim
        try:
            opinion = await self._judge.opinion(claim.text, [c.quote for c in claim.citations], deadline)
        except GenerationError as error:
            log.warning("run %s: no judge of entailment: %s", run.run_id, type(error).__name__)
            run.judged = False
            return claim
        if opinion.use is not None:
            run.use = opinion.use if run.use is None else run.use.plus(opinion.use)
        return lowered(claim, opinion.judgement)

    def _restart(self, run: _Run) -> Restarted:
        """Begin again under a new id: ids of one run never meet the text of another."""
        assert run.evidence is not None
        failed, run.run_id = run.run_id, _new_id()
        run.evidence = replace(run.evidence, run_id=run.run_id)
        return Restarted(run.run_id, failed)

    def _note_language(self, run: _Run, draft: DraftClaim) -> None:
        """Say so where a document's own sentences are in another language than the question."""
        assert run.evidence is not None
        labels = {quote.passage for quote in draft.quotes}
        used = {p.passage.language for p in run.evidence.passages if p.label in labels}
        if draft.kind is ClaimKind.QUOTE and run.language not in used and OTHER_LANGUAGE not in run.notes:
            run.notes.append(OTHER_LANGUAGE)

    def _visible_now(self, question: Question) -> Callable[[int], bool]:
        """The second access check: the rules and principals of this moment, not those of the search."""
        book = self._index.rulebook(question.reader.tenant_id)
        visible = book.visible_to(question.reader) & book.visible_in(question.audience)
        return visible.__contains__

    def _still_visible(self, run: _Run) -> list[Claim]:
        """The claims that may be shown at this moment: rights may have changed since they were verified."""
        visible = self._visible_now(run.question)
        revoked = self._index.revoked(run.question.reader.tenant_id)
        return [
            claim
            for claim in run.claims
            if all(visible(c.visibility) and c.document_id not in revoked for c in claim.citations)
        ]

    def _not_revoked(self, evidence: Evidence) -> Evidence:
        """The evidence without the documents that were hidden since it was frozen."""
        revoked = self._index.revoked(evidence.tenant_id)
        if revoked.isdisjoint(p.passage.document_id for p in evidence.passages):
            return evidence
        kept = tuple(p for p in evidence.passages if p.passage.document_id not in revoked)
        return replace(evidence, passages=kept)

    # -- ends ---------------------------------------------------------------------------------------------------

    def _why_not(self, snapshot: Snapshot, retrieval: Retrieval) -> AbstentionReason:
        if retrieval.candidates:
            return AbstentionReason.LOW_CONFIDENCE
        return AbstentionReason.NOTHING_FOUND if snapshot.rules else AbstentionReason.EMPTY_INDEX

    async def _finish(self, run: _Run, reason: AbstentionReason | None) -> Finished:
        retrieval = run.retrieval
        assert retrieval is not None
        abstention = None
        if run.claims:
            run.claims = await asyncio.to_thread(self._still_visible, run)
            if not run.claims:
                reason = AbstentionReason.NOTHING_VERIFIED
        if reason is not None:
            abstention = Abstention(reason, run.whole, self._sources(), near_documents(retrieval))
        answer = Answer(
            run_id=run.run_id,
            question=run.question.text.strip(),
            language=run.language,
            claims=tuple(run.claims),
            abstention=abstention,
            confidence=retrieval.confidence,
            generator=run.generator,
            index_version=retrieval.index_version,
            dropped_claims=run.dropped,
            notes=tuple(run.notes),
            use=run.use,
        )
        await asyncio.to_thread(self._record, run, answer)
        return Finished(run.run_id, answer)

    def _record(self, run: _Run, answer: Answer) -> None:
        question = run.question
        reader = _name(question.reader)
        record = RunRecord(
            run_id=run.run_id,
            tenant_id=question.reader.tenant_id,
            reader=reader,
            place=question.place,
            started_at=run.started_at,
            finished_at=self._clock(),
            timings=run.retrieval.timings if run.retrieval else {},
        )
        self._runs.save(record, answer, run.evidence)
        if self._audit is not None:
            self._audit.note_run(question, record, answer, run.evidence)
        if question.conversation:
            self._conversations.add(record.tenant_id, question.conversation, reader, run.whole, run.run_id)


def _withheld(draft: DraftClaim, evidence: Evidence) -> bool:
    """Whether a claim in a document's own words would be an extract that its source forbids."""
    cited = (evidence.by_label(quote.passage) for quote in draft.quotes)
    return any(delivered is not None and not delivered.passage.show_quotes for delivered in cited)


def near_documents(retrieval: Retrieval) -> tuple[NearDocument, ...]:
    """The documents nearest to a question, of those that the audience may open, each once."""
    near = {p.document_id: NearDocument(p.document_id, p.title, p.uri, p.owner) for p in reversed(retrieval.candidates)}
    order = dict.fromkeys(p.document_id for p in retrieval.candidates)
    return tuple(near[d] for d in list(order)[:NEAR_DOCUMENTS])


def _question_language(text: str, whole: str) -> str:
    for candidate in (text, whole):
        language = language_of(candidate)
        if language in ANSWER_LANGUAGES:
            return language
    return "en"


def _name(reader: Reader) -> str:
    return reader.email or "anonymous"


def _new_id() -> str:
    return uuid.uuid4().hex
