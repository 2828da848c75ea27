"""What alerts are computed from, and which were told: numbers of runs and syncs, and one row a kind and day."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Engine, case, delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from core.store.gaps import NO_GAPS
from core.store.runs import ANSWERED, CUT_SHORT, STOPPED
from core.store.schema import evidence_documents, revocations, runs, shown_answers, told_admins


@dataclass(frozen=True, slots=True)
class Quality:
    """What became of the questions of a period."""

    questions: int
    abstained: int
    claims: int
    """Claims that passed the verifier."""
    dropped: int
    """Claims that did not."""

    @property
    def abstention(self) -> float:
        """The share of questions without an answer, 0–1."""
        return self.abstained / self.questions if self.questions else 0.0

    @property
    def coverage(self) -> float:
        """The share of drafted claims that were proved by their quotes, 0–1; 1 where none was drafted."""
        drafted = self.claims + self.dropped
        return self.claims / drafted if drafted else 1.0


class AlertStore:
    """Reads numbers. Nothing of a person or a document is in them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def quality(self, tenant_id: str, since: float, before: float) -> Quality:
        """What became of the questions that were asked from one moment until another (epoch seconds)."""
        not_found = runs.c.decision.not_in([ANSWERED, STOPPED, CUT_SHORT, *(reason.value for reason in NO_GAPS)])
        query = select(
            func.count(),
            func.coalesce(func.sum(case((not_found, 1), else_=0)), 0),
            func.coalesce(func.sum(runs.c.claims), 0),
            func.coalesce(func.sum(runs.c.dropped_claims), 0),
        ).where(runs.c.tenant_id == tenant_id, runs.c.started_at >= since, runs.c.started_at < before)
        with self._engine.connect() as connection:
            counted = connection.execute(query).one()
        return Quality(*(int(number) for number in counted))

    def cited_though_hidden(self, tenant_id: str, since: float) -> tuple[int, int]:
        """How many hidden documents are cited by answers that were shown since a moment, and by how many answers."""
        cites = evidence_documents.c
        query = (
            select(func.count(cites.document_id.distinct()), func.count(cites.run_id.distinct()))
            .join(
                revocations,
                (revocations.c.tenant_id == cites.tenant_id) & (revocations.c.document_id == cites.document_id),
            )
            .join(runs, runs.c.run_id == cites.run_id)
            .join(shown_answers, shown_answers.c.run_id == runs.c.run_id)
            .where(cites.tenant_id == tenant_id, cites.cited == 1, runs.c.started_at >= since)
        )
        with self._engine.connect() as connection:
            documents, answers = connection.execute(query).one()
        return int(documents), int(answers)


class ToldStore:
    """Keeps what the admins were told on which day, so that nothing is told twice, by however many processes."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def claim(self, tenant_id: str, kind: str, day: str) -> bool:
        """Take the right to tell something of a kind on a day; False when it was told, or is being told."""
        try:
            with self._engine.begin() as connection:
                row = {"tenant_id": tenant_id, "kind": kind, "day": day, "at": self._clock()}
                connection.execute(insert(told_admins).values(row))
        except IntegrityError:
            return False
        return True

    def give_back(self, tenant_id: str, kind: str, day: str) -> None:
        """It could not be told: another may."""
        row = (told_admins.c.tenant_id == tenant_id) & (told_admins.c.kind == kind) & (told_admins.c.day == day)
        with self._engine.begin() as connection:
            connection.execute(delete(told_admins).where(row))

    def was_told(self, tenant_id: str, kind: str, day: str) -> bool:
        """Whether something of a kind was told on a day, or is being told."""
        row = (told_admins.c.tenant_id == tenant_id) & (told_admins.c.kind == kind) & (told_admins.c.day == day)
        with self._engine.connect() as connection:
            return connection.execute(select(told_admins.c.at).where(row)).first() is not None
