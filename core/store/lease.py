"""The right to write, as a row that one process holds for a time: for databases that several hosts share."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from core.store.schema import leases

Clock = Callable[[Connection], float]


def database_time(connection: Connection) -> float:
    """Epoch seconds by the clock that all hosts share: the database's own, or, for a file, this machine's."""
    if connection.dialect.name == "postgresql":
        return float(connection.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one())
    return time.time()


@dataclass(frozen=True, slots=True)
class LeaseHolder:
    """Who holds a lease. Times are epoch seconds."""

    asked_by: str
    since: float
    until: float


class LeaseStore:
    """Takes, renews and gives back one named lease. An owner is a name that no other process has."""

    def __init__(self, engine: Engine, name: str, clock: Clock = database_time) -> None:
        self._engine = engine
        self._name = name
        self._clock = clock

    def take(self, owner: str, asked_by: str, seconds: float) -> bool:
        """Take the lease for `seconds`, when nobody holds it or its time is over; False when somebody holds it."""
        with self._engine.begin() as connection:
            now = self._clock(connection)
            held = {"owner": owner, "asked_by": asked_by, "since": now, "until": now + seconds}
            # Of two that come at once, the second finds the row changed: the database checks the condition again.
            over = (leases.c.name == self._name) & (leases.c.until <= now)
            if connection.execute(update(leases).where(over).values(held)).rowcount:
                return True
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(leases).values(name=self._name, **held))
        except IntegrityError:
            return False
        return True

    def renew(self, owner: str, seconds: float) -> bool:
        """Hold it for `seconds` from now; False when it is another's by now, even one that has given it back."""
        with self._engine.begin() as connection:
            until = self._clock(connection) + seconds
            mine = (leases.c.name == self._name) & (leases.c.owner == owner)
            return bool(connection.execute(update(leases).where(mine).values(until=until)).rowcount)

    def give_back(self, owner: str) -> None:
        """Let others take it at once."""
        with self._engine.begin() as connection:
            mine = (leases.c.name == self._name) & (leases.c.owner == owner)
            connection.execute(delete(leases).where(mine))

    def holder(self) -> LeaseHolder | None:
        """Who holds it now; None when nobody does."""
        with self._engine.connect() as connection:
            row = connection.execute(select(leases).where(leases.c.name == self._name)).one_or_none()
            if row is None or row.until <= self._clock(connection):
                return None
        return LeaseHolder(row.asked_by, row.since, row.until)
