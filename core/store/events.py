"""Events that were claimed durably before they were acknowledged, and the leases under which they are worked on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, and_, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from core.store.schema import events

MAX_ATTEMPTS = 5
"""After so many crashed attempts an event is given up, so that one poisonous question cannot stop the bot."""


@dataclass(frozen=True, slots=True)
class ClaimedEvent:
    """An event under lease. `delivered` is what earlier attempts had shown for it."""

    id: int
    team_id: str
    kind: str
    payload: Mapping[str, Any]
    attempts: int
    delivered: Mapping[str, Any]


class EventStore:
    """Claim, lease, finish. Safe for several processes on one database."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def claim(self, *, team_id: str, event_id: str, subject: str | None, kind: str, payload: Mapping[str, Any]) -> bool:
        """Write an event down; False when it, or another event about the same message, is known already.

        Args:
            team_id: the workspace.
            event_id: Slack's id of the event, or of the command's trigger.
            subject: `channel:ts` of the message it is about, when it is about one.
            kind: which listener's work it is.
            payload: what the worker needs.
        """
        row = {
            "team_id": team_id,
            "event_id": event_id,
            "subject": subject,
            "kind": kind,
            "payload": dict(payload),
            "state": "open",
            "attempts": 0,
            "received_at": self._clock(),
        }
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(events).values(row))
        except IntegrityError:
            return False
        return True

    def lease(self, owner: str, seconds: float, limit: int = 1) -> list[ClaimedEvent]:
        """Take up to `limit` events that nobody holds, oldest first, for `seconds`."""
        now = self._clock()
        free = and_(events.c.state == "open", or_(events.c.lease_until.is_(None), events.c.lease_until < now))
        taken: list[ClaimedEvent] = []
        with self._engine.begin() as connection:
            rows = connection.execute(select(events).where(free).order_by(events.c.id).limit(limit)).all()
            for row in rows:
                # The condition is checked again by the update: of two workers, one gets the row.
                won = connection.execute(
                    update(events)
                    .where(events.c.id == row.id, free)
                    .values(lease_owner=owner, lease_until=now + seconds, attempts=row.attempts + 1)
                ).rowcount
                if won:
                    taken.append(
                        ClaimedEvent(
                            row.id, row.team_id, row.kind, row.payload or {}, row.attempts + 1, row.delivered or {}
                        )
                    )
        return taken

    def renew(self, event_id: int, owner: str, seconds: float) -> bool:
        """Hold an event for `seconds` more; False when another worker has it by now."""
        with self._engine.begin() as connection:
            changed = connection.execute(
                update(events)
                .where(events.c.id == event_id, events.c.lease_owner == owner, events.c.state == "open")
                .values(lease_until=self._clock() + seconds)
            ).rowcount
        return bool(changed)

    def note_delivered(self, event_id: int, delivered: Mapping[str, Any]) -> None:
        """Write down what has been shown for an event, before or as soon as it is shown."""
        with self._engine.begin() as connection:
            connection.execute(update(events).where(events.c.id == event_id).values(delivered=dict(delivered)))

    def finish(self, event_id: int, state: str = "done") -> None:
        """End an event (`done` or `failed`) and forget its payload, which holds a person's words."""
        with self._engine.begin() as connection:
            connection.execute(
                update(events)
                .where(events.c.id == event_id)
                .values(state=state, payload=None, finished_at=self._clock(), lease_owner=None, lease_until=None)
            )

    def release(self, event_id: int) -> None:
        """Give an event back, so that it is taken up again at once."""
        with self._engine.begin() as connection:
            connection.execute(update(events).where(events.c.id == event_id).values(lease_owner=None, lease_until=None))

    def open_count(self) -> int:
        """How many events wait or are being worked on."""
        with self._engine.connect() as connection:
            return connection.execute(select(func.count()).where(events.c.state == "open")).scalar_one()
