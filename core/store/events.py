"""Events that were claimed durably before they were acknowledged, and the leases under which they are worked on."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, and_, func, insert, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from core.domain.message_life import Stage, preceding
from core.store.database import urgent
from core.store.schema import events, stops

MAX_ATTEMPTS = 5
"""After so many crashed attempts an event is given up, so that one poisonous question cannot stop the bot."""
FORGOTTEN_AT_THE_END = "addition"
"""What `delivered` may hold of a person's words while there is work left."""


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event that came in.

    `event_id` is Slack's id of the event, or of the command's trigger; `subject` is `channel:ts` of the message it is
    about, when it is about one; `kind` says which listener's work it is, and `payload` is what the worker needs.
    """

    team_id: str
    event_id: str
    subject: str | None
    kind: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ClaimedEvent:
    """An event under lease. `delivered` is what earlier attempts had shown for it, `stage` where its message stands."""

    id: int
    team_id: str
    kind: str
    payload: Mapping[str, Any]
    attempts: int
    delivered: Mapping[str, Any]
    stage: Stage = Stage.ACKNOWLEDGED


@dataclass(frozen=True, slots=True)
class OpenEvent:
    """An event with work left, whoever holds it."""

    id: int
    kind: str
    payload: Mapping[str, Any]


class EventStore:
    """Claim, lease, finish. Safe for several processes on one database."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def claim(self, *, team_id: str, event_id: str, subject: str | None, kind: str, payload: Mapping[str, Any]) -> bool:
        """Write an event down; see `claim_all`."""
        return self.claim_all([NewEvent(team_id, event_id, subject, kind, payload)])[0]

    def claim_all(self, arrivals: Sequence[NewEvent]) -> list[bool]:
        """Write events down in one transaction: the disk is waited for once.

        False for each that is known already: it, or another event about the same message.
        """
        # Two processes that claim the same messages at once wait for each other's rows: in one order, or for ever.
        ordered = sorted(range(len(arrivals)), key=lambda at: arrivals[at].subject or arrivals[at].event_id)
        are_new = [False] * len(arrivals)
        with urgent(self._engine) as connection:
            for at in ordered:
                are_new[at] = self._is_new(connection, arrivals[at])
        return are_new

    def _is_new(self, connection: Connection, arrival: NewEvent) -> bool:
        row = {
            "team_id": arrival.team_id,
            "event_id": arrival.event_id,
            "subject": arrival.subject,
            "kind": arrival.kind,
            "payload": dict(arrival.payload),
            "state": "open",
            "stage": Stage.CLAIMED.value,
            "attempts": 0,
            "received_at": self._clock(),
        }
        make = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
        written = connection.execute(make(events).values(row).on_conflict_do_nothing().returning(events.c.id))
        return written.first() is not None

    def lease(self, owner: str, seconds: float, limit: int = 1) -> list[ClaimedEvent]:
        """Take up to `limit` events that nobody holds, oldest first, for `seconds`."""
        now = self._clock()
        free = and_(events.c.state == "open", or_(events.c.lease_until.is_(None), events.c.lease_until < now))
        taken: list[ClaimedEvent] = []
        with self._engine.begin() as connection:
            rows = connection.execute(select(events).where(free).order_by(events.c.id).limit(limit)).all()
            for row in rows:
                stage = Stage(row.stage or Stage.CLAIMED)
                stage = Stage.ACKNOWLEDGED if stage is Stage.CLAIMED else stage
                attempts = row.attempts + 1
                # The condition is checked again by the update: of two workers, one gets the row.
                won = connection.execute(
                    update(events)
                    .where(events.c.id == row.id, free)
                    .values(lease_owner=owner, lease_until=now + seconds, attempts=attempts, stage=stage.value)
                ).rowcount
                if won:
                    taken.append(
                        ClaimedEvent(
                            row.id, row.team_id, row.kind, row.payload or {}, attempts, row.delivered or {}, stage
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

    def note_delivered(self, event_id: int, delivered: Mapping[str, Any], stage: Stage | None = None) -> bool:
        """Write down what has been shown for an event, before or as soon as it is shown.

        `stage` is where its message stands from now on. False when it cannot get there from where it stands, because
        another process has ended it: then nothing is written.
        """
        values: dict[str, Any] = {"delivered": dict(delivered)}
        conditions = [events.c.id == event_id]
        if stage is not None:
            values["stage"] = stage.value
            before = [before.value for before in preceding(stage)]
            conditions.append(or_(events.c.stage.is_(None), events.c.stage.in_(before)))
        with self._engine.begin() as connection:
            return bool(connection.execute(update(events).where(*conditions).values(values)).rowcount)

    def finish(self, event_id: int, state: str = "done") -> None:
        """End an event (`done` or `failed`) and forget its payload, which holds a person's words.

        Its message ends with it, where nothing has noted its end yet.
        """
        with self._engine.begin() as connection:
            row = connection.execute(select(events.c.delivered, events.c.stage).where(events.c.id == event_id)).first()
            if row is None:
                return
            kept = {key: value for key, value in (row.delivered or {}).items() if key != FORGOTTEN_AT_THE_END}
            stage = Stage(row.stage or Stage.CLAIMED)
            if not stage.is_end:
                stage = Stage.FAILED if state == "failed" else Stage.FINISHED
            connection.execute(
                update(events)
                .where(events.c.id == event_id)
                .values(
                    state=state,
                    payload=None,
                    delivered=kept or None,
                    stage=stage.value,
                    finished_at=self._clock(),
                    lease_owner=None,
                    lease_until=None,
                )
            )

    def release(self, event_id: int) -> None:
        """Give an event back, so that it is taken up again at once."""
        with self._engine.begin() as connection:
            connection.execute(update(events).where(events.c.id == event_id).values(lease_owner=None, lease_until=None))

    def open_count(self) -> int:
        """How many events wait or are being worked on."""
        with self._engine.connect() as connection:
            return connection.execute(select(func.count()).where(events.c.state == "open")).scalar_one()

    def open_of(self, team_id: str) -> list[OpenEvent]:
        """The events of a workspace that wait or are being worked on, oldest first."""
        mine = select(events).where(events.c.state == "open", events.c.team_id == team_id).order_by(events.c.id)
        with self._engine.connect() as connection:
            return [OpenEvent(row.id, row.kind, row.payload or {}) for row in connection.execute(mine)]

    def ask_to_stop(self, event_ids: Collection[int], asked_by: str) -> None:
        """Write down that events are to be stopped; asking again changes nothing."""
        for event_id in event_ids:
            try:
                with self._engine.begin() as connection:
                    row = {"event_id": event_id, "asked_by": asked_by, "asked_at": self._clock()}
                    connection.execute(insert(stops).values(row))
            except IntegrityError:
                continue

    def to_stop(self, event_ids: Collection[int]) -> set[int]:
        """Those of some events that are to be stopped."""
        wanted = select(stops.c.event_id).where(stops.c.event_id.in_(list(event_ids)))
        with self._engine.connect() as connection:
            return set(connection.execute(wanted).scalars())
