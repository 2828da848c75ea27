"""A run of a set as numbers: each metric with its interval, times, tokens, and what is needed to compare runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.domain.evidence import TokenUse
from core.evaluation import abstention
from core.evaluation.abstention import Bin, Floats
from core.evaluation.metrics import AURC, ECE, ByQuestion, values
from core.evaluation.outcome import Outcome
from core.evaluation.significance import Statistic, interval, mean

STATISTICS: Mapping[str, Statistic] = {
    AURC.name: lambda rows: abstention.aurc(rows[:, 0], rows[:, 1]),
    ECE.name: lambda rows: abstention.expected_calibration_error(rows[:, 0], rows[:, 1]),
}
"""Metrics of the whole set, over rows of (confidence, right)."""

Rows = Mapping[str, tuple[float, ...]]
"""What a metric is computed from: one row a question, by its id."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A metric's value with the interval that holds it in 95 of 100 sets like this one."""

    value: float
    low: float
    high: float
    questions: int


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of one stage."""

    p50: float
    p95: float
    p99: float
    questions: int


@dataclass(frozen=True, slots=True)
class Curve:
    """Risk–coverage, from the surest question to all."""

    coverage: tuple[float, ...]
    risk: tuple[float, ...]
    best_aurc: float
    """The area that the best order of these questions would have."""
    random_aurc: float
    """The area that no order at all has: the share of wrong."""


@dataclass(frozen=True, slots=True)
class Spending:
    """Tokens and US dollars of a whole run; no model, no tokens. `cost_usd` is None where no price is known."""

    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Numbers:
    """All numbers of a run."""

    metrics: Mapping[str, Measured]
    rows: Mapping[str, Rows]
    latency: Mapping[str, Latency]
    curve: Curve
    bins: tuple[Bin, ...]
    writer: Spending | None
    judge: Spending | None


def measure(outcomes: Sequence[Outcome]) -> Numbers:
    """Compute everything. There is at least one outcome."""
    rows = rows_of(outcomes)
    confidence, right = _decision_columns(outcomes)
    coverage, risk = abstention.risk_coverage(confidence, right)
    return Numbers(
        metrics={name: _measured(name, by_question) for name, by_question in rows.items()},
        rows=rows,
        latency=_latency(outcomes),
        curve=Curve(
            tuple(coverage.tolist()), tuple(risk.tolist()), abstention.best_aurc(right), float(1 - right.mean())
        ),
        bins=tuple(abstention.bins(confidence, right)),
        writer=_spending([o.use for o in outcomes]),
        judge=_spending([o.faithfulness.use for o in outcomes if o.faithfulness is not None]),
    )


def rows_of(outcomes: Sequence[Outcome]) -> dict[str, Rows]:
    """What each metric is computed from."""
    means: dict[str, ByQuestion] = values(outcomes)
    rows: dict[str, Rows] = {name: {q: (v,) for q, v in by.items()} for name, by in means.items()}
    decisions = {o.question.id: (o.confidence, float(o.can_be_answered)) for o in outcomes}
    return rows | dict.fromkeys(STATISTICS, decisions)


def statistic_of(name: str) -> Statistic:
    """How a metric comes from its rows."""
    return STATISTICS.get(name, mean)


def as_array(rows: Sequence[tuple[float, ...]]) -> Floats:
    """Rows as (n, columns) float64."""
    return np.array(rows, np.float64)


def _measured(name: str, by_question: Rows) -> Measured:
    rows = as_array(list(by_question.values()))
    low, high = interval(rows, statistic_of(name))
    return Measured(statistic_of(name)(rows), low, high, len(rows))


def _decision_columns(outcomes: Sequence[Outcome]) -> tuple[Floats, Floats]:
    rows = as_array([(o.confidence, float(o.can_be_answered)) for o in outcomes])
    return rows[:, 0], rows[:, 1]


def _latency(outcomes: Sequence[Outcome]) -> dict[str, Latency]:
    stages: dict[str, list[float]] = {}
    for outcome in outcomes:
        for name, value in outcome.timings.items():
            stages.setdefault(name, []).append(value)
    return {name: _percentiles(each) for name, each in stages.items()}


def _percentiles(times: Sequence[float]) -> Latency:
    p50, p95, p99 = (float(p) for p in np.percentile(times, (50, 95, 99)))
    return Latency(p50, p95, p99, len(times))


def _spending(uses: Sequence[TokenUse | None]) -> Spending | None:
    total: TokenUse | None = None
    for use in uses:
        total = use.plus(total) if use is not None else total
    if total is None:
        return None
    return Spending(
        total.model,
        total.input_tokens,
        total.output_tokens,
        total.cache_read_tokens,
        total.cache_write_tokens,
        total.cost_usd,
    )
