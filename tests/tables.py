"""SQLite files whose tables are made already: they are copied, since making them takes longer than most tests."""

from __future__ import annotations

import functools
import shutil
import tempfile
from pathlib import Path

from sqlalchemy import make_url

from core.store.database import open_database


def lay_tables(url: str) -> None:
    """Put a file with empty tables where a SQLite database is to be, if nothing is there yet."""
    named = make_url(url).database
    if named is not None and not Path(named).exists():
        shutil.copy(Path(_kept().name, "testigo.db"), named)


@functools.cache
def _kept() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="tables-")
    open_database(f"sqlite:///{folder.name}/testigo.db").dispose()
    return folder
