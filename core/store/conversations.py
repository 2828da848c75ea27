"""What was asked in a thread, so that a follow-up finds its topic. Each person sees only their own turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Engine, insert, select

from core.store.schema import turns


@dataclass(frozen=True, slots=True)
class Turn:
    """One question of a conversation, whole."""

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
