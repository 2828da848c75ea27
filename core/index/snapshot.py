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
from core.index.lance import Expr, col, lit
from core.index.lexical import LexicalIndex, TermStatistics
from core.index.schema import PASSAGE_COLUMNS, Vector, dequantise, passage_from_row
from core.index.tables import Tables

BRUTE_FORCE_ROWS = 20_000
"""Up to so many visible rows an exact scan is quicker than the vector index, and never returns fewer than k."""
OVERFETCH = 1.5
"""Share of lexical hits asked for beyond the limit, for those that the pinned version drops."""


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


class Snapshot:
    """A pinned version of the chunks table, seen through the rules that an audience satisfies."""

    def __init__(
        self, tables: Tables, chunks: Any, version: int, lexical: LexicalIndex, tenant_id: str, rules: Collection[int]
    ) -> None:
        self._tables = tables
        self._chunks = chunks
        self._lexical = lexical
        self.version = version
        self.tenant_id = tenant_id
        self.rules = frozenset(rules)

    def dense(self, vector: Vector, limit: int) -> list[Hit]:
        """The nearest visible chunks by cosine, best first."""
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
        if self._chunks.count_rows(where.to_sql()) <= BRUTE_FORCE_ROWS:
            search = search.bypass_vector_index()
        else:
            search = search.minimum_nprobes(50).maximum_nprobes(0).refine_factor(10)
        rows = search.to_list()
        # Lance's `dot` distance is 1 − a·b: on normalised vectors, one minus the cosine.
        return [Hit(row["key"], 1.0 - row["_distance"], i) for i, row in enumerate(rows, 1)]

    def lexical(self, text: str, limit: int) -> list[Hit]:
        """The best visible chunks by BM25, best first, as the pinned version has them."""
        if not self.rules:
            return []
        wanted = limit
        while True:
            found = self._lexical.search(text, self.rules, int(wanted * OVERFETCH))
            seqs = self._seqs([hit.key for hit in found])
            true = [hit for hit in found if seqs.get(hit.key) == hit.seq]
            exhausted = len(found) < int(wanted * OVERFETCH)
            if len(true) >= limit or exhausted or wanted > 50 * limit:
                return [Hit(hit.key, hit.score, i) for i, hit in enumerate(true[:limit], 1)]
            wanted *= 4  # the index lags far behind: look further down

    def statistics(self, text: str, language: str) -> TermStatistics:
        """Document frequencies of a text's terms among the visible chunks."""
        return self._lexical.statistics(text, language, self.rules)

    def candidates(self, keys: Sequence[str]) -> list[Candidate]:
        """Read chunks by key, in the order asked; those not visible at the pinned version are left out."""
        if not keys or not self.rules:
            return []
        columns = [*PASSAGE_COLUMNS, "key", "vector", "sentence_vectors"]
        where = col("key").isin(list(keys)) & self._visible()
        rows = {
            row["key"]: row for row in self._chunks.search().where(where).select(columns).limit(len(keys)).to_list()
        }
        return [self._candidate(rows[key]) for key in keys if key in rows]

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
        return Candidate(row["key"], passage_from_row(row), vector, sentences)

    def _visible(self) -> Expr:
        return (col("tenant_id") == lit(self.tenant_id)) & col("rule_id").isin(sorted(self.rules))
