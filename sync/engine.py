"""Bring the index up to date with one export.

Reading is a stream; documents are written in small batches, each in one commit, so that a reader sees a document's old
state or its new one and a crash loses nothing but the work of one batch. Text that did not change keeps its chunk ids
and vectors.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from core.chunking import align_chunk_ids, chunk_version
from core.domain.document import CanonicalText, Chunk, SourceDocument, Version
from core.domain.evidence import text_hash
from core.domain.syncing import SyncEvent, SyncFailure, SyncFinished, SyncProgress, SyncStarted
from core.embedding.base import PassageInput
from core.embedding.space import VectorSpace
from core.errors import SourceError
from core.index.lexical import LexicalIndex
from core.index.schema import EmbeddedChunk, dequantise, metadata_hash
from core.index.tables import Head, StoredChunk, Tables
from core.text.canonical import canonicalise
from core.text.language import language_of
from sync.plan import Observed, State, count, held_back, new_document_id, state_of
from sync.sources.base import FailedDocument, Source

BATCH_DOCUMENTS = 24
REMOVAL_LIMIT = 0.2


@dataclass(frozen=True, slots=True)
class _Pending:
    """A document that will be written, with what is known of it."""

    document: SourceDocument
    canonical: CanonicalText
    head: Head | None
    observed: Observed
    state: State


class SyncEngine:
    """Writes one tenant's documents. Only one engine may work on an index at a time: see `sync.lock`."""

    def __init__(
        self,
        tables: Tables,
        lexical: LexicalIndex,
        space: VectorSpace,
        tenant_id: str,
        *,
        removal_limit: float = REMOVAL_LIMIT,
        now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tables = tables
        self._lexical = lexical
        self._space = space
        self._tenant = tenant_id
        self._removal_limit = removal_limit
        self._now = now
        self._monotonic = monotonic

    def sync(self, source: Source, *, confirm_removals: bool = False) -> Iterator[SyncEvent]:
        """Read a source and write what changed.

        Raises:
            SourceError: the export as a whole cannot be read; nothing was changed.
            StorageError: the index cannot be written; documents written before stay.
        """
        begun = self._monotonic()
        yield SyncStarted(source.name)
        self._tables.refresh()
        heads = {key: head for (_, key), head in self._tables.heads(self._tenant, source.name).items()}
        taken = self._tables.document_ids(self._tenant)
        states: dict[str, State] = {}
        met: set[str] = set()
        failures: list[SyncFailure] = []
        warnings: list[str] = []
        done = 0
        description = source.describe()
        warnings += description.warnings
        for batch in _batches(source.read()):
            for item in batch:
                if isinstance(item, FailedDocument):
                    states[item.key] = State.FAILED
                    failures.append(SyncFailure(item.key, item.sentence))
            documents = [item for item in batch if isinstance(item, SourceDocument)]
            for document in documents:
                if document.key in met:
                    raise SourceError(f"The export holds {document.key!r} twice: correct it and run the sync again.")
                met.add(document.key)
                warnings += [f"{document.key}: {warning}" for warning in document.warnings]
            pending = self._plan(documents, heads)
            states |= {p.document.key: p.state for p in pending}
            failures += [
                SyncFailure(p.document.key, "There is no text in it.") for p in pending if p.state is State.FAILED
            ]
            self._write([p for p in pending if p.state not in {State.UNCHANGED, State.FAILED}], taken)
            done += len(batch)
            yield SyncProgress(source.name, done, max(done, description.documents))
        gone = [head for key, head in heads.items() if head.current and key not in states]
        current = sum(head.current for head in heads.values())
        guard = held_back(len(gone), current, len(states), self._removal_limit, confirmed=confirm_removals)
        if gone and not guard:
            states |= {head.source_key: State.REMOVED for head in gone}
            self._remove(gone)
        self._tables.ensure_indexes()
        self._lexical.catch_up(self._tables)
        yield SyncFinished(
            source=source.name,
            counts=count(states.values()),
            seconds=self._monotonic() - begun,
            failures=tuple(failures),
            warnings=tuple(warnings),
            held_back=guard,
        )

    def _plan(self, documents: list[SourceDocument], heads: dict[str, Head]) -> list[_Pending]:
        rules = self._tables.intern_rules(self._tenant, {d.rule for d in documents})
        pending = []
        for document in documents:
            canonical = canonicalise(document.blocks)
            observed = Observed(text_hash(canonical.text), metadata_hash(document.metadata), rules[document.rule])
            head = heads.get(document.key)
            state = state_of(observed, head) if canonical.text else State.FAILED
            pending.append(_Pending(document, canonical, head, observed, state))
        return pending

    def _write(self, pending: list[_Pending], taken: set[str]) -> None:
        if not pending:
            return
        versions: list[Version] = []
        chunks: list[tuple[Chunk, ...]] = []
        stored: list[dict[str, StoredChunk]] = []
        for item in pending:
            version, cut, before = self._cut(item, taken)
            versions.append(version)
            chunks.append(cut)
            stored.append(before)
        embedded = self._embed(chunks, stored)
        gone = [
            chunk_id
            for before, cut in zip(stored, chunks, strict=True)
            for chunk_id in before.keys() - {c.chunk_id for c in cut}
        ]
        self._tables.write_versions(versions)
        self._tables.commit_chunks(self._tenant, list(zip(versions, embedded, strict=True)), gone)

    def _cut(self, item: _Pending, taken: set[str]) -> tuple[Version, tuple[Chunk, ...], dict[str, StoredChunk]]:
        """The new version with its chunks, and the chunks that are stored of the one before."""
        metadata, head = item.document.metadata, item.head
        if head is None:
            document_id, number = new_document_id(metadata.title, taken), 1
            taken.add(document_id)
        else:
            document_id, number = head.document_id, head.version + 1
        language = language_of(item.canonical.text)
        cut = chunk_version(document_id, metadata.title, item.canonical, language)
        before: list[StoredChunk] = []
        if head is not None:
            before = self._tables.stored_chunks(self._tenant, document_id)
            used = self._tables.chunk_ids(self._tenant, document_id)
            cut = align_chunk_ids([(b.chunk_id, b.text) for b in before], cut, used)
        version = Version(
            tenant_id=self._tenant,
            document_id=document_id,
            number=number,
            source=item.document.source,
            source_key=item.document.key,
            metadata=metadata,
            canonical=item.canonical,
            rule_id=item.observed.rule_id,
            language=language,
            content_hash=item.observed.content_hash,
            observed_at=self._now(),
            chunk_ids=tuple(c.chunk_id for c in cut),
        )
        return version, cut, {b.chunk_id: b for b in before}

    def _embed(self, cuts: list[tuple[Chunk, ...]], stored: list[dict[str, StoredChunk]]) -> list[list[EmbeddedChunk]]:
        """Vectors for all chunks of a batch, computed only where the text is new."""
        new = [
            chunk
            for cut, before in zip(cuts, stored, strict=True)
            for chunk in cut
            if chunk.chunk_id not in before or before[chunk.chunk_id].text != chunk.text
        ]
        inputs = [
            PassageInput(c.context, c.text, tuple((s - c.start, e - c.start) for s, e in c.sentences)) for c in new
        ]
        computed = dict(
            zip(
                (c.chunk_id for c in new),
                self._space.embed_passages(inputs, [c.language for c in new]) if new else [],
                strict=True,
            )
        )
        result = []
        for cut, before in zip(cuts, stored, strict=True):
            row = []
            for chunk in cut:
                if chunk.chunk_id in computed:
                    e = computed[chunk.chunk_id]
                    row.append(EmbeddedChunk(chunk, e.vector, e.sentence_vectors))
                else:
                    old = before[chunk.chunk_id]
                    vector = np.asarray(old.vector, dtype=np.float32)
                    row.append(EmbeddedChunk(chunk, vector, dequantise(old.sentence_vectors or b"", len(vector))))
            result.append(row)
        return result

    def _remove(self, gone: list[Head]) -> None:
        """Take documents out of service. Their versions stay, for evidence that points at them."""
        chunk_ids = [
            stored.chunk_id for head in gone for stored in self._tables.stored_chunks(self._tenant, head.document_id)
        ]
        self._tables.commit_chunks(self._tenant, [], chunk_ids)


def _batches(
    items: Iterable[SourceDocument | FailedDocument],
) -> Iterator[list[SourceDocument | FailedDocument]]:
    batch: list[SourceDocument | FailedDocument] = []
    for item in items:
        batch.append(item)
        if len(batch) == BATCH_DOCUMENTS:
            yield batch
            batch = []
    if batch:
        yield batch
