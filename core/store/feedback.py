"""What people think of answers: one verdict of a person on a run, which they may change."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Engine, Select, insert, select, update
from sqlalchemy.exc import IntegrityError

from core.store.schema import feedback, runs

LONGEST_NOTE = 500
"""Characters of a person's own words that are kept."""


class Verdict(StrEnum):
    """Whether an answer helped."""

    GOOD = "good"
    BAD = "bad"


class Complaint(StrEnum):
    """Why one did not."""

    WRONG = "wrong"
    INCOMPLETE = "incomplete"
    OUTDATED = "outdated"
    OFF_TOPIC = "off_topic"


@dataclass(frozen=True, slots=True)
class Feedback:
    """A verdict. `person` is a Slack id, `at` in epoch seconds; `note` is deleted when its time is over."""

    run_id: str
    person: str
    verdict: Verdict
    at: float
    complaint: Complaint | None = None
    note: str = ""


class FeedbackStore:
    """Keeps verdicts with their runs: they go when the run goes, or when the person is forgotten."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def keep(self, tenant_id: str, run_id: str, person: str, verdict: Verdict, reader: str = "") -> bool:
        """Keep a person's verdict instead of an earlier one of theirs; False when there is no such run (any more).

        The same verdict again keeps the reason given with it. `reader` is the person's address, by which they can be
        forgotten as well.
        """
        said = {"verdict": verdict.value, "at": self._clock()}
        for _ in range(2):
            with self._engine.begin() as connection:
                mine = (feedback.c.run_id == run_id) & (feedback.c.person == person)
                if connection.execute(_run(tenant_id, run_id)).first() is None:
                    return False
                before = connection.execute(select(feedback.c.verdict).where(mine)).scalar_one_or_none()
                if before is not None:
                    forgotten = {} if before == verdict.value else {"reason": "", "note": ""}
                    connection.execute(update(feedback).where(mine).values(**said, **forgotten))
                    return True
            try:
                with self._engine.begin() as connection:
                    row = {"run_id": run_id, "person": person, "reader": reader, "reason": "", "note": "", **said}
                    connection.execute(insert(feedback).values(row))
                return True
            except IntegrityError:
                continue  # pressed twice at the same time, or the run has just gone: look again
        return False

    def explain(self, tenant_id: str, run_id: str, person: str, complaint: Complaint | None, note: str) -> bool:
        """Keep why a person's verdict was bad; False when they gave none such."""
        mine = (
            feedback.c.run_id.in_(_run(tenant_id, run_id))
            & (feedback.c.person == person)
            & (feedback.c.verdict == Verdict.BAD.value)
        )
        said = {"reason": complaint.value if complaint else "", "note": note.strip()[:LONGEST_NOTE]}
        with self._engine.begin() as connection:
            return connection.execute(update(feedback).where(mine).values(said)).rowcount > 0

    def of(self, tenant_id: str, run_id: str) -> list[Feedback]:
        """The verdicts on a run, in order of time."""
        query = select(feedback).where(feedback.c.run_id.in_(_run(tenant_id, run_id))).order_by(feedback.c.at)
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [
            Feedback(
                row.run_id,
                row.person,
                Verdict(row.verdict),
                row.at,
                Complaint(row.reason) if row.reason else None,
                row.note,
            )
            for row in rows
        ]


def _run(tenant_id: str, run_id: str) -> Select[tuple[str]]:
    return select(runs.c.run_id).where(runs.c.tenant_id == tenant_id, runs.c.run_id == run_id)
