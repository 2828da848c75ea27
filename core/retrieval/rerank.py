"""Order candidates by scores on one scale: best sentence, the question's words found, and late interaction.

Ranks are not joined, scores are: so a strong hit of one half is not pulled down by the other. A passage in another
language than the question's cannot hold its words, so it has weights of its own and is not asked for them. The weights
and where they come from: `calibration`; how they were measured: `docs/benchmarks.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain.evidence import Passage, Scores
from core.index.analysis import terms
from core.index.schema import Vector
from core.index.snapshot import Candidate
from core.retrieval.calibration import Weights, calibration
from core.retrieval.coverage import QuestionTerms
from core.retrieval.interaction import QuestionWords, max_similarities

SENTENCE_COVERAGE_WEIGHT = 0.3
"""What the question's words count against the cosine when sentences of a passage are compared with each other."""


@dataclass(frozen=True, slots=True, eq=False)
class AskedFor:
    """A question, ready to be compared with passages."""

    language: str
    vector: Vector
    """(d,), L2-normalised."""
    words: QuestionWords | None
    terms: Mapping[str, QuestionTerms]
    """The question's terms as each passage language analyses them."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Passages, best first, and what late interaction said of each by chunk id; empty where no words are stored."""

    passages: list[Passage]
    interaction: Mapping[str, float]


def rerank(asked: AskedFor, candidates: Sequence[Candidate], found: Callable[[str], Scores]) -> Ranked:
    """Score candidates and order them, best first; `found` is what the halves of the search said of a key."""
    similar = _interaction(asked.words, candidates)
    ranking = calibration().fitted(words=bool(similar)).ranking
    passages = []
    for candidate in candidates:
        passage = _measured(asked, candidate, found(candidate.key))
        weights = ranking.of(same_language=passage.language == asked.language)
        total = linear(weights, passage.scores, similar.get(passage.chunk_id))
        passages.append(replace(passage, scores=replace(passage.scores, reranked=total)))
    return Ranked(sorted(passages, key=lambda p: -p.scores.reranked), similar)


def linear(weights: Weights, scores: Scores, interaction: float | None, gap: float = 0.0) -> float:
    """The value of a linear form for one passage."""
    return (
        weights.bias
        + weights.dense * (scores.dense or 0.0)
        + weights.best_sentence * scores.best_sentence
        + weights.coverage * scores.coverage
        + weights.best_sentence_coverage * scores.best_sentence_coverage
        + weights.interaction * (interaction or 0.0)
        + weights.gap * gap
    )


def _interaction(words: QuestionWords | None, candidates: Sequence[Candidate]) -> dict[str, float]:
    """Late interaction by chunk id: of all or of none, since a missing value cannot be compared with a number."""
    packed = [candidate.word_vectors for candidate in candidates if candidate.word_vectors]
    if words is None or len(packed) < len(candidates):
        return {}
    chunk_ids = [candidate.passage.chunk_id for candidate in candidates]
    return dict(zip(chunk_ids, max_similarities(words, packed), strict=True))


def _measured(asked: AskedFor, candidate: Candidate, scores: Scores) -> Passage:
    """A candidate with its similarities, not yet joined."""
    passage = candidate.passage
    wanted = asked.terms[passage.language]
    dense = float(candidate.vector @ asked.vector)
    cosines = [float(value) for value in candidate.sentence_vectors @ asked.vector]
    found = terms(f"{passage.context}\n{passage.text}", passage.language)
    coverages = [
        wanted.coverage(terms(passage.text[s - passage.start : e - passage.start], passage.language))
        for s, e in passage.sentences
    ]
    return replace(
        passage,
        scores=replace(
            scores,
            dense=dense,
            coverage=wanted.coverage(found),
            best_sentence=max(cosines, default=dense),
            best_sentence_coverage=max(coverages, default=0.0),
        ),
        sentence_scores=tuple(
            cosine + SENTENCE_COVERAGE_WEIGHT * share for cosine, share in zip(cosines, coverages, strict=True)
        ),
    )
