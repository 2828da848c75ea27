"""A small real index and store, and what the program shows of it in a random story beside what the naive model says.

Search, pipeline, administration and stores are the real ones. Only what knows nothing of access is made up: the
searcher finds whatever its snapshot shows, the generator quotes whatever it is given.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from sqlalchemy import event

from core.access.rulebook import RuleBook
from core.administration import AccessDesk
from core.domain.document import Block, BlockKind, Chunk, Metadata, Version
from core.domain.evidence import ClaimKind, DraftClaim, DraftQuote, text_hash
from core.generation.generator import (
    Answerable,
    Drafted,
    FailedClaim,
    GenerationEvent,
    GenerationRequest,
)
from core.index.lexical import LexicalIndex
from core.index.reader import IndexReader
from core.index.schema import EmbeddedChunk
from core.index.snapshot import Snapshot
from core.index.tables import Tables, VersionRecord
from core.pipeline import Pipeline
from core.private_addition import PrivateAdditions
from core.retrieval.search import Retrieval, Searcher
from core.reviews import Reviews
from core.store.conversations import ConversationStore
from core.store.database import open_database
from core.store.evidence import EvidenceStore
from core.store.revocations import RevocationStore
from core.store.runs import RunStore
from core.text.canonical import canonicalise
from tests.property.access_model import PAPERS, SERVED, TENANT, Paper, World

DIMENSION = 8
TODAY = dt.date(2026, 11, 29)
WORDS = "shared words about holidays"
VECTOR = np.ones(DIMENSION, np.float32) / np.sqrt(DIMENSION).astype(np.float32)


@dataclass
class Difference:
    """What the program showed that the model hides, and the other way round; and results that were too few."""

    leaks: set[str]
    missing: set[str]
    short: int = 0

    def __bool__(self) -> bool:
        return bool(self.leaks or self.missing or self.short)

    def same(self, what: str, found: Iterable[str], expected: Iterable[str]) -> None:
        """Compare what was shown, under the name of where."""
        seen, right = set(found), set(expected)
        self.leaks.update(f"{what}: {each}" for each in seen - right)
        self.missing.update(f"{what}: {each}" for each in right - seen)


class ReadOnce(Tables):
    """Tables that nobody writes to any more, of which what is asked for by id is read once: no rights are looked at."""

    def begin(self) -> None:
        """Read everything that will be asked for by id."""
        self._now = super().refresh()
        self._served = super().current_versions(TENANT)
        keys = [(TENANT, paper.name, number) for paper in PAPERS for number in range(1, paper.versions + 1)]
        self._versions = super().versions(keys)
        pinned = self.pinned(self._now)
        self._keys = {paper.name: super(ReadOnce, self).chunk_keys(pinned, TENANT, [paper.name]) for paper in PAPERS}
        self._histories = {paper.name: super(ReadOnce, self).history(TENANT, paper.name) for paper in PAPERS}

    def refresh(self) -> int:
        """The version of the chunks table."""
        return self._now

    def current_versions(self, tenant_id: str, document_ids: Collection[str] | None = None) -> dict[str, int]:
        """The version that is served of each document, or of some."""
        assert tenant_id == TENANT
        return {name: n for name, n in self._served.items() if document_ids is None or name in document_ids}

    def versions(self, wanted: Iterable[tuple[str, str, int]]) -> dict[tuple[str, int], Version]:
        """Versions by (document id, version number)."""
        keys = {(name, number) for tenant_id, name, number in wanted if tenant_id == TENANT}
        return {key: version for key, version in self._versions.items() if key in keys}

    def chunk_keys(self, pinned: object, tenant_id: str, document_ids: Iterable[str]) -> frozenset[str]:
        """The keys of the chunks of documents."""
        assert tenant_id == TENANT
        return frozenset().union(*(self._keys[name] for name in document_ids))

    def history(self, tenant_id: str, document_id: str) -> list[VersionRecord]:
        """Every version of a document."""
        assert tenant_id == TENANT
        return self._histories.get(document_id, [])


class WorldReader(IndexReader):
    """The real reader of the index, with a world's rules in place of those that are stored."""

    book: RuleBook

    def _book(self, tenant_id: str) -> RuleBook:
        return self.book


class FindsAll(Searcher):
    """Finds every passage that a snapshot shows."""

    def __init__(self) -> None:
        """Without models."""

    def search(self, snapshot: Snapshot, question: str, language: str, today: dt.date, *, typed: str = "") -> Retrieval:
        """All of it, by name."""
        found = snapshot.found([], snapshot.lexical_names(WORDS, len(PAPERS)), len(PAPERS))
        assert found is not None
        passages = tuple(sorted((c.passage for c in found.candidates), key=lambda passage: passage.document_id))
        return Retrieval(
            question, language, snapshot.version, len(snapshot.rules), passages, passages, (), 1.0, timings={}
        )


class QuotesAll:
    """Quotes each passage whole, in their order, but for those that it is told to leave out."""

    name = "quotes"

    def __init__(self) -> None:
        self.before: Callable[[int], None] = lambda _drafted: None
        """Called before each draft, and once after the last, with how many there were."""
        self.unsaid: set[str] = set()
        """Documents that it says nothing of."""

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[GenerationEvent, None]:
        """A claim for each passage."""
        yield Answerable(True)
        passages = request.evidence.passages
        for drafted, delivered in enumerate(passages):
            self.before(drafted)
            text = delivered.passage.text
            if delivered.passage.document_id in self.unsaid:
                continue
            yield Drafted(DraftClaim(text, ClaimKind.QUOTE, (DraftQuote(delivered.label, text),)))
        self.before(len(passages))

    def repair(self, request: GenerationRequest, failures: Sequence[FailedClaim]) -> None:
        """Nothing is mended."""


class AtOnce(ThreadPoolExecutor):
    """Does what is sent to a thread at once, in its own: handing over takes longer than the work."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """The result, which is there."""
        future: Future[Any] = Future()
        try:
            future.set_result(work(*args, **options))
        except Exception as error:
            future.set_exception(error)
        return future


class Company:
    """The index, the stores, and the parts of the program that answer from them, in a world that can be changed."""

    def __init__(self, folder: Path) -> None:
        tables = ReadOnce(str(folder / "index"), dimension=DIMENSION, model_id="tiny")
        lexical = LexicalIndex(folder / "lexical")
        self.versions = _written(tables)
        tables.begin()
        lexical.catch_up(tables)
        self.engine = open_database(f"sqlite:///{folder}/testigo.db")
        # What is written here need not outlive a power cut, and there are thousands of worlds.
        event.listen(self.engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous=OFF"))
        self.engine.dispose()
        self.revocations = RevocationStore(self.engine)
        self.evidence, self.runs = EvidenceStore(self.engine), RunStore(self.engine)
        self.index = WorldReader(tables, lexical, self.revocations.revoked)
        self.searcher, self.generator = FindsAll(), QuotesAll()
        self.pipeline = Pipeline(
            index=self.index,
            searcher=self.searcher,
            generator=self.generator,
            runs=self.runs,
            conversations=ConversationStore(self.engine),
            today=lambda: TODAY,
        )
        self.additions = PrivateAdditions(self.index, self.searcher, self.pipeline, today=lambda: TODAY)
        self.desk = AccessDesk(self.index, self.revocations, self.evidence, self.runs, today=lambda: TODAY)
        self.reviews = Reviews(self.index, self.runs, self.evidence, today=lambda: TODAY)
        self.loop = asyncio.Runner()
        self.loop.get_loop().set_default_executor(AtOnce())

    def __enter__(self) -> Company:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.loop.close()
        self.engine.dispose()

    def enter(self, world: World) -> None:
        """Let a world's rules and revocations hold from now on."""
        self.index.book = world.book()
        hidden = self.revocations.revoked(TENANT)
        for name in world.revoked - hidden:
            self.revocations.revoke(TENANT, name, "admin")
        for name in hidden - world.revoked:
            self.revocations.lift(TENANT, name)

    def forget(self) -> None:
        """Delete the runs of a story."""
        self.evidence.delete_before(TENANT, float("inf"))


def compare_search(company: Company, world: World, difference: Difference, k: int = 5) -> None:
    """Search as the program does, somebody else first: whatever that leaves in caches must not reach this reader."""
    index = company.index
    for other in world.direct:
        reader = world.reader(other)
        index.rulebook(TENANT).visible_to(reader)
    warmed = index.snapshot(world.reader(world.members[0] if world.members else "ana"), world.audience())
    warmed.dense(VECTOR, 1)
    warmed.statistics(WORDS, "en")

    expected = world.shown()
    seen = index.snapshot(world.reader(world.asker), world.audience())
    dense, lexical = seen.dense(VECTOR, len(PAPERS)), seen.lexical(WORDS, len(PAPERS))
    difference.same("dense", (_document(hit.key) for hit in dense), expected)
    difference.same("lexical", (_document(hit.key) for hit in lexical), expected)
    statistics = seen.statistics("shared", "en")
    difference.short += statistics.visible != len(expected)
    difference.short += sum(n != len(expected) for n in statistics.frequencies.values() if expected)
    for half in (seen.dense(VECTOR, k), seen.lexical(WORDS, k)):
        difference.short += len(half) != min(k, len(expected))
    read = seen.candidates([f"{TENANT}/{paper.name}#s0-p1" for paper in SERVED])
    difference.same("read", (c.passage.document_id for c in read), expected)


def _document(key: str) -> str:
    return key.partition("/")[2].partition("#")[0]


def _written(tables: Tables) -> dict[tuple[str, int], Version]:
    """Write every version of every document, and serve the latest of those that are not removed."""
    rng = np.random.default_rng(7)
    versions, served = [], []
    for paper in PAPERS:
        for number in range(1, paper.versions + 1):
            version, chunk = _version(paper, number)
            versions.append(version)
            if number == paper.versions and not paper.is_removed:
                vector = rng.standard_normal(DIMENSION).astype(np.float32)
                vector /= np.linalg.norm(vector)
                served.append((version, [EmbeddedChunk(chunk, vector, vector[None, :])]))
    tables.write_versions(versions)
    tables.commit_chunks(TENANT, served)
    tables.ensure_indexes()
    return {(version.document_id, version.number): version for version in versions}


def _version(paper: Paper, number: int) -> tuple[Version, Chunk]:
    is_latest = number == paper.versions
    said = f"Shared words about holidays, of the document {paper.name}."
    text = f"Other {said[0].lower()}{said[1:]}" if paper.is_reworded and is_latest else said
    canonical = canonicalise([Block(BlockKind.PARAGRAPH, text)])
    chunk = Chunk(
        chunk_id=f"{paper.name}#s0-p1",
        document_id=paper.name,
        start=0,
        end=len(canonical.text),
        text=canonical.text,
        section_path=(),
        context=paper.name,
        language="en",
        sentences=((0, len(canonical.text)),),
    )
    version = Version(
        tenant_id=TENANT,
        document_id=paper.name,
        number=number,
        source="s",
        source_key=paper.name,
        metadata=Metadata(f"The title of {paper.name}"),
        canonical=canonical,
        rule_id=paper.rule if is_latest else paper.first_rule,
        language="en",
        content_hash=text_hash(canonical.text),
        observed_at=dt.datetime(2026, 3, 1 + number, tzinfo=dt.UTC),
        chunk_ids=(chunk.chunk_id,),
    )
    return version, chunk
