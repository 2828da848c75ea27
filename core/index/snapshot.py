"""One pinned state of the index, searched under a set of visible rules.

Both halves filter by access inside their engine, before ranking. tantivy may lag behind: its hits are read again from
the pinned LanceDB version and dropped where the commit or the rule differ.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.domain.document import Version
from core.domain.evidence import Passage
from core.index.interleaving import interleave
from core.index.lance import Expr, col, lit
from core.index.lexical import LexicalHit, LexicalIndex, TermStatistics
from core.index.schema import PASSAGE_COLUMNS, Vector, dequantise, passage_from_row
from core.index.tables import Tables

BRUTE_FORCE_ROWS = 20_000
"""Up to so many visible rows an exact scan is quicker than the vector index, and never returns fewer than k."""
REFINED = 4
"""Candidates for each result whose whole vectors are read: recall@50 is .970 (10: .979, in a third more time)."""
OVERFETCH = 1.5
"""Share of lexical hits asked for beyond the limit, for those that the pinned version drops."""

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


@dataclass(frozen=True, slots=True)
class Found:
    """What both halves found, read; and the lexical hits that the pinned version confirms."""

    candidates: list[Candidate]
    lexical: list[Hit]


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
    ) -> None:
        """`hidden` are documents that nobody sees, whatever their rule says (those that were revoked)."""
        self._tables = tables
        self._chunks = chunks
        self._lexical = lexical
        self.version = version
        self.tenant_id = tenant_id
        self.rules = frozenset(rules)
        self.hidden = frozenset(hidden)
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
        if exact or self._tables.visible_rows(self._chunks, where.to_sql()) <= BRUTE_FORCE_ROWS:
            search = search.bypass_vector_index()
        else:
            search = search.minimum_nprobes(50).maximum_nprobes(0).refine_factor(REFINED)
        rows = search.to_list()
        # Lance's `dot` distance is 1 − a·b: on normalised vectors, one minus the cosine.
        return [Hit(row["key"], 1.0 - row["_distance"], i) for i, row in enumerate(rows, 1)]

    def lexical(self, text: str, limit: int) -> list[Hit]:
        """The best visible chunks by BM25, best first, as the pinned version has them."""
        if not self.rules:
            return []
        wanted = limit
        while True:
            found = self._lexical.search(text, self.rules, int(wanted * OVERFETCH), self._hidden_keys)
            seqs = self._seqs([hit.key for hit in found])
            true = [hit for hit in found if seqs.get(hit.key) == hit.seq]
            exhausted = len(found) < int(wanted * OVERFETCH)
            if len(true) >= limit or exhausted or wanted > 50 * limit:
                return [Hit(hit.key, hit.score, i) for i, hit in enumerate(true[:limit], 1)]
            wanted *= 4  # the index lags far behind: look further down

    def lexical_names(self, text: str, limit: int) -> list[LexicalHit]:
        """The best chunks by BM25 as the lexical index has them, not yet compared with the pinned version: `found`."""
        if not self.rules:
            return []
        return self._lexical.search(text, self.rules, int(limit * OVERFETCH), self._hidden_keys)

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
        return self._lexical.statistics(text, language, self.rules, self._hidden_keys)

    def candidates(self, keys: Sequence[str]) -> list[Candidate]:
        """Read chunks by key, in the order asked; those not visible at the pinned version are left out."""
        return self._read(keys)[0]

    def _read(self, keys: Sequence[str]) -> tuple[list[Candidate], dict[str, int]]:
        """Candidates in the order asked, and the commit that wrote each."""
        if not keys or not self.rules:
            return [], {}
        columns = [*PASSAGE_COLUMNS, "key", "seq", "vector", "sentence_vectors", "word_vectors"]
        where = col("key").isin(list(keys)) & self._visible()
        rows = {
            row["key"]: row for row in self._chunks.search().where(where).select(columns).limit(len(keys)).to_list()
        }
        read = [self._candidate(rows[key]) for key in keys if key in rows]
        return read, {key: int(row["seq"]) for key, row in rows.items()}

    def versions(self, passages: Iterable[Passage]) -> dict[tuple[str, int], Version]:
        """The versions that passages are slices of."""
        return self._tables.versions({(p.tenant_id, p.document_id, p.document_version) for p in passages})

    def _seqs(self, keys: Sequence[str]) -> dict[str, int]:
        if not keys:
            return {}
        where = col("key").isin(list(keys)) & self._visible()
        rows = self._chunks.search().where(where).select(["key", "seq"]).limit(len(keys)).to_list()
        return {row["key"]: int(row["seq"]) for row in rows}

    def _candidate(self, row: dict[str, Any]) -> Candidate:
        vector = np.asarray(row["vector"], dtype=np.float32)
        sentences = dequantise(row["sentence_vectors"] or b"", len(vector))
        return Candidate(row["key"], passage_from_row(row), vector, sentences, row["word_vectors"] or b"")

    def _visible(self) -> Expr:
        visible = (col("tenant_id") == lit(self.tenant_id)) & col("rule_id").isin(sorted(self.rules))
        return visible & ~col("document_id").isin(sorted(self.hidden)) if self.hidden else visible
