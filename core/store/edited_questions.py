"""The newest wording of questions that were edited after they were asked.

It is kept until it is answered, the message is deleted, or questions expire: words stay no longer than needed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Engine, and_, delete, insert, select

from core.store.schema import edited_questions


@dataclass(frozen=True, slots=True)
class EditedQuestion:
    """A question's newest wording. `message` names it in its `place`; `edition` says which edit of it this is."""

    place: str
    message: str
    thread: str
    edition: str
    author: str
    text: str


class EditedQuestionStore:
    """Keeps one wording for each message."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def keep(self, tenant_id: str, edited: EditedQuestion) -> bool:
        """Keep a wording in place of an older one; False when a newer edition is known already."""
        here = _at(tenant_id, edited.place, edited.message)
        row = {
            "tenant_id": tenant_id,
            "place": edited.place,
            "message": edited.message,
            "thread": edited.thread,
            "edition": edited.edition,
            "author": edited.author,
            "text": edited.text,
            "edited_at": self._clock(),
        }
        with self._engine.begin() as connection:
            known = connection.execute(select(edited_questions.c.edition).where(here)).scalar_one_or_none()
            if known is not None and known > edited.edition:
                return False
            connection.execute(delete(edited_questions).where(here))
            connection.execute(insert(edited_questions).values(row))
        return True

    def find(self, tenant_id: str, place: str, message: str) -> EditedQuestion | None:
        """The newest wording of a message, if it was edited and not answered since."""
        with self._engine.connect() as connection:
            query = select(edited_questions).where(_at(tenant_id, place, message))
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        return EditedQuestion(row.place, row.message, row.thread, row.edition, row.author, row.text)

    def drop(self, tenant_id: str, place: str, message: str, up_to: str = "") -> None:
        """Forget the wording of a message; with `up_to` only if it is no newer than that edition."""
        here = _at(tenant_id, place, message)
        if up_to:
            here = and_(here, edited_questions.c.edition <= up_to)
        with self._engine.begin() as connection:
            connection.execute(delete(edited_questions).where(here))


def _at(tenant_id: str, place: str, message: str) -> ColumnElement[bool]:
    return and_(
        edited_questions.c.tenant_id == tenant_id,
        edited_questions.c.place == place,
        edited_questions.c.message == message,
    )
