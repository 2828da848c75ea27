"""A whole run: what was asked of what, the numbers, the questions one by one, and the comparison with a baseline."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.evaluation.baseline import Baseline, Compared
from core.evaluation.measured import Numbers
from core.evaluation.metrics import METRICS
from core.evaluation.outcome import Failing, Outcome
from core.generation.prices import PRICES, PRICES_AS_OF


@dataclass(frozen=True, slots=True)
class Setting:
    """What was measured."""

    set_name: str
    asked_at: dt.datetime
    generator: str
    model: str
    """The space of the vectors."""
    mode: str
    index_version: int
    missing_documents: tuple[str, ...] = ()
    """Documents that the set expects and the index does not have."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Questions that share a tag or a language."""

    name: str
    questions: int
    right: int
    refused: int
    """Of the answerable ones, those without an answer."""


@dataclass(frozen=True, slots=True)
class Report:
    """One run of a set."""

    setting: Setting
    outcomes: tuple[Outcome, ...]
    numbers: Numbers
    compared: Compared | None = None

    @property
    def unanswerable(self) -> int:
        """Questions that should not be answered."""
        return sum(o.question.unanswerable for o in self.outcomes)

    def compared_with(self, compared: Compared) -> Report:
        """The same run, with what a comparison found."""
        return dataclasses.replace(self, compared=compared)

    @property
    def judge_failures(self) -> int:
        """Answers that could not be judged."""
        return sum(o.judge_failed for o in self.outcomes)


def kinds(outcomes: Sequence[Outcome]) -> list[Kind]:
    """The set by language and by tag, the largest first within each."""
    languages = {o.question.language for o in outcomes}
    tags = {tag for o in outcomes for tag in o.question.tags}
    by_language = [_kind(name, [o for o in outcomes if o.question.language == name]) for name in languages]
    by_tag = [_kind(name, [o for o in outcomes if name in o.question.tags]) for name in tags]
    return [*sorted(by_language, key=_largest_first), *sorted(by_tag, key=_largest_first)]


def baseline_of(report: Report) -> Baseline:
    """What is kept of a run to compare later ones with."""
    return Baseline(
        saved_on=report.setting.asked_at.date().isoformat(),
        generator=report.setting.generator,
        model=report.setting.model,
        questions={o.question.id: o.question.fingerprint for o in report.outcomes},
        metrics={name: dict(rows) for name, rows in report.numbers.rows.items()},
    )


def report_json(report: Report) -> dict[str, Any]:
    """The run as plain JSON values."""
    numbers = report.numbers
    return {
        "setting": {**dataclasses.asdict(report.setting), "asked_at": report.setting.asked_at.isoformat()},
        "questions": len(report.outcomes),
        "unanswerable": report.unanswerable,
        "metrics": {name: dataclasses.asdict(measured) for name, measured in numbers.metrics.items()},
        "risk_coverage": dataclasses.asdict(numbers.curve),
        "calibration": [dataclasses.asdict(each) for each in numbers.bins],
        "latency_ms": {name: dataclasses.asdict(latency) for name, latency in numbers.latency.items()},
        "tokens": _spent(report),
        "kinds": [dataclasses.asdict(kind) for kind in kinds(report.outcomes)],
        "outcomes": [_outcome(outcome) for outcome in report.outcomes],
        "comparison": _comparison(report.compared),
    }


def _kind(name: str, outcomes: Sequence[Outcome]) -> Kind:
    return Kind(
        name,
        len(outcomes),
        sum(o.failing is Failing.NOTHING for o in outcomes),
        sum(not o.answered and not o.question.unanswerable for o in outcomes),
    )


def _largest_first(kind: Kind) -> tuple[int, str]:
    return -kind.questions, kind.name


def _spent(report: Report) -> dict[str, Any]:
    writer, judge = report.numbers.writer, report.numbers.judge
    return {
        "writer": dataclasses.asdict(writer) if writer else None,
        "judge": dataclasses.asdict(judge) if judge else None,
        "not_judged": report.judge_failures,
        "prices_as_of": PRICES_AS_OF.isoformat(),
        "prices_usd_per_million": {
            spent.model: [dataclasses.asdict(band) for band in PRICES.get(spent.model, ())]
            for spent in (writer, judge)
            if spent
        },
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "id": outcome.question.id,
        "question": outcome.question.question,
        "searched": outcome.searched,
        "failing": outcome.failing.value,
        "answered": outcome.answered,
        "refusal": outcome.refusal,
        "confidence": outcome.confidence,
        "forbidden": list(outcome.forbidden),
        "facts": [
            {**dataclasses.asdict(fact), "ranks": dict(fact.ranks), "lost_at": outcome.lost_at(fact)}
            for fact in outcome.facts
        ],
        "claims": [dataclasses.asdict(claim) for claim in outcome.claims],
        "relevance": outcome.relevance,
        "faithfulness": [dataclasses.asdict(v) for v in outcome.faithfulness.verdicts]
        if outcome.faithfulness
        else None,
        "timings_ms": dict(outcome.timings),
    }


def _comparison(compared: Compared | None) -> dict[str, Any] | None:
    if compared is None:
        return None
    return {
        "saved_on": compared.saved_on,
        "left_out": compared.left_out,
        "metrics": {
            c.metric.name: {
                "before": c.before,
                "now": c.now,
                "questions": c.questions,
                "p_worse": c.worse,
                "p_better": c.better,
                "regressed": c.regressed,
                "improved": c.improved,
            }
            for c in compared.comparisons
        },
    }


def ordered(report: Report) -> list[str]:
    """Names of the metrics that the run has, in the order in which they are told."""
    return [name for name in METRICS if name in report.numbers.metrics]
