"""One pinned state of the index, searched under a set of visible rules.

Both halves filter by access inside their engine, before ranking. tantivy may lag behind: its hits are read again from
the pinned LanceDB version and dropped where the commit or the rule differ.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.domain.document import Version, indexed_context
from core.domain.evidence import Passage
from core.index.interleaving import interleave
from core.index.lance import Expr, col, lit
from core.index.lexical import LexicalHit, LexicalIndex, TermStatistics
from core.index.schema import PASSAGE_COLUMNS, Vector, dequantise, passage_from_row
from core.index.tables import Tables, VersionRecord, documents_by_source

EXACT_ROWS = 3_000
"""Up to so many visible rows every one is looked at. Each is read by itself: 1,000 in 9 ms, 3,000 in 23, 10,000 in 70;
the vector index takes 15 to 30 however many there are (of 100,000 rows; of a million the two meet a little later).
"""
REFINED = 4
"""Candidates for each result whose whole vectors are read: recall@50 is .970 (10: .979, in a third more time)."""
FEW_ROWS = 35_000
"""Among fewer visible rows the nearest may be far away, and the index's short vectors tell those apart badly: with
`REFINED` recall@10 falls to .86 of 100,000 rows and .85 of a million.
"""
READ_OF_FEW = 2_500
"""Whole vectors that are read for such a reader: with 1,500, recall@10 is .987 of 100,000 rows but .962 of a million;
with 3,000 it is 1.0 of both.
"""
OVERFETCH = 1.5
"""Share of lexical hits asked for beyond the limit, for those that the pinned version drops."""

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


def refinement(visible: int, limit: int) -> int | None:
    """How many candidates of the vector index are compared whole for each of `limit` results.

    None to compare each of the `visible` rows.
    """
    if visible <= EXACT_ROWS:
        return None
    return max(REFINED, math.ceil(READ_OF_FEW / limit)) if visible < FEW_ROWS else REFINED


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
        search = (
            self._chunks.search(vector, vector_column_name="vector")
            .distance_type("dot")
            .where(where, prefilter=True)
            .select(["key", "_distance"])
            .limit(limit)
        )
        refined = None if exact else refinement(self._visible_rows(where), limit)
        if refined is None:
            search = search.bypass_vector_index()
        else:
            # No greatest number of partitions: it goes on until there are as many as were asked for.
            search = search.minimum_nprobes(50).maximum_nprobes(0).refine_factor(refined)
        rows = search.to_list()
        # Lance's `dot` distance is 1 − a·b: on normalised vectors, one minus the cosine.
        return [Hit(row["key"], 1.0 - row["_distance"], i) for i, row in enumerate(rows, 1)]

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

    def found(self, dense: Sequence[Hit], lexical: Sequence[LexicalHit], limit: int) -> Found | None:
        """Read what both halves found, each half's first in turn, in one go.

        Lexical hits that the pinned version has otherwise are dropped on the way. None when they are so many that the
        lexical half has to be asked again, by `lexical`.
        """
        names = [hit.key for hit in lexical]
        keys = interleave([[hit.key for hit in dense], names], limit)
        read, seqs = self._read(keys)
        by_dense = {hit.key for hit in dense}
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

    def _read(self, keys: Sequence[str]) -> tuple[list[Candidate], dict[str, int]]:
        """Candidates in the order asked, and the commit that wrote each."""
        if not keys or not self.rules:
            return [], {}
        columns = [*PASSAGE_COLUMNS, "key", "seq", "vector", "sentence_vectors", "word_vectors", "about"]
        where = col("key").isin(list(keys)) & self._visible()
        rows = {
            row["key"]: row for row in self._chunks.search().where(where).select(columns).limit(len(keys)).to_list()
        }
        read = [self._candidate(rows[key]) for key in keys if key in rows]
        return read, {key: int(row["seq"]) for key, row in rows.items()}

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

    def _candidate(self, row: dict[str, Any]) -> Candidate:
        vector = np.asarray(row["vector"], dtype=np.float32)
        sentences = dequantise(row["sentence_vectors"] or b"", len(vector))
        words, about = row["word_vectors"] or b"", row["about"] or ""
        return Candidate(row["key"], passage_from_row(row), vector, sentences, words, about)

    def _visible_rows(self, where: Expr) -> int:
        return self._tables.visible_rows(self._chunks, where.to_sql())

    def _visible(self) -> Expr:
        visible = (col("tenant_id") == lit(self.tenant_id)) & col("rule_id").isin(sorted(self.rules))
        if self.sources:
            visible = visible & col("source").isin(sorted(self.sources))
        return visible & ~col("document_id").isin(sorted(self.hidden)) if self.hidden else visible
