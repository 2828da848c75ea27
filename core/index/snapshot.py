"""One pinned state of the index, searched under a set of visible rules.

Both halves filter by access inside their engine, before ranking. tantivy may lag behind: its hits are read again from
the pinned LanceDB version and dropped where the commit or the rule differ.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.domain.document import Version, indexed_context
from core.domain.evidence import Passage
from core.index.interleaving import interleave
from core.index.lance import Expr, col, lit
from core.index.lexical import LexicalHit, LexicalIndex, TermStatistics
from core.index.schema import (
    CARD_COLUMNS,
    PASSAGE_COLUMNS,
    Vector,
    dequantise,
    passage_from_card,
    passage_from_row,
)
from core.index.tables import PARTITION_ROWS, Tables, VersionRecord, documents_by_source

EXACT_ROWS = 3_000
"""Up to so many visible rows every one is looked at, each by itself: 1,000 in 9 ms, 3,000 in 23, 10,000 in 70."""
LEAST_PARTITIONS = 50
PARTITIONS_SHARE = 0.15
"""Share of the vector index's partitions that is looked at, for a reader of everything: recall@10 of a million rows is
.99, and with a third of that share .98.
"""
NARROW = 0.2
"""Who sees a smaller part of the rows has its nearest spread over more partitions: as many more as it is smaller."""
REFINED = 10
"""Candidates for each result whose whole vectors are read: with 4, recall@50 of a million rows is .86, with 10 .99."""
REFINED_FOR_NARROW, VERY_NARROW = 20, 0.15
REFINED_FOR_FEW, FEW_ROWS = 40, 20_000
"""Among a smaller part, and among few rows, the nearest may be far away: the index's short vectors tell those apart
badly. For 10,000 rows of 100,000, recall@10 is .967 with 20.
"""
OVERFETCH = 1.5
"""Share of lexical hits asked for beyond the limit, for those that the pinned version drops."""

_READ_ALONG = ["key", "seq", "vector", "sentence_vectors", "word_vectors", "about"]
"""What reranking needs of a chunk beside its passage."""
LISTED_ROWS = 20_000
"""Rows that a list of documents is made of."""
MOST_CHANGED = 0.25
"""Share of what is read that may have changed since the lexical index was written."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that one half of the search found. Ranks count from 1."""

    key: str
    score: float
    rank: int
    row: int | None = None
    """Where the pinned version has it, as far as that is known."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk read from the pinned version, with the vectors that reranking needs."""

    key: str
    passage: Passage
    vector: Vector
    sentence_vectors: Vector
    word_vectors: bytes = b""
    """As `core.retrieval.interaction` packs them; empty where they were not stored."""
    about: str = ""
    """The generated sentence about the chunk. It helps to find it, and goes no further than the search."""

    @property
    def said(self) -> str:
        """All the words by which the chunk is found."""
        return f"{indexed_context(self.passage.context, self.about)}\n{self.passage.text}"


@dataclass(frozen=True, slots=True)
class Found:
    """What both halves found, read; and the lexical hits that the pinned version confirms."""

    candidates: list[Candidate]
    lexical: list[Hit]


@dataclass(frozen=True, slots=True)
class Effort:
    """How thoroughly the vector index is searched."""

    partitions: int
    refined: int
    """How many candidates are compared whole for each result."""


def effort(visible: int, rows: int) -> Effort | None:
    """How to search for a reader of `visible` of the `rows`; None to compare each of the visible ones."""
    if visible <= EXACT_ROWS:
        return None
    share = visible / max(rows, visible)
    for_everything = max(LEAST_PARTITIONS, PARTITIONS_SHARE * rows / PARTITION_ROWS)
    partitions = math.ceil(for_everything * max(1.0, NARROW / share))
    if visible < FEW_ROWS:
        return Effort(partitions, REFINED_FOR_FEW)
    return Effort(partitions, REFINED_FOR_NARROW if share < VERY_NARROW else REFINED)


class Snapshot:
    """A pinned version of the chunks table, seen through the rules that an audience satisfies."""

    def __init__(
        self,
        tables: Tables,
        chunks: Any,
        version: int,
        lexical: LexicalIndex,
        tenant_id: str,
        rules: Collection[int],
        hidden: Collection[str] = (),
        sources: Collection[str] = (),
    ) -> None:
        """`hidden` are documents that nobody sees, whatever their rule says (those that were revoked).

        `sources` are those that are looked at, where the question is confined to some; none named, all are.
        """
        self._tables = tables
        self._chunks = chunks
        self._lexical = lexical
        self.version = version
        self.tenant_id = tenant_id
        self.rules = frozenset(rules)
        self.hidden = frozenset(hidden)
        self.sources = frozenset(sources)
        self._hidden_keys = tables.chunk_keys(chunks, tenant_id, self.hidden) if self.hidden else frozenset()

    def dense(self, vector: Vector, limit: int, *, exact: bool = False) -> list[Hit]:
        """The nearest visible chunks by cosine, best first; `exact` looks at every one of them, however many."""
        if not self.rules:
            return []
        where = self._visible()
        visible, rows = self._visible_rows(where), int(self._chunks.count_rows())
        how = None if exact else effort(visible, rows)
        # Of one pinned version: a filter that lets through as many rows as there are lets all of them through.
        filtering = where if visible < rows else None
        found = self._nearest(vector, filtering, limit, how)
        if how is not None and len(found) < min(limit, visible):  # what is visible lies elsewhere
            found = self._nearest(vector, filtering, limit, None)
        # Lance's `dot` distance is 1 − a·b: on normalised vectors, one minus the cosine.
        return [Hit(row["key"], 1.0 - row["_distance"], i, row["_rowid"]) for i, row in enumerate(found, 1)]

    def _nearest(self, vector: Vector, where: Expr | None, limit: int, how: Effort | None) -> list[dict[str, Any]]:
        search = (
            self._chunks.search(vector, vector_column_name="vector")
            .distance_type("dot")
            .select(["key", "_distance"])
            .with_row_id(True)
            .limit(limit)
        )
        if where is not None:
            search = search.where(where, prefilter=True)
        if how is None:
            search = search.bypass_vector_index()
        else:
            # With a greatest number of its own, Lance takes four times as long to go on until it has enough.
            search = search.minimum_nprobes(how.partitions).maximum_nprobes(how.partitions).refine_factor(how.refined)
        return list(search.to_list())

    def lexical(self, text: str, limit: int) -> list[Hit]:
        """The best visible chunks by BM25, best first, as the pinned version has them."""
        if not self.rules:
            return []
        wanted = limit
        while True:
            found = self._lexical.search(text, self.rules, int(wanted * OVERFETCH), self._hidden_keys, self.sources)
            seqs = self._seqs([hit.key for hit in found])
            true = [hit for hit in found if seqs.get(hit.key) == hit.seq]
            exhausted = len(found) < int(wanted * OVERFETCH)
            if len(true) >= limit or exhausted or wanted > 50 * limit:
                return [Hit(hit.key, hit.score, i) for i, hit in enumerate(true[:limit], 1)]
            wanted *= 4  # the index lags far behind: look further down

    def lexical_names(self, text: str, limit: int, alternatives: Collection[str] = ()) -> list[LexicalHit]:
        """The best chunks by BM25 as the lexical index has them, not yet compared with the pinned version: `found`."""
        if not self.rules:
            return []
        wanted = int(limit * OVERFETCH)
        return self._lexical.search(text, self.rules, wanted, self._hidden_keys, self.sources, alternatives)

    def found(
        self, dense: Sequence[Hit], lexical: Sequence[LexicalHit], limit: int, rows: Mapping[str, int] | None = None
    ) -> Found | None:
        """Read what both halves found, each half's first in turn, in one go.

        `rows` are those of lexical hits, as far as they were asked for meanwhile (`rows_of`). Lexical hits that the
        pinned version has otherwise are dropped on the way. None when they are so many that the lexical half has to be
        asked again, by `lexical`.
        """
        names = [hit.key for hit in lexical]
        keys = interleave([[hit.key for hit in dense], names], limit)
        by_dense = {hit.key: hit.row for hit in dense}
        known = {key: row for key, row in by_dense.items() if row is not None}
        read, seqs = self._read(keys, known | dict(rows or {}))
        changed = {hit.key for hit in lexical if hit.key in set(keys) and seqs.get(hit.key) != hit.seq}
        if len(changed) > MOST_CHANGED * limit:
            return None
        true = [hit for hit in lexical if hit.key not in changed]
        return Found(
            [candidate for candidate in read if candidate.key in by_dense or candidate.key not in changed],
            [Hit(hit.key, hit.score, rank) for rank, hit in enumerate(true, 1)],
        )

    def statistics(self, text: str, language: str) -> TermStatistics:
        """Document frequencies of a text's terms among the visible chunks."""
        return self._lexical.statistics(text, language, self.rules, self._hidden_keys, self.sources)

    def respelled(self, words: Collection[str], language: str) -> dict[str, str]:
        """For each word that no visible chunk has, the visible word that it may be a slip of."""
        return self._lexical.respelled(words, language, self.rules, self._hidden_keys, self.sources)

    def candidates(self, keys: Sequence[str]) -> list[Candidate]:
        """Read chunks by key, in the order asked; those not visible at the pinned version are left out."""
        return self._read(keys)[0]

    def _read(
        self, keys: Sequence[str], known: Mapping[str, int] | None = None
    ) -> tuple[list[Candidate], dict[str, int]]:
        """Candidates in the order asked, and the commit that wrote each. `known` are the rows of some of the keys."""
        if not keys or not self.rules:
            return [], {}
        known = known or {}
        places = {**self.rows_of([key for key in keys if key not in known]), **known}
        wanted = [places[key] for key in keys if key in places]
        rows: dict[str, dict[str, Any]] = {}
        if wanted:
            for row in self._chunks.take_row_ids(wanted).select([*CARD_COLUMNS, *_READ_ALONG]).to_list():
                rows[row["key"]] = row
        passages = {key: passage_from_card(row) for key, row in rows.items() if row["card"]}
        passages |= self._read_by_columns([key for key in rows if key not in passages])
        seen = [key for key in keys if key in passages and self._shows(passages[key])]
        return [_candidate(rows[key], passages[key]) for key in seen], {key: int(rows[key]["seq"]) for key in seen}

    def rows_of(self, keys: Sequence[str]) -> dict[str, int]:
        """Where the pinned version has chunks; those that it has not are left out."""
        if not keys:
            return {}
        where = col("key").isin(list(keys))
        found = self._chunks.search().where(where).select(["key"]).with_row_id(True).limit(len(keys)).to_list()
        return {row["key"]: row["_rowid"] for row in found}

    def _read_by_columns(self, keys: Sequence[str]) -> dict[str, Passage]:
        """Passages of an index that was written before there were cards."""
        if not keys:
            return {}
        where = col("key").isin(list(keys))
        found = self._chunks.search().where(where).select([*PASSAGE_COLUMNS, "key"]).limit(len(keys)).to_list()
        return {row["key"]: passage_from_row(row) for row in found}

    def _shows(self, passage: Passage) -> bool:
        """The same as `_visible`, of a passage that was read by its row alone."""
        return (
            passage.tenant_id == self.tenant_id
            and passage.rule_id in self.rules
            and passage.document_id not in self.hidden
            and (not self.sources or passage.source in self.sources)
        )

    def versions(self, passages: Iterable[Passage]) -> dict[tuple[str, int], Version]:
        """The versions that passages are slices of."""
        return self._tables.versions({(p.tenant_id, p.document_id, p.document_version) for p in passages})

    def newest_documents(self) -> list[str]:
        """The ids of the visible documents, the one that was changed last first; of a large index, of a part of it."""
        if not self.rules:
            return []
        rows = (
            self._chunks.search().where(self._visible()).select(["document_id", "modified_at"]).limit(LISTED_ROWS)
        ).to_list()
        changed = {row["document_id"]: row["modified_at"] for row in rows}
        never = dt.datetime.min.replace(tzinfo=dt.UTC)
        return sorted(changed, key=lambda name: (changed[name] or never, name), reverse=True)

    def documents_by_source(self) -> dict[str, int]:
        """How many documents are visible of each source; a source of which none is, is not named."""
        return documents_by_source(self._chunks, self._visible()) if self.rules else {}

    def passages_of(self, document_ids: Sequence[str]) -> list[Passage]:
        """The visible chunks of a few documents, in their order."""
        if not document_ids or not self.rules:
            return []
        where = col("document_id").isin(sorted(document_ids)) & self._visible()
        rows = self._chunks.search().where(where).select(PASSAGE_COLUMNS).limit(LISTED_ROWS).to_list()
        return sorted((passage_from_row(row) for row in rows), key=lambda p: (p.document_id, p.start))

    def stored(self, keys: Iterable[tuple[str, str, int]]) -> dict[tuple[str, int], Version]:
        """Versions by (tenant id, document id, number). Whether they may be read is for the caller to check."""
        return self._tables.versions(keys)

    def history(self, document_id: str) -> list[VersionRecord]:
        """Every version of a document of this tenant, oldest first, whoever may read it."""
        return [] if document_id in self.hidden else self._tables.history(self.tenant_id, document_id)

    def _seqs(self, keys: Sequence[str]) -> dict[str, int]:
        if not keys:
            return {}
        where = col("key").isin(list(keys)) & self._visible()
        rows = self._chunks.search().where(where).select(["key", "seq"]).limit(len(keys)).to_list()
        return {row["key"]: int(row["seq"]) for row in rows}

    def _visible_rows(self, where: Expr) -> int:
        return self._tables.visible_rows(self._chunks, where.to_sql())

    def _visible(self) -> Expr:
        visible = (col("tenant_id") == lit(self.tenant_id)) & col("rule_id").isin(sorted(self.rules))
        if self.sources:
            visible = visible & col("source").isin(sorted(self.sources))
        return visible & ~col("document_id").isin(sorted(self.hidden)) if self.hidden else visible


def _candidate(row: Mapping[str, Any], passage: Passage) -> Candidate:
    vector = np.asarray(row["vector"], dtype=np.float32)
    sentences = dequantise(row["sentence_vectors"] or b"", len(vector))
    return Candidate(row["key"], passage, vector, sentences, row["word_vectors"] or b"", row["about"] or "")
