"""One question against one snapshot: both halves at once, fusion, reranking, selection, confidence."""

from __future__ import annotations

import datetime as dt
import re
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

from core.domain.evidence import Passage, Scores
from core.embedding.space import VectorSpace
from core.index.analysis import terms
from core.index.interleaving import interleave
from core.index.lexical import LexicalHit
from core.index.schema import Vector
from core.index.snapshot import Candidate, Found, Hit, Snapshot
from core.retrieval.codes import codes_of, holding
from core.retrieval.coverage import QuestionTerms, question_terms, telling_words, without_amounts, without_asking
from core.retrieval.fusion import reciprocal_rank_fusion
from core.retrieval.interaction import LateInteraction, QuestionWords
from core.retrieval.names import weighed_names
from core.retrieval.rerank import AskedFor
from core.retrieval.reranker import PackagedReranker, Reranker
from core.retrieval.selection import Dropped, prefer_in_force, select, without_outdated

_WORD = re.compile(r"\w+")
RERANKED = 30
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
    respelled: Mapping[str, str] = field(default_factory=dict)
    """Words of the question that no visible text has, with the known word that each was also read as."""


@dataclass(frozen=True, slots=True)
class Halves:
    """What both halves of the search found, and the candidates of both, read."""

    dense: list[Hit]
    lexical: list[Hit]
    candidates: list[Candidate]


@dataclass(frozen=True, slots=True)
class _Named:
    """What the lexical half found, and where the pinned version has the first of it."""

    hits: list[LexicalHit]
    rows: dict[str, int]


class Searcher:
    """Searches snapshots. Safe to use from several threads."""

    def __init__(
        self,
        space: VectorSpace,
        *,
        candidates: int = 50,
        passages: int = 5,
        words: LateInteraction | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        """`words` compares word by word where the index stores word vectors; without it, sentences and terms decide."""
        self._reranker = reranker or PackagedReranker()
        self._space = space
        self._words = words
        self._candidates = candidates
        self._passages = passages
        self._halves = ThreadPoolExecutor(max_workers=8, thread_name_prefix="search")

    def search(self, snapshot: Snapshot, question: str, language: str, today: dt.date, *, typed: str = "") -> Retrieval:
        """Find, rank and weigh.

        Args:
            question: whole; a follow-up has been rewritten.
            language: its ISO code.
            typed: a follow-up as it was typed: what it names counts for more than what was named before.
        """
        timings: dict[str, float] = {}
        told = without_asking(question, language)
        lexical_half = self._lexical_half(snapshot, told, timings)
        with _stage(timings, "embed"):
            vector = self._space.embed_query(question, language)
            words = self._words.question(question, language) if self._words is not None else None
        halves = self._both(snapshot, told, vector, lexical_half, timings)
        with _stage(timings, "spelling"):
            respelled = _respelled(snapshot, question, language, halves)
            if respelled:
                halves = self._again(snapshot, told, respelled, halves)
        with _stage(timings, "rerank"):
            names = weighed_names(question, typed)
            asked = _asked(snapshot, question, language, vector, words, halves, respelled, names)
            found = _found(halves.dense, halves.lexical)
            ranked = self._reranker.rank(question, asked, halves.candidates, lambda key: found[key])
            passages = prefer_in_force(ranked, question, today)
            # A question about a code is answered only from what holds that code.
            answering = holding(codes_of(question), passages)
        readable = without_outdated(answering, question, today)
        selection = select(readable.kept, self._passages)
        return Retrieval(
            question=question,
            language=language,
            index_version=snapshot.version,
            visible_rules=len(snapshot.rules),
            kept=selection.kept,
            candidates=tuple(passages),
            dropped=(*readable.dropped, *selection.dropped),
            # What was replaced, and says nearly the same, is no rival of what holds today.
            confidence=self._reranker.confidence(readable.kept, language),
            timings=timings,
            respelled=respelled,
        )

    def find(self, snapshot: Snapshot, question: str, vector: Vector) -> Halves:
        """Search both halves at once for a question that was embedded before, and read what they found."""
        timings: dict[str, float] = {}
        return self._both(snapshot, question, vector, self._lexical_half(snapshot, question, timings), timings)

    def _again(self, snapshot: Snapshot, text: str, respelled: Mapping[str, str], halves: Halves) -> Halves:
        """Search by words once more, with those that the asker may have meant."""
        names = snapshot.lexical_names(text, self._candidates, list(respelled.values()))
        found = snapshot.found(halves.dense, names, RERANKED)
        return halves if found is None else Halves(halves.dense, found.lexical, found.candidates)

    def _lexical_half(self, snapshot: Snapshot, question: str, timings: dict[str, float]) -> Future[_Named]:
        def search() -> _Named:
            with _stage(timings, "lexical"):
                names = snapshot.lexical_names(question, self._candidates)
                return _Named(names, snapshot.rows_of([hit.key for hit in names[:RERANKED]]))

        return self._halves.submit(search)

    def _both(
        self,
        snapshot: Snapshot,
        question: str,
        vector: Vector,
        lexical_half: Future[_Named],
        timings: dict[str, float],
    ) -> Halves:
        with _stage(timings, "dense"):
            dense = snapshot.dense(vector, self._candidates)
        named = lexical_half.result()
        with _stage(timings, "read"):
            found = snapshot.found(dense, named.hits, RERANKED, named.rows)
            if found is None:  # the lexical index lags far behind
                lexical = snapshot.lexical(question, self._candidates)
                keys = interleave([[h.key for h in dense], [h.key for h in lexical]], RERANKED)
                found = Found(snapshot.candidates(keys), lexical)
        return Halves(dense, found.lexical, found.candidates)


def _asked(
    snapshot: Snapshot,
    question: str,
    language: str,
    vector: Vector,
    words: QuestionWords | None,
    halves: Halves,
    respelled: Mapping[str, str],
    names: Mapping[str, float],
) -> AskedFor:
    languages = {c.passage.language for c in halves.candidates}
    wanted = {name: _terms(snapshot, question, name, respelled) for name in languages}
    return AskedFor(language, vector, words, wanted, names, codes_of(question))


def _terms(snapshot: Snapshot, question: str, language: str, respelled: Mapping[str, str]) -> QuestionTerms:
    return question_terms(snapshot.statistics(telling_words(without_amounts(question), language), language), respelled)


def _respelled(snapshot: Snapshot, question: str, language: str, halves: Halves) -> dict[str, str]:
    """Known words for those of the question that nothing found holds; slips show only within one language."""
    said = {
        term
        for candidate in halves.candidates
        if candidate.passage.language == language
        for term in terms(candidate.said, language)
    }
    if not said:
        return {}
    written = _WORD.findall(without_asking(question, language))
    return snapshot.respelled([word for word in written if not said.intersection(terms(word, language))], language)


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


@contextmanager
def _stage(timings: dict[str, float], name: str) -> Iterator[None]:
    begun = time.perf_counter()
    try:
        yield
    finally:
        timings[name] = round((time.perf_counter() - begun) * 1000, 2)
