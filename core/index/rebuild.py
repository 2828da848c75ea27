"""Fill a second chunks table with vectors of another model, beside the one that is served, and then swap.

Text, ids, offsets, versions and access are copied from what is stored: no export is read. Questions are answered from
the old table meanwhile, and syncs may write to it; what they wrote is copied in a last round, which alone holds the
writer's lock. A rebuild that was killed goes on where it ended.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from filelock import FileLock, Timeout

from core.embedding.space import VectorSpace
from core.errors import StorageError
from core.index.generations import Retired, Serving, chunk_tables, next_table, read_serving, write_serving
from core.index.lance import col, lancedb, lit
from core.index.lexical import LexicalIndex
from core.index.rereading import ROWS, stored_rows, with_vectors
from core.index.schema import TOMBSTONE_RULE, tombstone_rows
from core.index.tables import MODEL_KEY, NEVER, Tables
from core.retrieval.interaction import LateInteraction

STATES_AT_ONCE = 10_000
UNLOCKED_ROUNDS = 3
"""Rounds without the lock, as long as syncs write more than a few rows meanwhile."""
KEEP_RETIRED = dt.timedelta(minutes=10)
"""How long a table stays after the swap, for questions that began with it."""

_STATE = ("document_version", "rule_id", "content_hash", "start", "context", "about")
"""What of a row changes when a sync writes it again."""


@dataclass(frozen=True, slots=True)
class RebuildProgress:
    """So many of the chunks of this round are written."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class RebuildFinished:
    """The new table is served."""

    chunks: int
    model_before: str
    model_after: str
    seconds: float


class Rebuild:
    """Builds one index anew with a model. Any number of processes may read and sync meanwhile."""

    def __init__(
        self,
        location: str,
        lexical: LexicalIndex,
        space: VectorSpace,
        words: LateInteraction | None,
        writer_lock: Callable[[], AbstractContextManager[None]],
        *,
        now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`writer_lock` is the lock that every sync of this index holds."""
        self._location = location
        self._lexical = lexical
        self._space = space
        self._words = words
        self._writer_lock = writer_lock
        self._now = now
        self._monotonic = monotonic

    def run(self) -> Generator[RebuildProgress | RebuildFinished]:
        """Build and swap.

        Raises:
            StorageError: another rebuild is going, or the index cannot be written; the old table is still served.
            BusyError: a sync went on for so long that the last round could not begin.
        """
        begun = self._monotonic()
        lock = FileLock(f"{self._lexical.folder}-rebuild.lock", thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise StorageError("The index is being rebuilt already: wait for that to end.") from None
        with lock:
            old = Tables.as_stored(self._location)
            new = self._begun(read_serving(self._location))
            for _ in range(UNLOCKED_ROUNDS):
                if (yield from self._copy(old, new)) <= ROWS:
                    break
            new.ensure_indexes()
            new.chunks.optimize(cleanup_older_than=NEVER)
            lexical = self._lexical.of(new.chunks_table)
            lexical.catch_up(new)
            with self._writer_lock():
                yield from self._copy(old, new)
                lexical.catch_up(new)
                self._swap(old, new)
            chunks = int(new.chunks.count_rows(f"rule_id != {TOMBSTONE_RULE}"))
            yield RebuildFinished(chunks, old.model_id, new.model_id, self._monotonic() - begun)

    def _begun(self, serving: Serving) -> Tables:
        """The table to fill: the one that a killed rebuild with this model has left, or a new one."""
        database = lancedb.connect(self._location)
        names = chunk_tables(database.list_tables().tables)
        unfinished = None
        for name in names:
            if serving.names(name):
                continue
            try:
                schema = database.open_table(name).schema
            except ValueError:  # killed while it was made or dropped: a folder without a table in it
                _drop(database, name, self._lexical)
                continue
            if (schema.metadata or {}).get(MODEL_KEY, b"").decode() == self._space.model_id:
                unfinished = name
            else:
                _drop(database, name, self._lexical)
        return Tables(
            self._location,
            dimension=self._space.dimension,
            model_id=self._space.model_id,
            chunks=unfinished or next_table(names),
        )

    def _copy(self, old: Tables, new: Tables) -> Generator[RebuildProgress, None, int]:
        """One round: write what the old table has otherwise. Returns how many rows that were."""
        source = old.pinned(old.refresh())
        new.refresh()
        there, here = _states(source), _states(new.chunks)
        changed = [key for key, state in there.items() if here.get(key) != state]
        for at in range(0, len(changed), ROWS):
            rows = stored_rows(source, changed[at : at + ROWS])
            new.upsert_chunks(with_vectors(rows, new, self._space, self._words))
            yield RebuildProgress(min(at + ROWS, len(changed)), len(changed))
        gone = sorted(here.keys() - there.keys())
        for at in range(0, len(gone), ROWS):
            new.upsert_chunks(_tombstones(new, gone[at : at + ROWS]))
        return len(changed) + len(gone)

    def _swap(self, old: Tables, new: Tables) -> None:
        serving = read_serving(self._location)
        retired = (*serving.retired, Retired(old.chunks_table, self._now()))
        write_serving(self._location, Serving(new.chunks_table, new.model_id, new.refresh(), retired))


def drop_retired(location: str, lexical: LexicalIndex, now: dt.datetime, keep: dt.timedelta = KEEP_RETIRED) -> None:
    """Delete the tables that have not been served for so long. To be called by who holds the writer's lock."""
    serving = read_serving(location)
    over = [old.table for old in serving.retired if old.since <= now - keep]
    if not over:
        return
    # Said before and after: a table that was deleted by half must not be taken for one that was filled by half.
    kept = tuple(old for old in serving.retired if old.table not in over)
    going = tuple(replace(old, is_going=True) for old in serving.retired if old.table in over)
    write_serving(location, replace(serving, retired=(*kept, *going)))
    database = lancedb.connect(location)
    for table in over:
        _drop(database, table, lexical)
    write_serving(location, replace(serving, retired=kept))


def _drop(database: Any, table: str, lexical: LexicalIndex) -> None:
    database.drop_table(table, ignore_missing=True)
    lexical.of(table).discard()


def _states(handle: Any) -> dict[str, int]:
    """For each live row its key, and a number that is another when a sync has written it again."""
    live = col("rule_id") != lit(TOMBSTONE_RULE)
    states: dict[str, int] = {}
    for batch in handle.search().where(live).select(["key", *_STATE]).to_batches(STATES_AT_ONCE):
        columns = [batch.column(name).to_pylist() for name in ("key", *_STATE)]
        states |= {key: hash(tuple(state)) for key, *state in zip(*columns, strict=True)}
    return states


def _tombstones(new: Tables, keys: Sequence[str]) -> pa.Table:
    rows = new.chunks.search().where(col("key").isin(list(keys))).select(["tenant_id", "chunk_id"]).limit(len(keys))
    seq = new.next_seq()
    parts = [tombstone_rows(row["tenant_id"], [row["chunk_id"]], seq, new.chunks.schema) for row in rows.to_list()]
    return pa.concat_tables(parts)
