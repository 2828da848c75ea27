"""Order candidates by scores on one scale: whole passage, best sentence, and the question's words found in each.

The weights and their measurement stand in `docs/benchmarks.md`; the form (dense + best sentence + idf coverage) is what
keeps a strong hit of one half from being pulled down by the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from core.domain.evidence import Passage, Scores
from core.index.analysis import terms
from core.index.schema import Vector
from core.index.snapshot import Candidate
from core.retrieval.coverage import QuestionTerms

COVERAGE_WEIGHT = 0.3
SENTENCE_COVERAGE_WEIGHT = 0.15


def rerank(
    query: Vector,
    candidates: Sequence[Candidate],
    terms_by_language: Mapping[str, QuestionTerms],
    found: Callable[[str], Scores],
) -> list[Passage]:
    """Score candidates and order them, best first.

    Args:
        query: the question's vector, (d,), L2-normalised.
        candidates: what both halves brought.
        terms_by_language: the question's terms as each passage language analyses them.
        found: what the halves said of a key.
    """
    scored = []
    for candidate in candidates:
        passage = candidate.passage
        wanted = terms_by_language[passage.language]
        dense = float(candidate.vector @ query)
        coverage = wanted.coverage(terms(f"{passage.context}\n{passage.text}", passage.language))
        cosines, coverages = _sentences(query, candidate, wanted)
        best_sentence = max(cosines, default=dense)
        best_coverage = max(coverages, default=0.0)
        total = dense + best_sentence + COVERAGE_WEIGHT * coverage + SENTENCE_COVERAGE_WEIGHT * best_coverage
        scores = replace(
            found(candidate.key),
            dense=dense,
            coverage=coverage,
            best_sentence=best_sentence,
            best_sentence_coverage=best_coverage,
            reranked=total,
        )
        by_sentence = tuple(c + COVERAGE_WEIGHT * v for c, v in zip(cosines, coverages, strict=True))
        scored.append(replace(passage, scores=scores, sentence_scores=by_sentence))
    return sorted(scored, key=lambda p: -p.scores.reranked)


def _sentences(query: Vector, candidate: Candidate, wanted: QuestionTerms) -> tuple[list[float], list[float]]:
    """For each sentence its cosine with the question, and the share of the question's words found in it."""
    passage = candidate.passage
    cosines = [float(value) for value in candidate.sentence_vectors @ query]
    coverages = [
        wanted.coverage(terms(passage.text[s - passage.start : e - passage.start], passage.language))
        for s, e in passage.sentences
    ]
    return cosines, coverages
