"""One question against one snapshot: both halves at once, fusion, reranking, selection, confidence."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from core.domain.evidence import Passage, Scores
from core.embedding.space import VectorSpace
from core.index.snapshot import Hit, Snapshot
from core.retrieval.confidence import confidence
from core.retrieval.coverage import QuestionTerms, question_terms
from core.retrieval.fusion import interleave, reciprocal_rank_fusion
from core.retrieval.rerank import rerank
from core.retrieval.selection import Dropped, prefer_in_force, select

RERANKED = 40
"""Candidates whose vectors are read and reranked."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What was found. `candidates` are all that were reranked, best first; `kept` those that will be read."""

    question: str
    language: str
    index_version: int
    visible_rules: int
    kept: tuple[Passage, ...]
    candidates: tuple[Passage, ...]
    dropped: tuple[Dropped, ...]
    confidence: float
    timings: Mapping[str, float]
    """Milliseconds by stage."""


class Searcher:
    """Searches snapshots. Safe to use from several threads."""

    def __init__(self, space: VectorSpace, *, candidates: int = 50, passages: int = 5) -> None:
        self._space = space
        self._candidates = candidates
        self._passages = passages
        self._halves = ThreadPoolExecutor(max_workers=8, thread_name_prefix="search")

    def search(self, snapshot: Snapshot, question: str, language: str, today: dt.date) -> Retrieval:
        """Find, rank and weigh. `question` is whole (a follow-up has been rewritten), `language` its ISO code."""
        timings: dict[str, float] = {}
        lexical_half = self._halves.submit(_timed, timings, "lexical", snapshot.lexical, question, self._candidates)
        with _stage(timings, "embed"):
            vector = self._space.embed_query(question, language)
        with _stage(timings, "dense"):
            dense = snapshot.dense(vector, self._candidates)
        lexical = lexical_half.result()
        with _stage(timings, "read"):
            keys = interleave([[h.key for h in dense], [h.key for h in lexical]], RERANKED)
            candidates = snapshot.candidates(keys)
        with _stage(timings, "rerank"):
            languages = {c.passage.language for c in candidates}
            by_language = {name: _terms(snapshot, question, name) for name in languages}
            found = _found(dense, lexical)
            ranked = rerank(vector, candidates, by_language, lambda key: found[key])
            ranked = prefer_in_force(ranked, question, today)
        selection = select(ranked, self._passages)
        return Retrieval(
            question=question,
            language=language,
            index_version=snapshot.version,
            visible_rules=len(snapshot.rules),
            kept=selection.kept,
            candidates=tuple(ranked),
            dropped=selection.dropped,
            confidence=confidence(ranked, language),
            timings=timings,
        )


def _terms(snapshot: Snapshot, question: str, language: str) -> QuestionTerms:
    return question_terms(snapshot.statistics(question, language))


def _found(dense: list[Hit], lexical: list[Hit]) -> dict[str, Scores]:
    fused = dict(reciprocal_rank_fusion([[h.key for h in dense], [h.key for h in lexical]]))
    by_dense = {h.key: h for h in dense}
    by_lexical = {h.key: h for h in lexical}
    return {
        key: Scores(
            dense=by_dense[key].score if key in by_dense else None,
            dense_rank=by_dense[key].rank if key in by_dense else None,
            lexical=by_lexical[key].score if key in by_lexical else None,
            lexical_rank=by_lexical[key].rank if key in by_lexical else None,
            fused=score,
        )
        for key, score in fused.items()
    }


def _timed(timings: dict[str, float], name: str, search: object, question: str, limit: int) -> list[Hit]:
    with _stage(timings, name):
        return search(question, limit)  # type: ignore[no-any-return, operator]  # a bound method of Snapshot


@contextmanager
def _stage(timings: dict[str, float], name: str) -> Iterator[None]:
    begun = time.perf_counter()
    try:
        yield
    finally:
        timings[name] = round((time.perf_counter() - begun) * 1000, 2)
