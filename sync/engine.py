"""Bring the index up to date with one export: read it, plan, then write what changed.

Documents are written in small batches, each in one commit, so that a reader sees a document's old state or its new one
and a crash loses nothing but the work of one batch. Text that did not change keeps its chunk ids and vectors.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.chunking import align_chunk_ids, chunk_version
from core.domain.document import CanonicalText, Chunk, Metadata, Version
from core.domain.syncing import SyncEvent, SyncFailure, SyncFinished, SyncProgress, SyncStarted
from core.embedding.space import VectorSpace
from core.errors import StorageError
from core.index.lexical import LexicalIndex
from core.index.schema import metadata_hash
from core.index.tables import Head, StoredChunk, Tables
from core.retrieval.interaction import LateInteraction
from core.store.revocations import Revocation, RevocationStore
from core.text.language import language_of
from sync.hidden import FOLLOWED, hidden_successors
from sync.plan import Plan, Step, make_plan, new_document_id
from sync.reading import Reading, batches, read_again, read_export
from sync.sources.base import Source
from sync.vectors import embed_where_new, with_their_sentences

BATCH_DOCUMENTS = 24
BATCH_CHARACTERS = 200_000
ACCESS_DOCUMENTS = 200
REMOVAL_LIMIT = 0.2
KEEP_OLD_STATES = dt.timedelta(minutes=10)
"""How long Lance's own old states stay, for readers that began with them."""


@dataclass(frozen=True, slots=True)
class _Pending:
    """A document that will be written: the step of the plan, and its text."""

    source: str
    step: Step
    canonical: CanonicalText
    rule_id: int
    hidden: Revocation | None = None
    """The hidden document that this new one takes after."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """A version in chunks, and what is stored of the chunks of the one before."""

    version: Version
    chunks: tuple[Chunk, ...]
    stored: dict[str, StoredChunk]


class SyncEngine:
    """Writes one tenant's documents. Only one engine may work on an index at a time: see `sync.lock.Writer`."""

    def __init__(
        self,
        tables: Tables,
        lexical: LexicalIndex,
        space: VectorSpace,
        tenant_id: str,
        *,
        words: LateInteraction | None = None,
        removal_limit: float = REMOVAL_LIMIT,
        keep_old_states: dt.timedelta = KEEP_OLD_STATES,
        check_writer: Callable[[], None] = lambda: None,
        revocations: RevocationStore | None = None,
        keep_sentences: bool = False,
        now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tables = tables
        self._lexical = lexical
        self._space = space
        self._words = words
        self._tenant = tenant_id
        self._removal_limit = removal_limit
        self._keep = keep_old_states
        self.batch_documents = BATCH_DOCUMENTS
        """How many documents are embedded and written together, in one commit."""
        self._revocations = revocations
        self._keep_sentences = keep_sentences
        """Whether the sentences about chunks whose text is the same outlive a full sync; others they always do."""
        self._check_writer = check_writer
        """Called before each commit; raises when another process may write by now."""
        self._now = now
        self._monotonic = monotonic

    def sync(
        self,
        source: Source,
        *,
        confirm_removals: bool = False,
        agreed_removals: int = 0,
        full: bool = False,
        dry_run: bool = False,
    ) -> Iterator[SyncEvent]:
        """Read a source, plan, and write what changed; with `dry_run` only plan.

        What a guard holds back goes all the same with `confirm_removals`, or if it is no more than `agreed_removals`.

        Raises:
            SourceError: the export as a whole cannot be read; nothing was changed.
            StorageError: the index cannot be written; documents written before stay.
            ModelError: the index was rebuilt with another model than this process has.
        """
        begun = self._monotonic()
        yield SyncStarted(source.name)
        self._tables.refresh()
        self._tables.check_is_served()
        self._lexical = self._lexical.of(self._tables.chunks_table)
        heads = {key: head for (_, key), head in self._tables.heads(self._tenant, source.name).items()}
        reading = yield from read_export(source, heads, self._tables.known_rules(self._tenant))
        plan = make_plan(
            reading.observed,
            reading.failed,
            heads,
            limit=self._removal_limit,
            confirmed=confirm_removals,
            agreed=agreed_removals,
            full=full,
            stored_replacements=self._stored_of_failed(reading, heads),
        )
        lost: dict[str, str] = {}
        if not dry_run:
            lost = yield from self._carry_out(source, plan, reading)
        yield self._finished(source.name, plan, reading, lost, self._monotonic() - begun, dry_run=dry_run)

    def _finished(
        self, source: str, plan: Plan, reading: Reading, lost: dict[str, str], seconds: float, *, dry_run: bool
    ) -> SyncFinished:
        plan = plan.without(lost)
        return SyncFinished(
            source=source,
            counts=plan.counts,
            seconds=seconds,
            failures=tuple(SyncFailure(key, sentence) for key, sentence in plan.failed.items()),
            warnings=reading.warnings(plan.warnings),
            held_back=plan.held_back,
            changes=plan.changes,
            dry_run=dry_run,
            redacted=dict(reading.redacted),
            ocr_pages=reading.ocr_pages,
            awaiting=plan.awaiting,
        )

    def _stored_of_failed(self, reading: Reading, heads: dict[str, Head]) -> dict[str, Metadata]:
        """What is stored of documents that cannot be read today: they still replace what they replaced."""
        known = [heads[key] for key in reading.failed if key in heads and heads[key].current]
        records = self._tables.records((self._tenant, head.document_id, head.version) for head in known)
        return {record.source_key: record.metadata for record in records.values()}

    # -- writing ------------------------------------------------------------------------------------------------

    def _carry_out(self, source: Source, plan: Plan, reading: Reading) -> Generator[SyncEvent, None, dict[str, str]]:
        """Write what the plan says; returns the documents that changed under our hands, with a sentence."""
        work = [step for step in plan.steps if step.is_work]
        self._check_writer()
        rules = self._tables.intern_rules(self._tenant, {reading.rules[step.key] for step in work})
        rule_ids = {step.key: rules[reading.rules[step.key]] for step in work}
        taken = self._tables.document_ids(self._tenant) if work else set()
        hidden = self._hidden(source, plan, reading)
        lost: dict[str, str] = {}
        done = 0
        for steps in batches(
            iter([s for s in work if s.access_alone]), ACCESS_DOCUMENTS, ACCESS_DOCUMENTS, lambda _: 1
        ):
            self._write_access(steps, rule_ids)
            done += len(steps)
            yield SyncProgress(source.name, done, len(work))
        texts = self._texts(source, [s for s in work if not s.access_alone], reading, lost)
        pending = (_Pending(source.name, step, text, rule_ids[step.key], hidden.get(step.key)) for step, text in texts)
        for batch in batches(pending, self.batch_documents, BATCH_CHARACTERS, lambda item: len(item.canonical.text)):
            self._write(batch, taken)
            done += len(batch)
            yield SyncProgress(source.name, done, len(work))
        if plan.removals:
            self._remove(plan.removals)
        if work or plan.removals:
            self._check_writer()
            self._tables.ensure_indexes()
        self._lexical.catch_up(self._tables)
        self._keep_in_shape()
        return lost

    def _hidden(self, source: Source, plan: Plan, reading: Reading) -> dict[str, Revocation]:
        """New documents that are hidden ones under another id, by key; the report says so."""
        if self._revocations is None:
            return {}
        present = (reading.rules.keys() | reading.failed.keys()) - plan.emptied
        found = hidden_successors(self._revocations, self._tables, self._tenant, source.name, plan.steps, present)
        reading.said += [(key, FOLLOWED) for key in found]
        return found

    def _texts(
        self, source: Source, work: Sequence[Step], reading: Reading, lost: dict[str, str]
    ) -> Iterator[tuple[Step, CanonicalText]]:
        """The text of each document: the stored one where it did not change, else what was read, or is read again."""
        again: dict[str, Step] = {}
        for step in work:
            if step.keeps_text:
                yield step, self._stored(step).canonical
            elif step.key in reading.texts:
                yield step, reading.texts.pop(step.key)
            else:
                again[step.key] = step
        for key, text in read_again(source, again, lost):
            yield again[key], text

    def _stored(self, step: Step) -> Version:
        assert step.head is not None
        version = self._tables.version(self._tenant, step.head.document_id, step.head.version)
        if version is None:
            raise StorageError(
                f"The text of {step.key!r} is not in the index any more: delete the index folder and sync again."
            )
        return version

    def _write_access(self, steps: Sequence[Step], rule_ids: Mapping[str, int]) -> None:
        """Give documents their new rule; nothing is cut or embedded, and of the chunks only numbers are sent."""
        stored = [(step, self._stored(step)) for step in steps]
        versions = [
            replace(version, number=version.number + 1, rule_id=rule_ids[step.key], observed_at=self._now())
            for step, version in stored
        ]
        self._check_writer()
        self._tables.write_versions(versions)
        self._tables.commit_access(versions)

    def _write(self, pending: Sequence[_Pending], taken: set[str]) -> None:
        cuts = [self._cut(item, taken) for item in pending]
        embedded = embed_where_new(
            self._space,
            self._words,
            [(cut.chunks, {} if item.step.anew else cut.stored) for item, cut in zip(pending, cuts, strict=True)],
        )
        gone = [chunk_id for cut in cuts for chunk_id in cut.stored.keys() - {c.chunk_id for c in cut.chunks}]
        self._check_writer()
        self._tables.write_versions([cut.version for cut in cuts])
        written = [(cut.version, vectors) for cut, vectors in zip(cuts, embedded, strict=True)]
        self._tables.commit_chunks(self._tenant, written, gone)
        if self._tables.is_worn():
            self._check_writer()
            self._tables.ensure_indexes()
            self._tables.optimize(self._keep)

    def _cut(self, item: _Pending, taken: set[str]) -> _Cut:
        """The new version with its chunks, and the chunks that are stored of the one before."""
        head, title = item.step.head, item.step.observed.metadata.title
        if head is None:
            document_id = new_document_id(title, taken)
            taken.add(document_id)
            if item.hidden is not None and self._revocations is not None:  # before anybody can find it
                self._revocations.revoke(self._tenant, document_id, item.hidden.revoked_by)
        else:
            document_id = head.document_id
        language = language_of(item.canonical.text)
        chunks = chunk_version(document_id, title, item.canonical, language)
        stored: list[StoredChunk] = []
        if head is not None:
            stored = self._tables.stored_chunks(self._tenant, document_id)
            old = [(b.chunk_id, b.text) for b in stored] or self._chunks_of(head, item)
            used = self._tables.chunk_ids(self._tenant, document_id)
            chunks = align_chunk_ids(old, chunks, used)
        if self._keep_sentences or not item.step.anew:
            chunks = with_their_sentences(chunks, {b.chunk_id: b for b in stored})
        chunk_ids = tuple(c.chunk_id for c in chunks)
        version = self._version(item, document_id, _next_number(head, item), chunk_ids, language)
        return _Cut(version, chunks, {b.chunk_id: b for b in stored})

    def _chunks_of(self, head: Head, item: _Pending) -> list[tuple[str, str]]:
        """The chunks that the last version of a document without live chunks had, if its text has come back."""
        if head.content_hash != item.step.observed.content_hash:
            return []
        before = self._tables.version(self._tenant, head.document_id, head.version)
        if before is None:
            return []
        chunks = chunk_version(head.document_id, before.metadata.title, before.canonical, before.language)
        if len(chunks) != len(before.chunk_ids):
            return []
        return [(chunk_id, chunk.text) for chunk_id, chunk in zip(before.chunk_ids, chunks, strict=True)]

    def _version(
        self, item: _Pending, document_id: str, number: int, chunk_ids: tuple[str, ...], language: str
    ) -> Version:
        step = item.step
        return Version(
            tenant_id=self._tenant,
            document_id=document_id,
            number=number,
            source=item.source,
            source_key=step.key,
            metadata=step.observed.metadata,
            canonical=item.canonical,
            rule_id=item.rule_id,
            language=language,
            content_hash=step.observed.content_hash,
            observed_at=self._now(),
            chunk_ids=chunk_ids,
        )

    def _remove(self, gone: Sequence[Head]) -> None:
        """Take documents out of service. Their versions stay, for evidence that points at them."""
        chunk_ids = [
            stored.chunk_id for head in gone for stored in self._tables.stored_chunks(self._tenant, head.document_id)
        ]
        self._check_writer()
        self._tables.commit_chunks(self._tenant, [], chunk_ids)

    def _keep_in_shape(self) -> None:
        """Compact, when it is due; tombstones go once the lexical index has read them."""
        if self._tables.is_worn() or self._tables.is_bloated(self._keep):
            self._check_writer()
            self._tables.purge_tombstones(self._lexical.seq)
            self._tables.optimize(self._keep)


def _next_number(head: Head | None, item: _Pending) -> int:
    if head is None:
        return 1
    observed = item.step.observed
    unfinished = head.served is not None and head.served < head.version  # a crash: no reader ever saw that version
    same = (head.content_hash, head.rule_id, head.metadata_hash) == (
        observed.content_hash,
        item.rule_id,
        metadata_hash(observed.metadata),
    )
    return head.version if unfinished or same else head.version + 1
