"""How likely the passages answer the question, as a calibrated probability, and whether to try at all.

A logistic model over features of the best passage; same-language and cross-language questions have models of their own,
since the same cosine means different things for them. The coefficients and their provenance: `calibration.json`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from core.domain.evidence import Passage
from core.retrieval.calibration import calibration
from core.retrieval.rerank import linear
from core.settings import Mode

THRESHOLDS: Mapping[Mode, float] = calibration().thresholds
"""Least probability at which each mode answers."""
RIVALS = 5
"""Passages after the best that it is compared with."""


def confidence(ranked: Sequence[Passage], question_language: str) -> float:
    """The probability (0–1) that the best passages answer; 0 without passages."""
    if not ranked:
        return 0.0
    best = ranked[0]
    fitted = calibration().fitted(words=best.scores.interaction is not None)
    weights = fitted.confidence.of(same_language=best.language == question_language)
    return sigmoid(linear(weights, best.scores, gap(ranked)))


def sigmoid(logit: float) -> float:
    """The probability (0–1) of a logit."""
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))


def gap(ranked: Sequence[Passage]) -> float:
    """How far the best passage is above the mean of those after it; copies of it are no rivals."""
    best = ranked[0]
    others = [p.scores.reranked for p in ranked[1 : RIVALS + 1] if p.content_hash != best.content_hash]
    return best.scores.reranked - sum(others) / len(others) if others else 0.0
