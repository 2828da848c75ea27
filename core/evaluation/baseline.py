"""A run that later ones are compared with: what each metric was computed from, question by question."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from core.errors import EvaluationError
from core.evaluation.measured import Rows, as_array, statistic_of
from core.evaluation.metrics import METRICS, Metric
from core.evaluation.significance import worse_by_chance

FORMAT = 1
DIGITS = 4
SIGNIFICANT = 0.05
"""Each metric is tested by itself: a false alarm costs a look, a regression that is missed costs readers."""
SMALLEST = 0.01
"""A difference below it is none, however sure: another processor's rounding moves every cosine a little."""


class Baseline(BaseModel):
    """What is stored of a run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: int = FORMAT
    saved_on: str
    generator: str
    model: str
    questions: dict[str, str]
    """Fingerprints by id: a question that was changed since is not compared."""
    metrics: dict[str, dict[str, tuple[float, ...]]]
    """The rows of each metric, by question."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A metric now and in the baseline, over the questions that both have."""

    metric: Metric
    before: float
    now: float
    questions: int
    worse: float
    """Probability of so bad a difference by chance."""
    better: float
    """Probability of so good a difference by chance."""
    regressed: bool

    @property
    def improved(self) -> bool:
        """Whether it is significantly better."""
        return self.better < SIGNIFICANT and abs(self.now - self.before) >= SMALLEST


@dataclass(frozen=True, slots=True)
class Compared:
    """All metrics that both runs have, and how many questions could not be compared."""

    saved_on: str
    comparisons: tuple[Comparison, ...]
    left_out: int
    """Questions of this run that the baseline has not, or has otherwise."""

    @property
    def regressions(self) -> tuple[Comparison, ...]:
        """Those that are significantly worse."""
        return tuple(c for c in self.comparisons if c.regressed)


def load_baseline(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        EvaluationError: it cannot be read, or is of another format.
    """
    advice = "save one with --save"
    try:
        baseline = Baseline.model_validate_json(path.read_bytes())
    except OSError as error:
        raise EvaluationError(f"The baseline {path} cannot be read ({type(error).__name__}): {advice}.") from None
    except ValidationError:
        raise EvaluationError(f"{path} is not a baseline of testigo eval: {advice}.") from None
    if baseline.format != FORMAT:
        raise EvaluationError(f"The baseline {path} has format {baseline.format}, and {FORMAT} is read: {advice}.")
    return baseline


def save_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline, a line a metric, so that a change to it can be read.

    Raises:
        EvaluationError: it cannot be written.
    """
    rounded = {
        name: {question: [round(v, DIGITS) for v in row] for question, row in rows.items()}
        for name, rows in baseline.metrics.items()
    }
    lines = [f"{json.dumps(name)}: {_dense(value)}" for name, value in rounded.items()]
    head = [f"{json.dumps(k)}: {_dense(v)}" for k, v in baseline.model_dump(exclude={"metrics"}).items()]
    body = ",\n".join([*head, '"metrics": {\n' + ",\n".join(lines) + "\n}"])
    try:
        path.write_text(f"{{\n{body}\n}}\n", encoding="utf-8")
    except OSError as error:
        raise EvaluationError(f"The baseline {path} cannot be written ({type(error).__name__}).") from None


def compare(rows: Mapping[str, Rows], fingerprints: Mapping[str, str], baseline: Baseline) -> Compared:
    """Compare a run with a baseline, over the questions that are the same in both.

    Raises:
        EvaluationError: they share no question.
    """
    shared = {q for q, fingerprint in fingerprints.items() if baseline.questions.get(q) == fingerprint}
    if not shared:
        raise EvaluationError("The baseline has none of these questions: save a new one with --save.")
    comparisons = []
    for name, metric in METRICS.items():
        now, before = rows.get(name, {}), baseline.metrics.get(name, {})
        both = [question for question in now if question in before and question in shared]
        if both:
            comparisons.append(_compared(metric, [before[q] for q in both], [now[q] for q in both]))
    return Compared(baseline.saved_on, tuple(comparisons), len(fingerprints) - len(shared))


def _compared(metric: Metric, before: Sequence[tuple[float, ...]], now: Sequence[tuple[float, ...]]) -> Comparison:
    statistic = statistic_of(metric.name)
    # The baseline is rounded: without the same here, an equal run would differ in every question.
    old, new = as_array(before).round(DIGITS), as_array(now).round(DIGITS)
    worse, better = (
        worse_by_chance(old, new, statistic, higher_is_better=up)
        for up in (metric.higher_is_better, not metric.higher_is_better)
    )
    was, is_now = statistic(old), statistic(new)
    significant = metric.guards and worse < SIGNIFICANT and abs(is_now - was) >= SMALLEST
    more_failing = metric.strict and bool((new > old).any())
    return Comparison(metric, was, is_now, len(old), worse, better, significant or more_failing)


def _dense(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
