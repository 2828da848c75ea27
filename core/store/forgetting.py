"""Forget what a person said; and, when its time is over, what anybody said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Engine, delete, update

from core.domain.access import fold_name
from core.store.audit import AuditStore
from core.store.schema import events, runs, turns

FORGOTTEN = "forgotten"
"""Stands for the reader in the record of a run of somebody who was forgotten."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How much was forgotten of a person."""

    questions: int
    runs: int
    salts: int


class Forgetting:
    """Deletes people's words. The audit record stays as it is: it holds none."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._audit = AuditStore(engine)

    def forget(self, tenant_id: str, person: str, also: Iterable[str] = ()) -> Forgotten:
        """Delete a person's questions, take their name off their runs, and destroy their salts.

        Args:
            tenant_id: where.
            person: a Slack id or an e-mail address; what else belongs to it is known from the questions asked.
            also: other names of the same person (aliases).
        """
        names = {person, fold_name(person), *also}
        found = [pair for name in list(names) for pair in self._audit.forget_salts(tenant_id, name)]
        names |= {name for pair in found for name in pair if name}
        with self._engine.begin() as connection:
            asked = connection.execute(
                delete(turns).where(turns.c.tenant_id == tenant_id, turns.c.reader.in_(names))
            ).rowcount
            ran = connection.execute(
                update(runs).where(runs.c.tenant_id == tenant_id, runs.c.reader.in_(names)).values(reader=FORGOTTEN)
            ).rowcount
        return Forgotten(asked, ran, len(found))

    def expire(self, tenant_id: str, before: float) -> int:
        """Delete the questions that were asked before a moment (epoch seconds); how many.

        The payload of an event that nobody could finish holds a question as well.
        """
        with self._engine.begin() as connection:
            old = turns.c.asked_at < before
            deleted = connection.execute(delete(turns).where(turns.c.tenant_id == tenant_id, old)).rowcount
            connection.execute(
                update(events)
                .where(events.c.received_at < before, events.c.state == "open")
                .values(payload=None, state="failed")
            )
        return deleted
