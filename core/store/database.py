"""Open the SQL store."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, func, inspect, make_url, select, text
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from core.errors import StorageError
from core.store.schema import metadata

_MAKING_TABLES = 7_345_117
"""A number of ours among the advisory locks of a PostgreSQL database."""
_BUSY_SECONDS = 10.0
"""How long SQLite waits for a writer."""
_BUSY_TIMEOUT = f"PRAGMA busy_timeout={_BUSY_SECONDS * 1000:.0f}"
_LOOK_SECONDS = 0.001


def open_database(url: str) -> Engine:
    """Connect to the store and make the tables and columns that are missing.

    Raises:
        StorageError: the address is wrong, or the database cannot be reached or written.
    """
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() == "sqlite" and parsed.database:
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        if parsed.drivername in {"postgresql", "postgres"}:  # without a word about the driver: ours
            parsed = parsed.set(drivername="postgresql+psycopg")
        engine = create_engine(parsed, pool_pre_ping=True)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _tune_sqlite)
        with _one_at_a_time(engine):
            metadata.create_all(engine)
            _add_missing_columns(engine)
    except ImportError as error:
        raise StorageError(
            f"The driver of the database is missing ({error.name}): for PostgreSQL, pip install 'psycopg[binary]'."
        ) from error
    except (SQLAlchemyError, OSError) as error:
        raise StorageError(
            f"The database cannot be opened ({type(error).__name__}): check TESTIGO_DATABASE_URL, "
            "that its folder can be written to, and that the disk is not full."
        ) from error
    return engine


@contextmanager
def urgent(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes something for which somebody waits, before whoever else wants to write.

    SQLite has one lock for all writers. Who finds it taken sleeps, longer each time (up to 0.1 s) and in no order: with
    eight questions being answered, one claim of twenty waited for half a second. Here the lock is tried each
    millisecond.

    Raises:
        OperationalError: it is still taken after ten seconds, or the database does not answer.
    """
    if engine.dialect.name != "sqlite":
        with engine.begin() as connection:
            yield connection
        return
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout=0")
        try:
            _begin_as_soon_as_possible(connection)
            yield connection
            connection.commit()
        finally:
            connection.rollback()
            connection.exec_driver_sql(_BUSY_TIMEOUT)


def _begin_as_soon_as_possible(connection: Connection) -> None:
    until = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            return
        except OperationalError as error:
            if "locked" not in str(error.orig) or time.monotonic() >= until:
                raise
        time.sleep(_LOOK_SECONDS)


@contextmanager
def _one_at_a_time(engine: Engine) -> Iterator[None]:
    """Keep others waiting: of two hosts that start at once, both would find a table missing and one fail to make it."""
    if engine.dialect.name != "postgresql":  # SQLite's file is locked by what is written to it
        yield
        return
    with engine.begin() as connection:
        connection.execute(select(func.pg_advisory_xact_lock(_MAKING_TABLES)))
        yield


def _add_missing_columns(engine: Engine) -> None:
    """Give the tables of an older version the columns that came later: such columns may be null."""
    known = inspect(engine)
    quoted = engine.dialect.identifier_preparer.quote
    for table in metadata.sorted_tables:
        present = {column["name"] for column in known.get_columns(table.name)}
        for column in table.columns:
            if column.name not in present and column.nullable:
                kind = column.type.compile(engine.dialect)
                with engine.begin() as connection:
                    statement = f"ALTER TABLE {quoted(table.name)} ADD COLUMN {quoted(column.name)} {kind}"
                    connection.execute(text(statement))


def _tune_sqlite(connection: Any, _entry: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    # WAL: readers do not wait for the writer. FULL keeps a claimed event through a power cut, not only a crash.
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute(_BUSY_TIMEOUT)
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()
