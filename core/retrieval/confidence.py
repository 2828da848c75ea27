"""How likely the passages answer the question, as a calibrated probability, and whether to try at all.

A logistic model over features of the best passage; same-language and cross-language questions have models of their own,
since the same cosine means different things for them. The coefficients and their provenance: `docs/benchmarks.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.domain.evidence import Passage
from core.settings import Mode

THRESHOLDS = {Mode.STRICT: 0.73, Mode.BALANCED: 0.5, Mode.OPEN: 0.2}
"""Least probability at which each mode answers."""


def confidence(ranked: Sequence[Passage], question_language: str) -> float:
    """The probability (0–1) that the best passages answer; 0 without passages."""
    if not ranked:
        return 0.0
    best = ranked[0].scores
    others = [p.scores.reranked for p in ranked[1:6] if p.content_hash != ranked[0].content_hash]
    gap = best.reranked - sum(others) / len(others) if others else 0.0
    if ranked[0].language == question_language:
        logit = (
            7.93 * best.best_sentence + 3.72 * best.coverage + 1.93 * best.best_sentence_coverage + 5.21 * gap - 8.87
        )
    else:
        logit = 12.16 * best.best_sentence + 7.90 * gap - 7.63
    return 1.0 / (1.0 + math.exp(-logit))
