"""Answer "what changed in … since …": find the document among what the reader may see, and lay two versions together.

A version is read only by who satisfies its own rule, and only while the document's rule of now lets them in.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.chunking import chunk_version
from core.domain.document import Chunk, Version
from core.domain.evidence import (
    AbstentionReason,
    ClaimKind,
    DraftClaim,
    DraftQuote,
    Evidence,
    EvidencePassage,
    Passage,
    text_hash,
)
from core.index.snapshot import Snapshot
from core.retrieval.changes import LEAST_TITLE, Change, ChangeQuestion, changes_between, title_share, version_of
from core.retrieval.freezing import frozen
from core.retrieval.selection import in_force
from core.text.sentences import Span

MOST_CHANGES = 6


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions of one document: the passages that differ, frozen, and a draft for each sentence that does."""

    evidence: Evidence
    drafts: tuple[DraftClaim, ...]
    rule_id: int
    """The document's rule now: who does not satisfy it sees nothing of any version."""
    is_cut: bool
    """More changed than is told."""


def named_document(asked: ChangeQuestion, candidates: Sequence[Passage], today: dt.date) -> Passage | None:
    """A passage of the document whose title is meant; what is in force before what was replaced."""
    shares = [(title_share(asked.title, p.title), in_force(p, today), -place, p) for place, p in enumerate(candidates)]
    best = max(shares, key=lambda share: share[:3], default=None)
    return best[3] if best is not None and best[0] >= LEAST_TITLE else None


def compare(
    snapshot: Snapshot, document: Passage, since: dt.date, run_id: str, retrieved_at: dt.datetime, today: dt.date
) -> Comparison | AbstentionReason:
    """The version that held at the end of a day beside the one that is served, or why there is nothing to tell."""
    history = [
        record
        for record in snapshot.history(document.document_id)
        if record.number <= document.document_version and record.content_hash and record.rule_id in snapshot.rules
    ]
    if document.rule_id not in snapshot.rules or not history or history[-1].number != document.document_version:
        return AbstentionReason.NO_EARLIER_VERSION
    # Where nothing is known of so long ago, the oldest that is known: what changed after it changed since.
    earlier = version_of(history, since) or history[0]
    if earlier.number == document.document_version:
        known_then = version_of(history, since) is not None
        return AbstentionReason.NOTHING_CHANGED if known_then else AbstentionReason.NO_EARLIER_VERSION
    keys = [(document.tenant_id, document.document_id, n) for n in (earlier.number, document.document_version)]
    read = snapshot.stored(keys)
    before = read.get((document.document_id, earlier.number))
    after = read.get((document.document_id, document.document_version))
    if before is None or after is None:
        return AbstentionReason.NO_EARLIER_VERSION
    changes = changes_between(before.canonical, after.canonical)
    if not changes:
        return AbstentionReason.NOTHING_CHANGED
    table = _Table(before, after, today)
    drafts = tuple(draft for change in changes[:MOST_CHANGES] for draft in table.drafts(change))
    evidence = Evidence(run_id, document.tenant_id, snapshot.version, retrieved_at, tuple(table.passages))
    return Comparison(evidence, drafts, document.rule_id, is_cut=len(changes) > MOST_CHANGES)


class _Table:
    """The passages of both versions that are quoted, each once, under its label."""

    def __init__(self, before: Version, after: Version, today: dt.date) -> None:
        self.passages: list[EvidencePassage] = []
        self._labels: dict[tuple[int, int], str] = {}
        self._versions = (before, after)
        self._chunks = tuple(_chunks(version) for version in self._versions)
        self._today = today
        # Who forbids extracts now forbids those of what was said before, too.
        self._may_quote = before.metadata.show_quotes and after.metadata.show_quotes

    def drafts(self, change: Change) -> list[DraftClaim]:
        """What it says now, then what it said, each in the version's own words."""
        return [
            draft
            for number, span in ((1, change.after), (0, change.before))
            if span is not None and (draft := self._quoted(number, span)) is not None
        ]

    def _quoted(self, number: int, span: Span) -> DraftClaim | None:
        version, chunks = self._versions[number], self._chunks[number]
        place = next((i for i, c in enumerate(chunks) if c.start <= span[0] and span[1] <= c.end), None)
        if place is None:
            return None
        label = self._labels.get((number, place))
        if label is None:
            label = self._labels[number, place] = f"p{len(self.passages) + 1}"
            passage = _passage(version, chunks[place], is_old=number == 0, may_quote=self._may_quote)
            self.passages.append(frozen(label, passage, version, self._today))
        quote = version.text[slice(*span)]
        return DraftClaim(quote, ClaimKind.QUOTE, (DraftQuote(label, quote),))


def _chunks(version: Version) -> tuple[Chunk, ...]:
    """A version cut as it was when it was written, with the ids that its chunks had."""
    cut = chunk_version(version.document_id, version.metadata.title, version.canonical, version.language)
    if len(cut) != len(version.chunk_ids):  # the chunker has changed since: the ids say which version they are of
        return tuple(replace(chunk, chunk_id=f"{chunk.chunk_id}@{version.number}") for chunk in cut)
    return tuple(replace(chunk, chunk_id=own) for chunk, own in zip(cut, version.chunk_ids, strict=True))


def _passage(version: Version, chunk: Chunk, *, is_old: bool, may_quote: bool) -> Passage:
    said = version.metadata
    return Passage(
        chunk_id=chunk.chunk_id,
        tenant_id=version.tenant_id,
        document_id=version.document_id,
        document_version=version.number,
        rule_id=version.rule_id,
        source=version.source,
        uri=said.uri,
        title=said.title,
        section_path=chunk.section_path,
        page=chunk.page,
        language=chunk.language,
        start=chunk.start,
        end=chunk.end,
        text=chunk.text,
        context=chunk.context,
        sentences=chunk.sentences,
        header=chunk.header,
        modified_at=said.modified_at,
        valid_from=said.valid_from,
        valid_until=said.valid_until,
        status=said.status,
        owner=said.owner,
        show_quotes=may_quote,
        content_hash=text_hash(chunk.text),
        superseded=is_old or said.is_superseded,
    )
