"""Open the SQL store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from core.errors import StorageError
from core.store.schema import metadata


def open_database(url: str) -> Engine:
    """Connect to the store and make the tables that are missing.

    Raises:
        StorageError: the address is wrong, or the database cannot be reached or written.
    """
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() == "sqlite" and parsed.database:
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(parsed, pool_pre_ping=True)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _tune_sqlite)
        metadata.create_all(engine)
    except (SQLAlchemyError, OSError) as error:
        raise StorageError(
            f"The database cannot be opened ({type(error).__name__}): check TESTIGO_DATABASE_URL, "
            "that its folder can be written to, and that the disk is not full."
        ) from error
    return engine


def _tune_sqlite(connection: Any, _entry: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    # WAL: readers do not wait for the writer. FULL keeps a claimed event through a power cut, not only a crash.
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA busy_timeout=10000")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()
