"""What became of a message that was asked as a question: looked up when it is edited or deleted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, and_, or_, select

from core.store.schema import events

OPEN = "open"


@dataclass(frozen=True, slots=True)
class Asked:
    """One event about a message. `delivered` is what was shown for it, as the front end noted it."""

    event_id: int
    kind: str
    is_open: bool
    delivered: Mapping[str, Any]


class AskedStore:
    """Reads the events about messages; `EventStore` writes them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def about(self, team_id: str, subject: str) -> list[Asked]:
        """The events about a message and its later editions (`subject:…`), oldest first."""
        # A range, not LIKE: the index on (team_id, subject) answers it. ";" comes after ":".
        later = and_(events.c.subject >= f"{subject}:", events.c.subject < f"{subject};")
        wanted = (
            select(events.c.id, events.c.kind, events.c.state, events.c.delivered)
            .where(events.c.team_id == team_id, or_(events.c.subject == subject, later))
            .order_by(events.c.id)
        )
        with self._engine.connect() as connection:
            return [
                Asked(row.id, row.kind, row.state == OPEN, row.delivered or {}) for row in connection.execute(wanted)
            ]
