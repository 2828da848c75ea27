"""The record of syncs: who asked, when, what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Engine, Select, func, insert, select, update

from core.domain.syncing import SyncFinished, report_lines
from core.store.schema import sync_runs

HELD_BACK = "held_back"
"""The state of a run that a guard kept from removing documents; and, in its counts, how many of them."""
FINISHED = ("done", HELD_BACK)


@dataclass(frozen=True, slots=True)
class SyncRun:
    """One sync of one source. Times are epoch seconds."""

    id: int
    source: str
    asked_by: str
    started_at: float
    finished_at: float | None
    state: str
    counts: dict[str, int]
    failures: list[str]
    """Lines of the report."""

    @property
    def awaiting(self) -> int:
        """How many documents were held back that a person's word would let go."""
        return self.counts.get(HELD_BACK, 0) if self.state == HELD_BACK else 0

    @property
    def seconds(self) -> float | None:
        """How long it took; None while it goes on, or when it was cut short."""
        return None if self.finished_at is None else self.finished_at - self.started_at


class SyncRunStore:
    """Writes and reads the record of syncs."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def begin(self, source: str, asked_by: str) -> int:
        """Note that a sync begins; its id."""
        with self._engine.begin() as connection:
            result = connection.execute(
                insert(sync_runs).values(source=source, asked_by=asked_by, started_at=self._clock(), state="running")
            )
            key = result.inserted_primary_key
        assert key is not None
        return int(key[0])

    def finish(self, run_id: int, finished: SyncFinished) -> None:
        """Note how a sync ended."""
        state = HELD_BACK if finished.held_back else "done"
        failures = report_lines((f.key, f.sentence) for f in finished.failures)
        lines = [*([finished.held_back] if finished.held_back else []), *failures]
        lines += finished.contexts.lines if finished.contexts else ()
        awaiting = {HELD_BACK: finished.awaiting} if finished.awaiting else {}
        self._end(run_id, state, asdict(finished.counts) | awaiting, lines)

    def fail(self, run_id: int, sentence: str) -> None:
        """Note that a sync could not go on."""
        self._end(run_id, "failed", None, [sentence])

    def end_interrupted(self) -> None:
        """Note of every run that seems to go on that it does not: to be called by who holds the writer's lock."""
        with self._engine.begin() as connection:
            connection.execute(update(sync_runs).where(sync_runs.c.state == "running").values(state="interrupted"))

    def latest(self) -> dict[str, SyncRun]:
        """The last sync of each source."""
        last = select(func.max(sync_runs.c.id)).group_by(sync_runs.c.source)
        return {run.source: run for run in self._select(select(sync_runs).where(sync_runs.c.id.in_(last)))}

    def read_at(self) -> dict[str, float]:
        """When each source was last read to its end, in epoch seconds; those that never were are left out."""
        last = func.max(sync_runs.c.finished_at)
        query = select(sync_runs.c.source, last.label("at")).where(sync_runs.c.state.in_(FINISHED))
        with self._engine.connect() as connection:
            return {row.source: row.at for row in connection.execute(query.group_by(sync_runs.c.source))}

    def recent(self, source: str, most: int = 20) -> list[SyncRun]:
        """The last syncs of a source, the newest first."""
        mine = select(sync_runs).where(sync_runs.c.source == source)
        return self._select(mine.order_by(sync_runs.c.id.desc()).limit(most))

    def _select(self, query: Select[Any]) -> list[SyncRun]:
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [
            SyncRun(
                row.id,
                row.source,
                row.asked_by,
                row.started_at,
                row.finished_at,
                row.state,
                row.counts or {},
                row.failures or [],
            )
            for row in rows
        ]

    def _end(self, run_id: int, state: str, counts: dict[str, int] | None, failures: list[str]) -> None:
        with self._engine.begin() as connection:
            connection.execute(
                update(sync_runs)
                .where(sync_runs.c.id == run_id)
                .values(state=state, counts=counts, failures=failures, finished_at=self._clock())
            )
