"""One question, from start to end, as a stream of events. Front ends only draw them.

    understand → search → decide → freeze → generate → verify → record

A claim is emitted the moment it has passed the verifier, and never before. Where none passed, the generator may mend
those that failed, in one more turn. A run that fails before its first claim was emitted begins again with the
extractive generator, under a new id; after that it only ends. A run that nobody listens to any more, or that breaks,
after its first claim is recorded with what it had shown.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from core.domain.access import AudienceKind, Reader
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
    Passage,
    Reason,
    ReasonCode,
)
from core.domain.question import Question
from core.errors import QuestionError
from core.generation.claude_search import ClaudeSearch, confident
from core.generation.errors import GenerationError
from core.generation.extractive import ExtractiveGenerator
from core.generation.generator import (
    Answerable,
    Attempted,
    Billed,
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
from core.retrieval.changes import ChangeQuestion, change_question
from core.retrieval.compound import FoundPart, answerable_parts, joined, parts_of, together
from core.retrieval.confidence import THRESHOLDS
from core.retrieval.followup import is_follow_up
from core.retrieval.freezing import frozen
from core.retrieval.rewriting import Rewriter, RuleRewriter
from core.retrieval.search import Retrieval, Searcher
from core.retrieval.versions import Comparison, compare, named_document
from core.run import Run
from core.settings import Mode
from core.store.audit import AuditStore
from core.store.conversations import ANONYMOUS, ConversationStore
from core.store.runs import CUT_SHORT, STOPPED, RunRecord, RunStore
from core.text.language import language_of
from core.verification.contradictions import find_contradictions
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
PARTIAL_HISTORY = "partial_history"
CHANGES = "changes"
MORE_CHANGES = "more_changes"
EXPLORED = "explored"

EXPLORE_SECONDS = 20.0
"""The longest that Claude may search, whatever is left of the answer's time."""
MOST_EXPLORED = 10
"""Passages that are kept of its searches."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Numbers that bound one answer."""

    max_question: int = 4000
    answer_seconds: float = 60
    mode: Mode = Mode.BALANCED


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
        rewriter: Rewriter | None = None,
        agent: ClaudeSearch | None = None,
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
        self._rewriter = rewriter or RuleRewriter()
        self._agent = agent
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
        run = await self._understand(question, text, deadline)
        try:
            async with aclosing(self._answer(run, deadline)) as events:
                async for event in events:
                    yield event
        except (asyncio.CancelledError, GeneratorExit):
            await self._record_cut_short(run, STOPPED)
            raise
        except Exception:
            await self._record_cut_short(run, CUT_SHORT)
            raise

    async def _answer(self, run: Run, deadline: float) -> AsyncGenerator[Event, None]:
        question = run.question
        yield Searching(run.run_id, run.whole)
        snapshot = await asyncio.to_thread(self._index.snapshot, question.reader, question.audience, question.sources)
        if (asked := change_question(run.whole, self._today(), run.asked_in)) is not None:
            compared = await asyncio.to_thread(self._compare, run, asked, snapshot)
            if compared is not None:
                async with aclosing(self._tell_changes(run, compared, deadline)) as events:
                    async for event in events:
                        yield event
                return
        retrieval = await asyncio.to_thread(self._search, run, snapshot)
        run.retrieval = retrieval
        if self._on_retrieval is not None:
            self._on_retrieval(retrieval)
        if not self._is_answerable(run) and self._agent is not None and snapshot.rules:
            retrieval = await self._explore(run, snapshot, retrieval, self._agent, deadline)
            run.retrieval = retrieval
        if not self._is_answerable(run):
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
            elif run.is_explored:  # only who searched knows why its passages should answer
                yield await self._finish(run, AbstentionReason.LOW_CONFIDENCE)
                return
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

    async def _understand(self, question: Question, text: str, deadline: float) -> Run:
        earlier: tuple[str, ...] = ()
        if question.conversation:
            turns = await asyncio.to_thread(
                self._conversations.last, question.reader.tenant_id, question.conversation, _name(question.reader)
            )
            earlier = tuple(turn.question for turn in turns) or question.earlier
        rewritten = await self._rewriter.rewrite(text, earlier, deadline)
        whole = rewritten.question
        asked_in = question_language(text, whole)
        language = question.language if question.language in ANSWER_LANGUAGES else asked_in
        mode = question.mode or self._limits.mode
        run = Run(_new_id(), question, whole, asked_in, language, mode, self._clock(), use=rewritten.use)
        # The rule puts the last question before a follow-up: that one was answered, and is no part of this.
        if whole == text or not whole.endswith(text):
            run.compound = parts_of(whole)
        if question.partial_history and is_follow_up(text):
            run.notes.append(PARTIAL_HISTORY)
        return run

    def _is_answerable(self, run: Run) -> bool:
        """Whether what was found is likely enough to answer; of a compound question, the parts were chosen so."""
        assert run.retrieval is not None
        return bool(run.parts) or run.retrieval.confidence >= THRESHOLDS[run.mode]

    def _search(self, run: Run, snapshot: Snapshot) -> Retrieval:
        """What is found for the question; of a compound one, for each part that has something to be answered from."""
        found = [
            FoundPart(part, self._searcher.search(snapshot, part.whole, run.asked_in, self._today()))
            for part in run.compound
        ]
        least = THRESHOLDS[run.mode]
        run.parts = answerable_parts(found, least, min(least, THRESHOLDS[Mode.OPEN]))
        if not run.parts:
            typed = run.question.text if run.whole != run.question.text.strip() else ""
            return self._searcher.search(snapshot, run.whole, run.asked_in, self._today(), typed=typed)
        kept = {each.part.said for each in run.parts}
        run.missing = tuple(part.said for part in run.compound if part.said not in kept)
        return joined(run.parts)

    async def _explore(
        self, run: Run, snapshot: Snapshot, first: Retrieval, agent: ClaudeSearch, deadline: float
    ) -> Retrieval:
        """Let Claude search in other words; what it found, or the first search where that is no surer of anything."""

        async def search(query: str) -> Retrieval:
            language = question_language(query, run.whole)
            return await asyncio.to_thread(self._searcher.search, snapshot, query, language, self._today())

        searched = await agent.explore(run.whole, search, min(deadline, self._monotonic() + EXPLORE_SECONDS))
        if searched.use is not None:
            run.use = searched.use.plus(run.use)
        surest = confident(searched.found, THRESHOLDS[run.mode])
        if not surest:
            return first
        run.is_explored = True
        run.notes.append(EXPLORED)
        found = together(surest, run.whole)
        return replace(found, kept=found.kept[:MOST_EXPLORED])

    def _compare(self, run: Run, asked: ChangeQuestion, snapshot: Snapshot) -> Comparison | AbstentionReason | None:
        """What changed in the document that is meant; None where no title that the reader may see is meant."""
        today = self._today()
        found = self._searcher.search(snapshot, asked.title, run.asked_in, today)
        document = named_document(asked, found.candidates, today)
        if document is None:
            return None
        near = tuple(p for p in found.candidates if p.document_id == document.document_id)
        run.retrieval = replace(found, question=run.whole, kept=(), candidates=near, confidence=1.0)
        if asked.since is None:
            return AbstentionReason.DATE_NEEDED
        return compare(snapshot, document, asked.since, run.run_id, dt.datetime.now(dt.UTC), today)

    async def _tell_changes(
        self, run: Run, compared: Comparison | AbstentionReason, deadline: float
    ) -> AsyncGenerator[Event, None]:
        """The sentences that differ, each verified in the version that it stands in."""
        assert run.retrieval is not None
        if isinstance(compared, AbstentionReason):
            yield await self._finish(run, compared)
            return
        run.evidence, run.generator = compared.evidence, self._extractive.name
        run.needed_rule = compared.rule_id
        passages = tuple(delivered.passage for delivered in compared.evidence.passages)
        run.retrieval = replace(run.retrieval, kept=passages)
        run.notes += [CHANGES, MORE_CHANGES] if compared.is_cut else [CHANGES]
        yield Reading(run.run_id, passages)
        async with aclosing(self._turn(run, _played(compared.drafts), Verifier(self._today()), deadline)) as events:
            async for event in events:
                yield event
        yield await self._finish(run, None if run.claims else AbstentionReason.NOTHING_VERIFIED)

    def _freeze(self, run: Run, snapshot: Snapshot, retrieval: Retrieval) -> Evidence:
        versions = snapshot.versions(retrieval.kept)
        passages: list[EvidencePassage] = []
        for passage in retrieval.kept:
            version = versions.get((passage.document_id, passage.document_version))
            if version is not None and version.text[passage.start : passage.end] == passage.text:
                passages.append(frozen(f"p{len(passages) + 1}", passage, version, self._today()))
            else:
                log.error("chunk %s does not match its version: left out", passage.chunk_id)
        return Evidence(
            run_id=run.run_id,
            tenant_id=snapshot.tenant_id,
            index_version=snapshot.version,
            retrieved_at=dt.datetime.now(dt.UTC),
            passages=tuple(passages),
        )

    async def _generate(self, run: Run, generator: Generator, deadline: float) -> AsyncGenerator[Event, None]:
        assert run.evidence is not None
        run.generator = generator.name
        run.unanswered.clear()
        verifier = Verifier(self._today())
        for part in run.parts or (None,):
            run.begin_part()
            async with aclosing(self._generate_part(run, part, generator, verifier, deadline)) as events:
                async for event in events:
                    yield event
            if part is not None and not run.passed:
                run.unanswered.append(part.part.said)

    async def _generate_part(
        self, run: Run, part: FoundPart | None, generator: Generator, verifier: Verifier, deadline: float
    ) -> AsyncGenerator[Event, None]:
        """Write the claims for one part of the question; None: it asks one thing."""
        assert run.evidence is not None
        question = run.whole if part is None else part.part.whole

        def request() -> GenerationRequest:
            assert run.evidence is not None
            evidence = run.evidence if part is None else part.evidence(run.evidence)
            return GenerationRequest(question, run.language, evidence, deadline)

        async with aclosing(self._turn(run, generator.generate(request()), verifier, deadline)) as events:
            async for event in events:
                yield event
        # What is shown cannot be unsaid, so only where nothing was shown may it be tried again, once.
        if run.passed or not run.failed or not run.answerable or self._monotonic() >= deadline:
            return
        failures = tuple(run.failed)
        repair = generator.repair(request(), failures)
        if repair is None:
            return
        log.info("run %s: %d claims are sent back", run.run_id, len(failures))
        run.begin_turn(sent_back=len(failures))
        async with aclosing(self._turn(run, repair, verifier, deadline)) as events:
            async for event in events:
                yield event

    async def _turn(
        self, run: Run, drafts: AsyncGenerator[GenerationEvent, None], verifier: Verifier, deadline: float
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
                            if not run.claims:  # what was shown of an earlier part stays
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
                        run.passed += 1
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
                    case Billed(use):
                        run.billed = use
                    case Spent(use):
                        run.use, run.billed = use.plus(run.use), None
                    case Drafted():
                        log.warning("run %s: a claim came after the no-answer flag", run.run_id)

    def _emit(self, run: Run, draft: DraftClaim, claim: Claim) -> ClaimVerified:
        run.claims.append(claim)
        self._note_language(run, draft)
        return ClaimVerified(run.run_id, len(run.claims) - 1, claim, run.used)

    async def _verified(self, run: Run, verifier: Verifier, draft: DraftClaim, deadline: float) -> Claim:
        """What the rules say of a draft, and then the judge, who can only lower it."""
        assert run.evidence is not None
        if draft.kind is ClaimKind.QUOTE and _withheld(draft, run.evidence):
            reason = Reason(ReasonCode.EXTRACT_WITHHELD, "its source forbids extracts")
            return Claim(draft.text, draft.kind, ClaimStatus.UNSUPPORTED, (), (reason,))
        visible = await asyncio.to_thread(self._visible_now, run.question)
        if run.needed_rule is not None and not visible(run.needed_rule):
            reason = Reason(ReasonCode.FORBIDDEN, "the document may not be read any more")
            return Claim(draft.text, draft.kind, ClaimStatus.UNSUPPORTED, (), (reason,))
        evidence = await asyncio.to_thread(self._still_there, run, visible)
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

    def _restart(self, run: Run) -> Restarted:
        """Begin again under a new id: ids of one run never meet the text of another."""
        assert run.evidence is not None
        failed, run.run_id = run.run_id, _new_id()
        run.evidence = replace(run.evidence, run_id=run.run_id)
        return Restarted(run.run_id, failed)

    def _note_language(self, run: Run, draft: DraftClaim) -> None:
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

    def _taken_away(self, run: Run, document_ids: Iterable[str], visible: Callable[[int], bool]) -> frozenset[str]:
        """Documents that were hidden, restricted or removed since the search: a sync may have ended meanwhile."""
        assert run.retrieval is not None
        tenant_id = run.question.reader.tenant_id
        return self._index.taken_away(tenant_id, frozenset(document_ids), run.retrieval.index_version, visible)

    def _still_visible(self, run: Run) -> list[Claim]:
        """The claims that may be shown at this moment: rights may have changed since they were verified."""
        visible = self._visible_now(run.question)
        if run.needed_rule is not None and not visible(run.needed_rule):
            return []
        taken = self._taken_away(run, (c.document_id for claim in run.claims for c in claim.citations), visible)
        return [
            claim
            for claim in run.claims
            if all(visible(c.visibility) and c.document_id not in taken for c in claim.citations)
        ]

    def _near_now(self, run: Run, retrieval: Retrieval) -> tuple[NearDocument, ...]:
        """The documents nearest to the question, of those that may be opened at this moment."""
        visible = self._visible_now(run.question)
        taken = self._taken_away(run, (p.document_id for p in retrieval.candidates), visible)
        kept = (p for p in retrieval.candidates if visible(p.rule_id) and p.document_id not in taken)
        return near_documents(tuple(kept))

    def _still_there(self, run: Run, visible: Callable[[int], bool]) -> Evidence:
        """The evidence without what was taken away since it was frozen."""
        evidence = run.evidence
        assert evidence is not None
        taken = self._taken_away(run, (p.passage.document_id for p in evidence.passages), visible)
        return replace(evidence, passages=tuple(p for p in evidence.passages if p.passage.document_id not in taken))

    # -- ends ---------------------------------------------------------------------------------------------------

    def _why_not(self, snapshot: Snapshot, retrieval: Retrieval) -> AbstentionReason:
        if retrieval.candidates:
            return AbstentionReason.LOW_CONFIDENCE
        return AbstentionReason.NOTHING_FOUND if snapshot.rules else AbstentionReason.EMPTY_INDEX

    async def _finish(self, run: Run, reason: AbstentionReason | None) -> Finished:
        retrieval = run.retrieval
        assert retrieval is not None
        abstention = None
        if run.claims:
            run.claims = await asyncio.to_thread(self._still_visible, run)
            if not run.claims:
                reason = AbstentionReason.NOTHING_VERIFIED
        if reason is not None:
            searched = run.question.sources or self._sources()
            near = await asyncio.to_thread(self._near_now, run, retrieval)
            abstention = Abstention(reason, run.whole, searched, near)
        answer = replace(
            _answer_of(run, retrieval),
            abstention=abstention,
            unanswered=tuple(
                part.said
                for part in run.compound
                if part.said in {*run.missing, *run.unanswered} and abstention is None
            ),
        )
        run.has_ended = True
        await asyncio.to_thread(self._record, run, answer)
        return Finished(run.run_id, answer)

    async def _record_cut_short(self, run: Run, how: str) -> None:
        """Keep what a run has shown that does not come to its end. Failing that, it ends as it would have.

        Its thread is not told of the question: another attempt may be about to answer it.
        """
        retrieval = run.retrieval
        if run.has_ended or not run.claims or retrieval is None:
            return
        answer = replace(_answer_of(run, retrieval), notes=(*run.notes, how), use=run.used)
        try:
            await asyncio.to_thread(self._record, run, answer, how)
        except Exception as error:
            log.error("run %s: it was cut short, and is not recorded (%s)", run.run_id, type(error).__name__)

    def _record(self, run: Run, answer: Answer, cut_short: str = "") -> None:
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
            is_private=question.audience.kind is AudienceKind.PERSON,
            dropped_for=run.dropped_for,
            cut_short=cut_short,
        )
        self._runs.save(record, answer, run.evidence)
        if self._audit is not None:
            self._audit.note_run(question, record, answer, run.evidence)
        if question.conversation and not cut_short:
            self._conversations.add(record.tenant_id, question.conversation, reader, run.whole, run.run_id)


def _answer_of(run: Run, retrieval: Retrieval) -> Answer:
    """What a run has gathered so far."""
    return Answer(
        run_id=run.run_id,
        question=run.question.text.strip(),
        language=run.language,
        claims=tuple(run.claims),
        abstention=None,
        confidence=retrieval.confidence,
        generator=run.generator,
        index_version=retrieval.index_version,
        dropped_claims=run.dropped,
        notes=tuple(run.notes),
        use=run.use,
    )


def _withheld(draft: DraftClaim, evidence: Evidence) -> bool:
    """Whether a claim in a document's own words would be an extract that its source forbids."""
    cited = (evidence.by_label(quote.passage) for quote in draft.quotes)
    return any(delivered is not None and not delivered.passage.show_quotes for delivered in cited)


async def _played(drafts: Sequence[DraftClaim]) -> AsyncGenerator[GenerationEvent, None]:
    """Drafts that are known already, as a generator tells them."""
    yield Answerable(bool(drafts))
    for draft in drafts:
        yield Drafted(draft)


def near_documents(passages: Sequence[Passage]) -> tuple[NearDocument, ...]:
    """The documents of the passages nearest to a question, nearest first, each once."""
    near = {p.document_id: NearDocument(p.document_id, p.title, p.uri, p.owner) for p in reversed(passages)}
    order = dict.fromkeys(p.document_id for p in passages)
    return tuple(near[d] for d in list(order)[:NEAR_DOCUMENTS])


def question_language(text: str, whole: str) -> str:
    """The language of a question, among those that answers are written in; a follow-up may be too short to tell."""
    for candidate in (text, whole):
        language = language_of(candidate)
        if language in ANSWER_LANGUAGES:
            return language
    return "en"


def _name(reader: Reader) -> str:
    return reader.email or ANONYMOUS


def _new_id() -> str:
    return uuid.uuid4().hex
