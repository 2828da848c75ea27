"""Fit what `calibration.json` holds: ranking weights by a conditional logit, confidence by logistic regression.

The conditional logit (McFadden 1974; the loss of ListNet's top one) raises the probability that a right candidate is
chosen from its list. Every list counts the same within its scenario, every scenario the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]  # it has no stubs

from core.retrieval.calibration import Fitted, Pair, Weights
from tests.benchmarks.asking import FEATURES, Best, Floats, Seen, best_of

N = len(FEATURES)
WITH_WORDS = ({"best_sentence", "coverage", "interaction"}, {"best_sentence", "interaction"})
"""Features of the ranking, for passages in the question's language and in another."""
WITHOUT_WORDS = ({"dense", "best_sentence", "coverage", "best_sentence_coverage"}, {"dense", "best_sentence"})
RIDGE = 3e-6
START = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Weights over FEATURES for both kinds, and what a passage in another language is given or loses."""

    same: Floats
    across: Floats
    bias: float

    def totals(self, seen: Seen) -> Floats:
        """(candidates,)."""
        other = seen.features @ self.across + self.bias
        totals: Floats = np.where(seen.same, seen.features @ self.same, other)
        return totals


def fit_ranking(scenarios: Sequence[Sequence[Seen]], *, words: bool) -> Ranking:
    """Fit on questions, scenario by scenario; the weight of the best sentence in the own language becomes 1."""
    allowed = WITH_WORDS if words else WITHOUT_WORDS
    mask = np.array([name in allowed[0] for name in FEATURES] + [name in allowed[1] for name in FEATURES] + [True])
    lists = [[_design(seen) for seen in scenario if seen.right.any()] for scenario in scenarios]
    packed = [_padded(scenario) for scenario in lists if scenario]

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, slope = 0.0, np.zeros_like(weights)
        for design, right, held in packed:
            scores = np.where(held, design @ (weights * mask), -np.inf)
            odds = np.exp(scores - scores.max(axis=1, keepdims=True))
            chosen = odds / odds.sum(axis=1, keepdims=True)
            good = (chosen * right).sum(axis=1, keepdims=True)
            total -= float(np.log(good + 1e-12).mean())
            pull = chosen * right / np.maximum(good, 1e-12) - chosen
            slope -= np.einsum("nk,nkf->f", pull, design) / len(design)
        count = len(packed)
        return total / count + RIDGE * float(weights @ weights), (slope / count + 2 * RIDGE * weights) * mask

    fitted = minimize(loss, np.where(mask, START, 0.0) * np.r_[np.ones(2 * N), 0], jac=True, method="L-BFGS-B").x
    scaled = fitted * mask / fitted[FEATURES.index("best_sentence")]
    return Ranking(scaled[:N], scaled[N : 2 * N], float(scaled[-1]))


CONFIDENCE = (
    "dense",
    "best_sentence",
    "coverage",
    "best_sentence_coverage",
    "interaction",
    "weakest_word",
    "names_missing",
    "holds_code",
    "gap",
)
LESS_IS_BETTER = frozenset({"names_missing"})
RIDGE_C = 30.0


@dataclass(frozen=True, slots=True)
class Kind:
    """Questions of one kind: their first passages, whether they have an answer, and how much all of them count."""

    answerable: bool
    bests: Sequence[Best]
    weight: float = 1.0


def fit_confidence(kinds: Sequence[Kind], *, words: bool, same: bool) -> dict[str, float]:
    """Fit the logit from first passages of answerable questions and of kinds of unanswerable ones.

    A kind counts by its weight, however many questions it has, so probabilities are those of a mix by weights.
    """
    names = [name for name in CONFIDENCE if words or name not in {"interaction", "weakest_word"}]
    columns = [(*FEATURES, "gap").index(name) for name in names]
    judged = [(kind, [best for best in kind.bests if best.same is same]) for kind in kinds]
    judged = [(kind, bests) for kind, bests in judged if bests]
    features = np.array([best.features[columns] for _, bests in judged for best in bests])
    labels = np.array([float(kind.answerable) for kind, bests in judged for _ in bests])
    most = max(len(bests) for _, bests in judged)
    weights = np.array([kind.weight * most / len(bests) for kind, bests in judged for _ in bests])
    return dict(zip((*names, "bias"), _fit_logit(names, features, labels, weights), strict=True))


def _fit_logit(names: Sequence[str], features: Floats, labels: Floats, weights: Floats) -> list[float]:
    """Weighted logistic regression with a ridge, each weight on the side of nought where its feature belongs.

    Left free, features that say nearly the same (sentence and passage, word by word and cosine) get large weights of
    opposite signs, and what only few questions have (`holds_code`) gets one by chance: -3.6 across languages, so that a
    passage with the very code that was asked for counted as the worse answer.
    """
    design = np.c_[features, np.ones(len(features))]
    signs = 2.0 * labels - 1.0
    ridge = np.r_[np.full(len(names), 1 / RIDGE_C), 0.0]

    def loss(w: Floats) -> tuple[float, Floats]:
        margins = signs * (design @ w)
        slope = -(weights * signs / (1 + np.exp(margins))) @ design + ridge * w
        return float((weights * np.logaddexp(0, -margins)).sum() + (ridge * w * w).sum() / 2), slope

    bounds = [(None, 0.0) if name in LESS_IS_BETTER else (0.0, None) for name in names] + [(None, None)]
    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", bounds=bounds)
    return [float(value) for value in found.x]


def logit(weights: dict[str, float], best: Best) -> float:
    """The confidence of one question, as a logit."""
    named = dict(zip((*FEATURES, "gap"), best.features, strict=True))
    return weights["bias"] + sum(value * float(named[name]) for name, value in weights.items() if name != "bias")


def as_fitted(ranking: Ranking, same: dict[str, float], across: dict[str, float]) -> Fitted:
    """What was fitted, in the form that is shipped."""

    def weights(values: Floats, bias: float = 0.0) -> Weights:
        return Weights(**{n: round(float(v), 3) for n, v in zip(FEATURES, values, strict=True)}, bias=round(bias, 3))

    def rounded(values: dict[str, float]) -> Weights:
        return Weights(**{name: round(value, 2) for name, value in values.items()})

    return Fitted(
        ranking=Pair(same=weights(ranking.same), across=weights(ranking.across, ranking.bias)),
        confidence=Pair(same=rounded(same), across=rounded(across)),
    )


def bests(scenario: Sequence[Seen], ranking: Ranking) -> list[Best]:
    """The first passages of a scenario's questions under a ranking."""
    return [best_of(seen, ranking.totals(seen)) for seen in scenario]


def _design(seen: Seen) -> tuple[Floats, Floats]:
    same = seen.same[:, None]
    rows = np.concatenate([seen.features * same, seen.features * ~same, ~same], axis=1, dtype=np.float64)
    return rows, seen.right.astype(np.float64)


def _padded(lists: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats, Floats]:
    most = max(len(right) for _, right in lists)
    design = np.zeros((len(lists), most, 2 * N + 1))
    right = np.zeros((len(lists), most))
    held = np.zeros((len(lists), most), bool)
    for i, (rows, good) in enumerate(lists):
        design[i, : len(good)], right[i, : len(good)], held[i, : len(good)] = rows, good, True
    return design, right, held
