"""Order candidates by scores on one scale: best sentence, the question's words found, and late interaction.

Ranks are not joined, scores are: so a strong hit of one half is not pulled down by the other. A passage in another
language than the question's cannot hold its words, so it has weights of its own and is not asked for them. The weights
and where they come from: `calibration`; how they were measured: `docs/benchmarks.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.domain.evidence import Passage, Scores
from core.index.analysis import PLAIN, terms
from core.index.schema import Vector
from core.index.snapshot import Candidate
from core.retrieval.calibration import Weights, calibration
from core.retrieval.codes import held
from core.retrieval.coverage import QuestionTerms
from core.retrieval.interaction import QuestionWords, Similarity, max_similarities
from core.retrieval.names import missing

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
    names: Mapping[str, float] = field(default_factory=dict)
    """What the question names, and what each counts: `core.retrieval.names.weighed_names`."""
    codes: frozenset[str] = frozenset()
    """The codes that it names: `core.retrieval.codes.codes_of`."""


def rerank(asked: AskedFor, candidates: Sequence[Candidate], found: Callable[[str], Scores]) -> list[Passage]:
    """Score candidates and order them, best first; `found` is what the halves of the search said of a key."""
    similar = _interaction(asked.words, candidates)
    ranking = calibration().fitted(words=bool(similar)).ranking
    around = _documents(candidates) if asked.names else {}
    passages = []
    for candidate in candidates:
        passage = _measured(asked, candidate, found(candidate.key), similar.get(candidate.key), around)
        weights = ranking.of(same_language=passage.language == asked.language)
        total = linear(weights, passage.scores)
        passages.append(replace(passage, scores=replace(passage.scores, reranked=total)))
    return sorted(passages, key=lambda p: -p.scores.reranked)


def linear(weights: Weights, scores: Scores, gap: float = 0.0) -> float:
    """The value of a linear form for one passage."""
    return (
        weights.bias
        + weights.dense * (scores.dense or 0.0)
        + weights.best_sentence * scores.best_sentence
        + weights.coverage * scores.coverage
        + weights.best_sentence_coverage * scores.best_sentence_coverage
        + weights.interaction * (scores.interaction or 0.0)
        + weights.weakest_word * (scores.weakest_word or 0.0)
        + weights.names_missing * scores.names_missing
        + weights.holds_code * scores.holds_code
        + weights.gap * gap
    )


def _interaction(words: QuestionWords | None, candidates: Sequence[Candidate]) -> dict[str, Similarity]:
    """Late interaction by key: of all or of none, since a missing value cannot be compared with a number."""
    packed = [candidate.word_vectors for candidate in candidates if candidate.word_vectors]
    if words is None or len(packed) < len(candidates):
        return {}
    keys = [candidate.key for candidate in candidates]
    return dict(zip(keys, max_similarities(words, packed), strict=True))


def _documents(candidates: Sequence[Candidate]) -> dict[str, set[str]]:
    """The unstemmed terms of each document, as far as it is among the candidates."""
    found: dict[str, set[str]] = {}
    for candidate in candidates:
        found.setdefault(candidate.passage.document_id, set()).update(terms(candidate.said, PLAIN))
    return found


def _measured(
    asked: AskedFor,
    candidate: Candidate,
    scores: Scores,
    similar: Similarity | None,
    around: Mapping[str, set[str]],
) -> Passage:
    """A candidate with its similarities, not yet joined."""
    passage = candidate.passage
    wanted = asked.terms[passage.language]
    dense = float(candidate.vector @ asked.vector)
    cosines = [float(value) for value in candidate.sentence_vectors @ asked.vector]
    said = candidate.said
    coverages = [
        wanted.coverage(terms(passage.text[s - passage.start : e - passage.start], passage.language))
        for s, e in passage.sentences
    ]
    return replace(
        passage,
        scores=replace(
            scores,
            dense=dense,
            coverage=wanted.coverage(terms(said, passage.language)),
            best_sentence=max(cosines, default=dense),
            best_sentence_coverage=max(coverages, default=0.0),
            interaction=similar.mean if similar else None,
            weakest_word=similar.weakest if similar else None,
            names_missing=missing(asked.names, terms(said, PLAIN), around.get(passage.document_id, ())),
            holds_code=held(asked.codes, passage),
        ),
        sentence_scores=tuple(
            cosine + SENTENCE_COVERAGE_WEIGHT * share for cosine, share in zip(cosines, coverages, strict=True)
        ),
    )
