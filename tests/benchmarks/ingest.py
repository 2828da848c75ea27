"""What `bench_sync` measures of reading and writing exports."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from core.chunking import chunk_version
from core.domain.access import OPEN_TO_TENANT, AccessRule, Audience, Reader
from core.domain.document import Block, BlockKind, Metadata, SourceDocument, Version
from core.domain.evidence import text_hash
from core.domain.syncing import SyncFinished
from core.embedding.base import Embedder, PassageEmbedding, PassageInput, TokenVectors, Vectors
from core.embedding.language_means import LanguageMeans
from core.embedding.space import VectorSpace
from core.index.lexical import LexicalIndex
from core.index.reader import IndexReader
from core.index.schema import EmbeddedChunk
from core.index.tables import Tables
from core.text.canonical import canonicalise
from sync.engine import SyncEngine
from sync.sources.base import Source
from sync.sources.confluence_html import ConfluenceHtmlSource
from tests.benchmarks import scale
from tests.fakes import Shelf

OPEN_ACCESS = '[defaults]\nallow = ["everyone"]\n'
DIMENSION = 384


class FreeVectors:
    """An embedder that costs nothing: every text has one of a thousand vectors."""

    model_id = scale.MODEL
    dimension = DIMENSION
    token_dimension = DIMENSION

    def __init__(self) -> None:
        pool = np.random.default_rng(5).standard_normal((1000, DIMENSION), np.float32)
        self._pool = pool / np.linalg.norm(pool, axis=1, keepdims=True)
        self.passages = 0

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._vector(text) for text in texts])

    def embed_passages(self, passages: Sequence[PassageInput]) -> list[PassageEmbedding]:
        self.passages += len(passages)
        return [
            PassageEmbedding(self._vector(p.text), self._pool[np.arange(max(1, len(p.sentences))) % 1000])
            for p in passages
        ]

    def query_token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        raise NotImplementedError

    def passage_token_vectors(self, passages: Sequence[PassageInput]) -> list[TokenVectors]:
        raise NotImplementedError

    def _vector(self, text: str) -> Vectors:
        number = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")
        vector: Vectors = self._pool[number % 1000]
        return vector


class TimedEmbedder(FreeVectors):
    """A real embedder under a stopwatch."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model_id = embedder.model_id
        self.dimension = embedder.dimension
        self.seconds = 0.0
        self.passages = 0

    def embed_passages(self, passages: Sequence[PassageInput]) -> list[PassageEmbedding]:
        begun = time.perf_counter()
        embedded = self._embedder.embed_passages(passages)
        self.seconds += time.perf_counter() - begun
        self.passages += len(passages)
        return embedded


@dataclass
class Bench:
    """An index in a folder, and the engine over it."""

    folder: Path
    embedder: FreeVectors
    means: LanguageMeans
    keep: dt.timedelta = dt.timedelta(minutes=10)

    def __post_init__(self) -> None:
        space = VectorSpace(self.embedder, self.means)
        self.space = space
        self.tables = Tables(str(self.folder / "index"), dimension=space.dimension, model_id=space.model_id)
        self.lexical = LexicalIndex(self.folder / "lexical")
        self.engine = SyncEngine(self.tables, self.lexical, space, "t", keep_old_states=self.keep)

    def sync(self, source: Source) -> SyncFinished:
        """Sync to the end."""
        finished = list(self.engine.sync(source))[-1]
        assert isinstance(finished, SyncFinished), finished
        return finished


@contextmanager
def bench(embedder: FreeVectors, means: LanguageMeans | None = None, keep: float = 600) -> Iterator[Bench]:
    """An empty index that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="testigo-bench-") as folder:
        yield Bench(Path(folder), embedder, means or LanguageMeans({}), dt.timedelta(seconds=keep))


@dataclass(frozen=True, slots=True)
class Ingest:
    """One export, read twice."""

    documents: int
    chunks: int
    seconds: float
    embedder_seconds: float
    again_seconds: float
    peak_mib: float

    @property
    def outside(self) -> float:
        """Seconds that were not the embedder's."""
        return self.seconds - self.embedder_seconds


def html_source(export: Path, folder: Path) -> Source:
    """The real export, open to everybody: it says nothing of access itself."""
    access = folder / "access.toml"
    access.write_text(OPEN_ACCESS)
    return ConfluenceHtmlSource("confluence", export, access)


def read_twice(export: Path, embedder: FreeVectors, means: LanguageMeans | None = None, most: int = 0) -> Ingest:
    """Sync an export (or its first documents) into an empty index, then again."""
    with bench(embedder, means) as made:
        source = html_source(export, made.folder)
        if most:
            documents = [d for d, _ in zip(source.read(), range(most), strict=False)]
            source = Shelf(documents, name="confluence")
        spent = getattr(embedder, "seconds", 0.0)
        first, again = made.sync(source), made.sync(source)
        assert again.counts.unchanged == first.counts.added
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        documents_served, chunks = made.tables.counts("t")
        spent = getattr(embedder, "seconds", 0.0) - spent
        return Ingest(documents_served, chunks, first.seconds, spent, again.seconds, peak)


# -- one edited paragraph -------------------------------------------------------------------------------------------


def manual(number: int, edited: bool = False, rule: AccessRule = OPEN_TO_TENANT) -> SourceDocument:
    """A document of 24 paragraphs under six headings, one of them edited."""
    blocks = []
    for section in range(6):
        blocks.append(Block(BlockKind.HEADING, f"Part {section} of {number}", level=2))
        for paragraph in range(4):
            mark = "as was decided in November, " if edited and (section, paragraph) == (number % 6, 2) else ""
            words = " ".join(f"word{(number * 31 + section * 7 + paragraph * 3 + i) % 997}" for i in range(70))
            blocks.append(Block(BlockKind.PARAGRAPH, f"Item {section}.{paragraph}: {mark}{words}."))
    return SourceDocument("manuals", f"manual-{number}", Metadata(f"Manual {number}"), tuple(blocks), rule)


@dataclass(frozen=True, slots=True)
class Edited:
    """One edited paragraph in every document."""

    documents: int
    chunks: int
    embedded: int
    kept: float
    """Share of the chunk ids that stayed."""


def edit_one_paragraph(documents: int) -> Edited:
    """Write documents, edit a paragraph of each, and write them again."""
    embedder = FreeVectors()
    with bench(embedder) as made:
        made.sync(Shelf([manual(n) for n in range(documents)], name="manuals"))
        before = _chunk_ids(made.tables)
        embedder.passages = 0
        made.sync(Shelf([manual(n, edited=True) for n in range(documents)], name="manuals"))
        after = _chunk_ids(made.tables)
        return Edited(documents, len(before), embedder.passages, len(before & after) / len(before))


def _chunk_ids(tables: Tables) -> set[str]:
    tables.refresh()
    rows = tables.chunks.search().where("rule_id > 0").select(["chunk_id"]).to_arrow()
    return set(rows["chunk_id"].to_pylist())


# -- the commit of one document -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Commit:
    """Milliseconds of one document's commit: of its chunks alone, and with its version."""

    chunks: float
    whole: float


def commit_ms(rows: int, times: int = 40) -> list[Commit] | None:
    """Milliseconds of the commits of one document of ten chunks in a table of so many rows.

    None where that table is not built (`tests.benchmarks.scale` does).
    """
    built = scale.FOLDER / f"scale-{rows}"
    if not (built / "built").exists():
        return None
    with tempfile.TemporaryDirectory(prefix="commits-", dir=scale.FOLDER) as folder:
        # Lance never writes into a file that is there: links are copies.
        shutil.copytree(built / "index", Path(folder) / "index", copy_function=os.link)
        tables = Tables(f"{folder}/index", dimension=DIMENSION, model_id=scale.MODEL)
        tables.ensure_indexes()
        commits = []
        vector = np.full(DIMENSION, DIMENSION**-0.5, np.float32)
        for number in range(times):
            version = _version_of_ten(f"d{number * 50}", number)
            chunks = chunk_version(version.document_id, version.metadata.title, version.canonical, "en")[:10]
            ids = [f"{version.document_id}#s0-p{n}" for n in range(10)]
            embedded = [
                EmbeddedChunk(replace(chunk, chunk_id=chunk_id), vector, np.stack([vector] * 6))
                for chunk, chunk_id in zip(chunks, ids, strict=False)
            ]
            begun = time.perf_counter()
            tables.write_versions([version])
            between = time.perf_counter()
            tables.commit_chunks("t", [(version, embedded)], ids[len(embedded) :])
            now = time.perf_counter()
            commits.append(Commit((now - between) * 1000, (now - begun) * 1000))
        return commits[times // 4 :]


def _version_of_ten(document_id: str, number: int) -> Version:
    canonical = canonicalise(manual(number).blocks)
    return Version(
        "t", document_id, 2, "s", document_id, Metadata(document_id), canonical, 1, "en", text_hash(canonical.text),
        dt.datetime(2026, 11, 29, tzinfo=dt.UTC), (),
    )  # fmt: skip


# -- many small re-ingests ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Worn:
    """An index after many small re-ingests, beside one that was written at once."""

    reingests: int
    disk_ratio: float
    latency_ratio: float
    p50_ms: float
    slowest_reingest_ms: float
    """The mean of one document in the slowest round."""


def reingest(times: int, documents: int = 100, keep: float = 20) -> Worn:
    """Change documents one after another, each in its own commit; then compare with a fresh table of the same rows."""
    with bench(FreeVectors(), keep=keep) as made:
        shelf = Shelf([_edition(n, 0) for n in range(documents)], name="manuals")
        made.sync(shelf)
        made.engine.batch_documents = 1
        slowest = 0.0
        for edition in range(1, times // documents + 1):
            shelf.documents = [_edition(n, edition) for n in range(documents)]
            slowest = max(slowest, made.sync(shelf).seconds / documents)
        # What Lance keeps for readers that began before goes with the syncs after their time, changed or not.
        for _ in range(2):
            time.sleep(keep + 1)
            made.sync(shelf)
        fresh = _fresh_copy(made)
        ratio = _bytes(made.folder / "index") / _bytes(fresh.folder / "index")
        worn_ms, fresh_ms = _latency(made), _latency(fresh)
        worn_ms, fresh_ms = min(worn_ms, _latency(made)), min(fresh_ms, _latency(fresh))
        return Worn(times, ratio, worn_ms / fresh_ms, worn_ms, slowest * 1000)


def _edition(number: int, edition: int) -> SourceDocument:
    document = manual(number)
    paragraph = Block(BlockKind.PARAGRAPH, f"Edition {edition} of this manual.")
    return SourceDocument("manuals", document.key, document.metadata, (*document.blocks, paragraph), document.rule)


def _fresh_copy(made: Bench) -> Bench:
    fresh = Bench(made.folder / "fresh", made.embedder, made.means)
    for name in ("chunks", "documents", "rules"):
        source, target = getattr(made.tables, name), getattr(fresh.tables, name)
        target.add(source.to_arrow())
    fresh.tables.ensure_indexes()
    fresh.tables.optimize(dt.timedelta(milliseconds=1))
    fresh.lexical.catch_up(fresh.tables)
    return fresh


def _latency(made: Bench, questions: int = 200) -> float:
    """Median milliseconds of both halves of a search."""
    reader = Reader("t", frozenset({next(iter(next(iter(OPEN_TO_TENANT.clauses))))}))
    snapshot = IndexReader(made.tables, made.lexical).snapshot(reader, Audience.person(reader))
    times = []
    for number in range(questions):
        text = f"word{number % 997} word{number * 3 % 997} edition"
        begun = time.perf_counter()
        snapshot.dense(made.space.embed_query(text, "en"), 50)
        snapshot.lexical(text, 50)
        times.append((time.perf_counter() - begun) * 1000)
    return float(np.median(times))


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
