"""Forget what a person said; and, when its time is over, what anybody said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Engine, delete, or_, select, update

from core.domain.access import fold_name
from core.store.audit import AuditStore
from core.store.schema import (
    asked_people,
    edited_questions,
    events,
    feedback,
    person_settings,
    runs,
    shown_answers,
    turns,
)

FORGOTTEN = "forgotten"
"""Stands for the reader in the record of a run of somebody who was forgotten."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How much was forgotten of a person."""

    questions: int
    runs: int
    salts: int
    verdicts: int = 0


class Forgetting:
    """Deletes people's words. The audit record stays as it is: it holds none."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._audit = AuditStore(engine)

    def forget(self, tenant_id: str, person: str, also: Iterable[str] = ()) -> Forgotten:
        """Delete a person's questions, verdicts and choices, take their name off their runs, and destroy their salts.

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
            connection.execute(
                delete(edited_questions).where(
                    edited_questions.c.tenant_id == tenant_id, edited_questions.c.author.in_(names)
                )
            )
            chosen = or_(person_settings.c.person.in_(names), person_settings.c.reader.in_(names - {""}))
            connection.execute(delete(person_settings).where(person_settings.c.tenant_id == tenant_id, chosen))
            mine = feedback.c.run_id.in_(select(runs.c.run_id).where(runs.c.tenant_id == tenant_id))
            named = or_(feedback.c.person.in_(names), feedback.c.reader.in_(names - {""}))
            judged = connection.execute(delete(feedback).where(mine, named)).rowcount
            theirs = select(runs.c.run_id).where(runs.c.tenant_id == tenant_id, runs.c.reader.in_(names))
            connection.execute(delete(shown_answers).where(shown_answers.c.run_id.in_(theirs)))
            handed_on = asked_people.c.tenant_id == tenant_id
            by_them = or_(asked_people.c.user_id.in_(names), asked_people.c.reader.in_(names))
            connection.execute(delete(asked_people).where(handed_on, by_them))
            offered = asked_people.c.suggested_by.in_(names)
            nothing = {"suggestion": None, "suggested_by": None, "suggested_at": None}
            connection.execute(update(asked_people).where(handed_on, offered).values(nothing))
            ran = connection.execute(
                update(runs).where(runs.c.tenant_id == tenant_id, runs.c.reader.in_(names)).values(reader=FORGOTTEN)
            ).rowcount
        return Forgotten(asked, ran, len(found), judged)

    def expire(self, tenant_id: str, before: float) -> int:
        """Delete the questions that were asked before a moment (epoch seconds); how many.

        The payload of an event that nobody could finish holds a question as well; what somebody wrote about an answer
        is their words too. The verdict stays, as long as the run.
        """
        with self._engine.begin() as connection:
            told = feedback.c.run_id.in_(select(runs.c.run_id).where(runs.c.tenant_id == tenant_id))
            connection.execute(update(feedback).where(told, feedback.c.at < before).values(note=""))
            handed_on = (asked_people.c.tenant_id == tenant_id) & (asked_people.c.asked_at < before)
            connection.execute(delete(asked_people).where(handed_on))
            reworded = edited_questions.c.edited_at < before
            connection.execute(delete(edited_questions).where(edited_questions.c.tenant_id == tenant_id, reworded))
            old = turns.c.asked_at < before
            deleted = connection.execute(delete(turns).where(turns.c.tenant_id == tenant_id, old)).rowcount
            connection.execute(
                update(events)
                .where(events.c.received_at < before, events.c.state == "open")
                .values(payload=None, state="failed")
            )
        return deleted
