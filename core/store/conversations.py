"""What was asked in a thread, so that a follow-up finds its topic. Each person sees only their own turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Engine, delete, func, insert, select

from core.store.schema import turns

ANONYMOUS = "anonymous"
"""Stands for a reader without an e-mail address."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question of a conversation, whole."""

    question: str
    asked_at: float


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """A question that somebody asked, whole, as their own list names it. `asked_at` is in epoch seconds."""

    id: int
    question: str
    asked_at: float


class ConversationStore:
    """Questions by conversation and person."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def add(self, tenant_id: str, conversation: str, reader: str, question: str, run_id: str) -> None:
        """Remember a question as it was understood."""
        with self._engine.begin() as connection:
            connection.execute(
                insert(turns).values(
                    tenant_id=tenant_id,
                    conversation=conversation,
                    reader=reader,
                    question=question,
                    asked_at=self._clock(),
                    run_id=run_id,
                )
            )

    def last(self, tenant_id: str, conversation: str, reader: str, limit: int = 5) -> list[Turn]:
        """A person's own questions in a conversation, newest first."""
        mine = (
            turns.c.tenant_id == tenant_id,
            turns.c.conversation == conversation,
            turns.c.reader == reader,
        )
        query = select(turns.c.question, turns.c.asked_at).where(*mine).order_by(turns.c.id.desc()).limit(limit)
        with self._engine.connect() as connection:
            return [Turn(row.question, row.asked_at) for row in connection.execute(query)]

    def recent(self, tenant_id: str, reader: str, since: float, limit: int) -> list[OwnQuestion]:
        """A person's own last questions in all conversations, newest first, each once.

        Args:
            tenant_id: where.
            reader: their address; of somebody without one nothing is known to be theirs.
            since: the moment (epoch seconds) before which nothing is looked at.
            limit: how many.
        """
        if reader in {"", ANONYMOUS}:
            return []
        newest = func.max(turns.c.id).label("newest")
        mine = (turns.c.tenant_id == tenant_id, turns.c.reader == reader, turns.c.asked_at >= since)
        query = (
            select(newest, turns.c.question, func.max(turns.c.asked_at).label("at"))
            .where(*mine)
            .group_by(turns.c.question)
            .order_by(newest.desc())
            .limit(limit)
        )
        with self._engine.connect() as connection:
            return [OwnQuestion(row.newest, row.question, row.at) for row in connection.execute(query)]

    def own(self, tenant_id: str, reader: str, question_id: int) -> str | None:
        """The words of a question of `recent`; None when it is not this person's, or is kept no more."""
        if reader in {"", ANONYMOUS}:
            return None
        mine = (turns.c.tenant_id == tenant_id, turns.c.reader == reader, turns.c.id == question_id)
        with self._engine.connect() as connection:
            found: str | None = connection.execute(select(turns.c.question).where(*mine)).scalar_one_or_none()
        return found

    def is_known(self, tenant_id: str, conversation: str) -> bool:
        """Whether anybody was answered in a conversation: whether the bot takes part in it."""
        query = select(turns.c.id).where(turns.c.tenant_id == tenant_id, turns.c.conversation == conversation).limit(1)
        with self._engine.connect() as connection:
            return connection.execute(query).first() is not None

    def take_back(self, tenant_id: str, conversation: str, reader: str, question: str) -> int:
        """Forget a question that its author has deleted, also where it was kept with the topic before it; how many."""
        mine = (
            turns.c.tenant_id == tenant_id,
            turns.c.conversation == conversation,
            turns.c.reader == reader,
        )
        with self._engine.begin() as connection:
            rows = connection.execute(select(turns.c.id, turns.c.question).where(*mine)).all()
            ids = [row.id for row in rows if row.question == question or row.question.endswith(f" {question}")]
            return connection.execute(delete(turns).where(turns.c.id.in_(ids))).rowcount if ids else 0
