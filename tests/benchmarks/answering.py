"""From passages to the extractive answer: whether it quotes the sentence that holds the answer, and how fast."""

from __future__ import annotations

import asyncio
import datetime as dt
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.domain.access import OPEN_TO_TENANT
from core.domain.document import Block, BlockKind, Metadata, SourceDocument
from core.domain.evidence import Claim, ClaimStatus, Evidence, EvidencePassage
from core.embedding.base import PassageInput
from core.embedding.space import VectorSpace
from core.generation.extractive import ExtractiveGenerator
from core.generation.generator import Drafted, GenerationRequest
from core.index.lexical import LexicalIndex
from core.index.snapshot import Snapshot
from core.index.tables import Tables
from core.retrieval.interaction import LateInteraction
from core.retrieval.search import Retrieval, Searcher
from core.verification.verifier import Verifier
from sync.engine import SyncEngine
from sync.sources.base import SourceDescription
from tests.benchmarks.asking import TODAY
from tests.benchmarks.datasets import Asked, QuestionSet


@dataclass(frozen=True, slots=True)
class Extracted:
    """Shares of questions, and times in milliseconds."""

    first: float
    """The first claim quotes the sentence that holds the answer."""
    anywhere: float
    searched_p50: float
    """The question's embedding and the search."""
    answered_p50: float
    """The same, the extractive answer and its verification."""


def extract(
    searcher: Searcher, snapshot: Snapshot, questions: Sequence[Asked], document: str, language: str
) -> Extracted:
    """Answer questions; `document` is the prefix of the paragraphs' document ids."""
    first, anywhere, searched, answered = [], [], [], []
    for asked in questions:
        begun = time.perf_counter()
        retrieval = searcher.search(snapshot, asked.text, language, TODAY)
        found = time.perf_counter()
        claims = asyncio.run(_claims(snapshot, retrieval))
        answered.append(time.perf_counter() - begun)
        searched.append(found - begun)
        hits = [_holds(claim, f"{document}-{asked.paragraph}", asked.answer_start) for claim in claims]
        first.append(bool(hits) and hits[0])
        anywhere.append(any(hits))
    return Extracted(
        round(statistics.fmean(first), 4),
        round(statistics.fmean(anywhere), 4),
        round(statistics.median(searched) * 1000, 1),
        round(statistics.median(answered) * 1000, 1),
    )


async def _claims(snapshot: Snapshot, retrieval: Retrieval) -> list[Claim]:
    versions = snapshot.versions(retrieval.kept)
    passages = []
    for number, passage in enumerate(retrieval.kept, 1):
        version = versions[passage.document_id, passage.document_version]
        passages.append(EvidencePassage(f"p{number}", passage, version.text, version.canonical.blocks))
    evidence = Evidence("run", snapshot.tenant_id, snapshot.version, dt.datetime.now(dt.UTC), tuple(passages))
    request = GenerationRequest(retrieval.question, retrieval.language, evidence, time.monotonic() + 60)
    verifier = Verifier(TODAY)
    drafts = [event.claim async for event in ExtractiveGenerator().generate(request) if isinstance(event, Drafted)]
    claims = [verifier.verify(draft, evidence, lambda _: True) for draft in drafts]
    return [claim for claim in claims if claim.status is not ClaimStatus.UNSUPPORTED]


def _holds(claim: Claim, document_id: str, answer_start: int) -> bool:
    return any(c.document_id == document_id and c.start_offset <= answer_start < c.end_offset for c in claim.citations)


class _InMemory:
    """Paragraphs as a source to be synchronised."""

    name = "xquad"
    kind = "memory"
    hosts: frozenset[str] = frozenset()

    def __init__(self, questions: QuestionSet) -> None:
        self._questions = questions

    def describe(self) -> SourceDescription:
        return SourceDescription(self.name, self.kind, "", len(self._questions.paragraphs), ())

    def count(self) -> int:
        return len(self._questions.paragraphs)

    def read(self) -> Iterator[SourceDocument]:
        for number, paragraph in enumerate(self._questions.paragraphs):
            block = Block(BlockKind.PARAGRAPH, paragraph.text)
            yield SourceDocument(self.name, str(number), Metadata(f"Document {number}"), (block,), OPEN_TO_TENANT)


def ingest_speed(
    folder: str, space: VectorSpace, words: LateInteraction, questions: QuestionSet
) -> tuple[float, float]:
    """Chunks a second by the sync engine, everything included; and by the bare embedder on the same chunks."""
    tables = Tables(f"{folder}/index", dimension=space.dimension, model_id=space.model_id)
    engine = SyncEngine(tables, LexicalIndex(Path(folder) / "lexical"), space, "t", words=words)
    begun = time.perf_counter()
    for _ in engine.sync(_InMemory(questions)):
        pass
    synced = time.perf_counter() - begun
    rows = tables.chunks.search().select(["context", "text", "start", "sentences", "language"]).to_list()
    inputs = [PassageInput(r["context"], r["text"], _spans(r["sentences"], r["start"])) for r in rows]
    begun = time.perf_counter()
    space.embed_passages(inputs, [r["language"] for r in rows])
    embedded = time.perf_counter() - begun
    return round(len(rows) / synced, 1), round(len(rows) / embedded, 1)


def _spans(offsets: Sequence[int], start: int) -> tuple[tuple[int, int], ...]:
    return tuple((s - start, e - start) for s, e in zip(offsets[::2], offsets[1::2], strict=True))
