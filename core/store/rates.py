"""Counters of the limits in SQL, so that several processes count together: the storage of the `limits` library."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from limits.storage import Storage
from sqlalchemy import Engine, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from core.store.schema import asking, rate_windows


class SqlRates(Storage):
    """Fixed windows: a key counts up until it expires, then begins anew."""

    STORAGE_SCHEME: list[str] | None = None  # made by hand, not from an address

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time, **options: Any) -> None:
        super().__init__(None, False, **options)
        self._engine = engine
        self._clock = clock

    @property
    def base_exceptions(self) -> type[Exception] | tuple[type[Exception], ...]:
        """What the database raises."""
        return SQLAlchemyError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count up; the count since the window began."""
        now = self._clock()
        mine = rate_windows.c.key == key
        # Written to before it is read, so that of two processes one waits for the other.
        with self._engine.begin() as connection:
            grown = connection.execute(
                update(rate_windows)
                .where(mine, rate_windows.c.expires_at > now)
                .values(hits=rate_windows.c.hits + amount)
            ).rowcount
            if not grown:
                connection.execute(delete(rate_windows).where(rate_windows.c.expires_at <= now))
            else:
                return int(connection.execute(select(rate_windows.c.hits).where(mine)).scalar_one())
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(rate_windows).values(key=key, hits=amount, expires_at=now + expiry))
        except IntegrityError:  # another process began the window
            return int(self.incr(key, expiry, amount))
        return amount

    def get(self, key: str) -> int:
        """The count of a key."""
        query = select(rate_windows.c.hits).where(rate_windows.c.key == key, rate_windows.c.expires_at > self._clock())
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one_or_none() or 0)

    def get_expiry(self, key: str) -> float:
        """When a key's window ends (epoch seconds)."""
        query = select(rate_windows.c.expires_at).where(rate_windows.c.key == key)
        with self._engine.connect() as connection:
            return float(connection.execute(query).scalar_one_or_none() or self._clock())

    def check(self) -> bool:
        """Whether the database answers."""
        try:
            with self._engine.connect() as connection:
                connection.execute(select(func.count()).select_from(rate_windows))
        except SQLAlchemyError:
            return False
        return True

    def reset(self) -> int | None:
        """Forget all counts."""
        with self._engine.begin() as connection:
            return connection.execute(delete(rate_windows)).rowcount

    def clear(self, key: str) -> None:
        """Forget one count."""
        with self._engine.begin() as connection:
            connection.execute(delete(rate_windows).where(rate_windows.c.key == key))


class Asking:
    """Which questions are being answered, over all processes. What a killed process left ends by itself."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def enter(self, event_id: int, person: str, seconds: float, most: int) -> bool:
        """Begin with a question; False when `most` of the person's are being answered already."""
        now = self._clock()
        with self._engine.begin() as connection:
            connection.execute(delete(asking).where((asking.c.until <= now) | (asking.c.event_id == event_id)))
            connection.execute(insert(asking).values(event_id=event_id, person=person, until=now + seconds))
        # Counted once others can see it: of two at the same time both may be turned away, but never too many taken.
        others = (asking.c.person == person) & (asking.c.event_id != event_id)
        with self._engine.connect() as connection:
            count = connection.execute(select(func.count()).where(others)).scalar_one()
        if count >= most:
            self.leave(event_id)
            return False
        return True

    def leave(self, event_id: int) -> None:
        """End with a question."""
        with self._engine.begin() as connection:
            connection.execute(delete(asking).where(asking.c.event_id == event_id))
