"""When each source is due to be read by itself. Shared by all processes that keep the timetable."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from core.store.schema import sync_schedule


@dataclass(frozen=True, slots=True)
class DueSync:
    """The next run of a source. Times are epoch seconds."""

    source: str
    schedule: str
    due_at: float
    missed: int


class SyncScheduleStore:
    """Writes and reads when sources are due."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def due(self, source: str) -> DueSync | None:
        """When a source is due next."""
        with self._engine.connect() as connection:
            row = connection.execute(select(sync_schedule).where(sync_schedule.c.source == source)).one_or_none()
        return None if row is None else DueSync(row.source, row.schedule, row.due_at, row.missed)

    def set(self, source: str, schedule: str, due_at: float) -> None:
        """Begin a schedule, in place of the one that the source had."""
        with self._engine.begin() as connection:
            connection.execute(delete(sync_schedule).where(sync_schedule.c.source == source))
        try:
            with self._engine.begin() as connection:
                row = {"source": source, "schedule": schedule, "due_at": due_at, "missed": 0}
                connection.execute(insert(sync_schedule).values(row))
        except IntegrityError:
            pass  # another process began the same one

    def claim(self, due: DueSync, next_due_at: float, missed: int) -> bool:
        """Take the run that is due, and say when the next is; False when another process took it."""
        mine = (sync_schedule.c.source == due.source) & (sync_schedule.c.due_at == due.due_at)
        with self._engine.begin() as connection:
            result = connection.execute(update(sync_schedule).where(mine).values(due_at=next_due_at, missed=missed))
        return bool(result.rowcount)
