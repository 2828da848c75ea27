"""Confidence intervals by bootstrap, and whether a run is worse than a baseline by a paired randomisation test.

The bootstrap draws questions anew (Efron & Tibshirani 1993, percentiles). The test (Fisher 1935; for retrieval:
Smucker, Allan & Carterette, CIKM 2007) supposes that it makes no difference which of the two runs gave which of a
question's two results, and counts how often a difference as bad comes about by exchanging them. The seed is fixed: the
same results give the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from core.evaluation.abstention import Floats

SEED = 20_261_129
RESAMPLES = 2_000
RANDOMISATIONS = 4_096
EXACT_UP_TO = 12
"""Up to so many questions that differ, every exchange is tried: 4,096 of them."""
COVERED = 0.95
ROUNDING = 1e-9
"""Sums in another order differ by less: they count as equal."""

Statistic = Callable[[Floats], float]
"""Of rows, (n, columns), one a question."""


def interval(rows: Floats, statistic: Statistic) -> tuple[float, float]:
    """The interval that holds 95 % of the statistic over questions drawn anew; rows are (n, columns)."""
    drawn = np.random.default_rng(SEED).integers(0, len(rows), (RESAMPLES, len(rows)))
    values = rows[:, 0][drawn].mean(axis=1) if statistic is mean else [statistic(rows[each]) for each in drawn]
    low, high = np.quantile(values, [(1 - COVERED) / 2, (1 + COVERED) / 2])
    return float(low), float(high)


def mean(rows: Floats) -> float:
    """The statistic of most metrics: the mean of the one column."""
    return float(rows.mean())


def worse_by_chance(before: Floats, now: Floats, statistic: Statistic, *, higher_is_better: bool) -> float:
    """The probability that `now` looks so much worse than `before` although neither run is better; one-sided.

    Args:
        before: rows of the baseline, (n, columns).
        now: rows of the run, of the same questions in the same order.
        statistic: what is compared.
        higher_is_better: which direction is worse.
    """
    sign = -1.0 if higher_is_better else 1.0
    differing = np.flatnonzero((before != now).any(axis=1))
    if not len(differing):
        return 1.0
    exchanges = _exchanges(len(differing))
    if statistic is mean:
        difference = (now - before)[differing, 0]
        differences = np.where(exchanges, -difference, difference).sum(axis=1) / len(before)
    else:
        differences = np.array([_exchanged(before, now, differing[each], statistic) for each in exchanges])
    observed = sign * (statistic(now) - statistic(before))
    as_bad = int((sign * differences >= observed - ROUNDING).sum())
    # The exact test has tried the observed order too; a sample counts it once (Phipson & Smyth 2010).
    exact = len(differing) <= EXACT_UP_TO
    return as_bad / len(exchanges) if exact else (as_bad + 1) / (len(exchanges) + 1)


def _exchanged(before: Floats, now: Floats, rows: NDArray[np.intp], statistic: Statistic) -> float:
    """The difference with these rows exchanged."""
    one, other = before.copy(), now.copy()
    one[rows], other[rows] = now[rows], before[rows]
    return statistic(other) - statistic(one)


def _exchanges(count: int) -> NDArray[np.bool_]:
    """Which questions are exchanged, (tried, count)."""
    if count <= EXACT_UP_TO:
        return np.array(list(product((False, True), repeat=count)), bool)
    return np.random.default_rng(SEED).random((RANDOMISATIONS, count)) < 0.5
