"""A small index with tiny vectors, a pipeline over it, and what must hold of the events of every run."""

from __future__ import annotations

import datetime as dt
import functools
import shutil
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.domain.access import EVERYONE, OPEN_TO_TENANT, AccessRule, Audience, Principal, Reader
from core.domain.document import Block, BlockKind, Metadata, SourceDocument
from core.domain.events import ClaimVerified, Event, Finished, Restarted
from core.domain.evidence import ClaimKind, ClaimStatus, DraftClaim, DraftQuote, text_hash
from core.domain.question import Question
from core.embedding.base import PassageEmbedding, PassageInput, TokenVectors
from core.embedding.language_means import LanguageMeans
from core.embedding.space import VectorSpace
from core.generation.extractive import ExtractiveGenerator
from core.generation.generator import Drafted, FailedClaim, GenerationEvent, GenerationRequest, Generator
from core.generation.judge import ClaimJudge
from core.index.analysis import terms
from core.index.lexical import LexicalIndex
from core.index.reader import IndexReader
from core.index.tables import Tables
from core.pipeline import Limits, Pipeline
from core.retrieval.search import Searcher
from core.store.conversations import ConversationStore
from core.store.database import open_database
from core.store.runs import RunStore
from core.verification.verifier import recheck
from sync.engine import SyncEngine
from sync.sources.base import FailedDocument, SourceDescription
from tests.tables import lay_tables

DIMENSION = 64
TODAY = dt.date(2026, 11, 29)
HR = Principal.group("hr")


class WordVectors:
    """An embedder whose vectors are hashed words: texts are near when they share words."""

    model_id = "words"
    dimension = DIMENSION
    token_dimension = DIMENSION

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self._vector(text) for text in texts])

    def embed_passages(self, passages: Sequence[PassageInput]) -> list[PassageEmbedding]:
        return [
            PassageEmbedding(
                self._vector(p.text),
                np.stack([self._vector(p.text[s:e]) for s, e in p.sentences] or [self._vector(p.text)]),
            )
            for p in passages
        ]

    def query_token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        raise NotImplementedError

    def passage_token_vectors(self, passages: Sequence[PassageInput]) -> list[TokenVectors]:
        raise NotImplementedError

    def _vector(self, text: str) -> np.ndarray:
        vector = np.full(DIMENSION, 1e-3, np.float32)
        for term in terms(text, "en"):
            vector[int(text_hash(term)[:8], 16) % DIMENSION] += 1
        return vector / np.linalg.norm(vector)


@dataclass
class Shelf:
    """A source of documents that a test writes."""

    documents: list[SourceDocument | FailedDocument]
    name: str = "shelf"
    kind: str = "folder"
    hosts: frozenset[str] = frozenset()

    def read(self) -> Iterator[SourceDocument | FailedDocument]:
        yield from self.documents

    def describe(self) -> SourceDescription:
        return SourceDescription(self.name, self.kind, "", len(self.documents), ())


def document(key: str, *sentences: str, rule: AccessRule = OPEN_TO_TENANT, **metadata: object) -> SourceDocument:
    blocks = (Block(BlockKind.HEADING, key, level=1), *(Block(BlockKind.PARAGRAPH, s) for s in sentences))
    return SourceDocument("shelf", key, Metadata(key, **metadata), blocks, rule)  # type: ignore[arg-type]


HOLIDAYS = document(
    "Holiday policy", "Everybody in Valencia has 25 working days of holiday.", "Up to 5 days may be carried over."
)
SALARIES = document(
    "Salary bands", "The highest salary of band N4 is 58,500 euros.", rule=AccessRule.of({HR}), owner="hr@x.com"
)
PARKING = document("Parking", "A parking space at Ribarroja costs 35 euros a month.", owner="office@x.com")


@dataclass
class Scripted:
    """A generator that plays events."""

    events: list[GenerationEvent | Exception]
    name: str = "scripted"
    asked: int = 0

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[GenerationEvent, None]:
        self.asked += 1
        for event in self.events:
            if isinstance(event, Exception):
                raise event
            yield event

    def repair(self, request: GenerationRequest, failures: Sequence[FailedClaim]) -> None:
        return None


def drafted(text: str, quote: str, passage: str = "p1", kind: ClaimKind = ClaimKind.SYNTHESIS) -> Drafted:
    return Drafted(DraftClaim(text, kind, (DraftQuote(passage, quote),)))


QUOTE = "Everybody in Valencia has 25 working days of holiday."
TRUE_CLAIM = drafted(QUOTE, QUOTE, kind=ClaimKind.QUOTE)
FALSE_CLAIM = drafted("Everybody in Valencia has 30 working days of holiday.", QUOTE)

HOLIDAY_QUESTION = "How many working days of holiday has everybody in Valencia?"

Build = Callable[..., Pipeline]
Found = SourceDocument | FailedDocument


def built(
    folder: Path,
    generator: Generator | None = None,
    documents: Sequence[Found] = (HOLIDAYS, SALARIES, PARKING),
    limits: Limits | None = None,
    judge: ClaimJudge | None = None,
    monotonic: Callable[[], float] = time.monotonic,
) -> Pipeline:
    """A pipeline over documents that are synced into a folder."""
    space = VectorSpace(WordVectors(), LanguageMeans({}))
    kept = _kept_of(documents)
    is_new = not (folder / "index").exists()
    is_known = is_new and kept.exists()
    if is_known:
        shutil.copytree(kept, folder, dirs_exist_ok=True)
    tables = Tables(str(folder / "index"), dimension=DIMENSION, model_id=space.model_id)
    lexical = LexicalIndex(folder / "lexical") if is_known else synced(tables, folder, documents)
    if is_new and not is_known:
        for half in ("index", "lexical"):
            shutil.copytree(folder / half, kept / half)
    lay_tables(f"sqlite:///{folder}/testigo.db")
    database = open_database(f"sqlite:///{folder}/testigo.db")
    return Pipeline(
        index=IndexReader(tables, lexical),
        searcher=Searcher(space),
        generator=generator or ExtractiveGenerator(),
        runs=RunStore(database),
        conversations=ConversationStore(database),
        judge=judge,
        limits=limits,
        sources=lambda: ("shelf",),
        today=lambda: TODAY,
        monotonic=monotonic,
    )


def _kept_of(documents: Sequence[Found]) -> Path:
    """Where the index of these documents is kept, once a test has built it: most tests ask the same few documents."""
    return Path(_kept_indexes().name, text_hash(repr(list(documents))))


@functools.cache
def _kept_indexes() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="indexes-")


def synced(tables: Tables, folder: Path, documents: Sequence[Found]) -> LexicalIndex:
    """The index after a sync that found these documents; the lexical half of it."""
    space = VectorSpace(WordVectors(), LanguageMeans({}))
    lexical = LexicalIndex(folder / "lexical")
    list(SyncEngine(tables, lexical, space, "t").sync(Shelf(list(documents)), confirm_removals=True))
    return lexical


def asker(*principals: Principal) -> Reader:
    return Reader("t", frozenset({EVERYONE, *principals}), "ana@x.com")


async def events_of(pipeline: Pipeline, text: str, reader: Reader | None = None, audience: Audience | None = None,
                    conversation: str = "") -> list[Event]:  # fmt: skip
    reader = reader or asker()
    question = Question(text, reader, audience or Audience.person(reader), conversation)
    return [event async for event in pipeline.ask(question)]


def end_of(events: list[Event]) -> Finished:
    finished = events[-1]
    assert isinstance(finished, Finished)
    return finished


def assert_sound(pipeline: Pipeline, events: Sequence[Event]) -> None:
    """What holds of every run: only what is proved is ever emitted, and ids of one run never meet another's text."""
    shown: list[ClaimVerified] = []
    run_id = events[0].run_id
    for event in events:
        if isinstance(event, Restarted):
            assert not shown, "a shown claim cannot be unsaid"
            assert event.failed_run_id == run_id != event.run_id
            run_id = event.run_id
        assert event.run_id == run_id
        if isinstance(event, ClaimVerified):
            assert event.index == len(shown)
            shown.append(event)
    for claim in (event.claim for event in shown):
        assert claim.status is not ClaimStatus.UNSUPPORTED
        assert claim.citations
        for citation in claim.citations:
            assert citation.run_id == run_id
            version = pipeline._index.tables.version("t", citation.document_id, citation.document_version)
            assert version is not None
            assert recheck(citation, version.text)
    answer = end_of(list(events)).answer
    assert answer.claims == tuple(event.claim for event in shown)
    assert answer.run_id == run_id
    assert (answer.abstention is None) == bool(shown)
