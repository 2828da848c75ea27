"""How well confidence tells when to answer: the risk–coverage curve, its area, and calibration.

*Risk* is the share of wrong among the questions answered at a threshold, *coverage* the share answered (El-Yaniv &
Wiener, JMLR 2010); the area under the curve is AURC (Geifman, Uziel & El-Yaniv, ICLR 2019). The expected calibration
error (Naeini, Cooper & Hauskrecht, AAAI 2015) has bins of equal width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BINS = 10

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bin:
    """Questions whose confidence lies in a tenth of the scale."""

    low: float
    high: float
    count: int
    confidence: float
    """Their mean confidence."""
    right: float
    """The share of them that is right."""


def risk_coverage(confidence: Floats, right: Floats) -> tuple[Floats, Floats]:
    """The curve, from the surest question to all: coverage and risk, (n,) each.

    Questions of equal confidence cannot be told apart: among them the risk is that of a random order.
    """
    order = np.argsort(-confidence, kind="stable")
    sure, wrong = confidence[order], 1.0 - right[order]
    groups = np.concatenate([[0], np.cumsum(np.diff(sure) != 0)])
    sizes = np.bincount(groups)
    expected = (np.bincount(groups, weights=wrong) / sizes)[groups]
    answered = np.arange(1, len(sure) + 1)
    return answered / len(sure), np.cumsum(expected) / answered


def aurc(confidence: Floats, right: Floats) -> float:
    """The mean risk over all coverages: 0 is best, the share of wrong is what random confidence gives."""
    return float(risk_coverage(confidence, right)[1].mean())


def best_aurc(right: Floats) -> float:
    """The area that the best possible order of these questions would have."""
    return aurc(right, right)


def expected_calibration_error(confidence: Floats, right: Floats) -> float:
    """How far confidence is from the share that is right, over the bins, weighed by their size."""
    which = _bins(confidence)
    gaps = np.abs(np.bincount(which, weights=right - confidence, minlength=BINS))
    return float(gaps.sum() / len(confidence))


def bins(confidence: Floats, right: Floats) -> Sequence[Bin]:
    """The bins that are not empty."""
    which = _bins(confidence)
    return [
        Bin(b / BINS, (b + 1) / BINS, int(here.sum()), float(confidence[here].mean()), float(right[here].mean()))
        for b in range(BINS)
        if (here := which == b).any()
    ]


def _bins(confidence: Floats) -> NDArray[np.int64]:
    return np.minimum((confidence * BINS).astype(np.int64), BINS - 1)
