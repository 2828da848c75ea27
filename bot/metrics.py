"""What `/metrics` shows: numbers, never names or texts."""

from __future__ import annotations

from enum import StrEnum

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class Outcome(StrEnum):
    """How a question ended."""

    ANSWERED = "answered"
    ABSTAINED = "abstained"
    HELPED = "helped"
    REFUSED = "refused"
    STOPPED = "stopped"
    """Ended before its answer was whole: by who asked, or by a failure after something was shown."""
    FAILED = "failed"


class Metrics:
    """The counters of one process, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.questions = Counter(
            "testigo_questions", "Questions by how they ended.", ["outcome"], registry=self.registry
        )
        self.seconds = Histogram(
            "testigo_question_seconds",
            "Seconds from taking a question up to its last word.",
            registry=self.registry,
            buckets=(0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120),
        )
        self.events = Counter(
            "testigo_events", "Events from Slack by what became of them.", ["fate"], registry=self.registry
        )
        self.open_events = Gauge(
            "testigo_open_events", "Events that wait or are being worked on.", registry=self.registry
        )
        self.sync_runs = Counter(
            "testigo_sync_runs",
            "Orders to read the exports again, by how they ended.",
            ["outcome"],
            registry=self.registry,
        )
        for outcome in Outcome:
            self.questions.labels(outcome.value)

    def text(self) -> bytes:
        """All numbers in Prometheus' text format."""
        return generate_latest(self.registry)
