"""Which chunks table is served. An index may hold several, one for each embedding model that it was built with.

A rebuild fills a new table beside the served one, and then this pointer moves in one step: a file that is replaced
whole, or, where the index is no folder, the one row of a table that Lance overwrites in one commit. A crash leaves the
old pointer or the new one.
"""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pydantic import ConfigDict, TypeAdapter, ValidationError

from core.errors import StorageError
from core.index.lance import lancedb

FIRST_TABLE = "chunks"
"""The table that a new index begins with; a rebuild's are `chunks_2`, `chunks_3` …"""

POINTER_FILE = "serving.json"
POINTER_TABLE = "serving"
_NUMBERED = re.compile(rf"{FIRST_TABLE}(?:_(\d+))?")


@dataclass(frozen=True, slots=True)
class Retired:
    """A table that was served until `since`, and stays for readers that began with it."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    table: str
    since: dt.datetime
    is_going: bool = False
    """It is being deleted, perhaps half: nobody reads it any more, and no rebuild goes on with it."""


@dataclass(frozen=True, slots=True)
class Serving:
    """What the pointer says. An index that was never rebuilt has none, and serves its first table."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    table: str = FIRST_TABLE
    model_id: str = ""
    """The model of that table; empty where there is no pointer: then the table itself says it."""
    version: int = 0
    """Lance's version of the table as it took over: while it has no other, the one before it says the same."""
    retired: tuple[Retired, ...] = ()

    def keeps(self, table: str) -> bool:
        """Whether a table that was served is still kept for its last readers."""
        return any(old.table == table and not old.is_going for old in self.retired)

    def names(self, table: str) -> bool:
        """Whether a table is served, or was."""
        return table == self.table or any(old.table == table for old in self.retired)


_SERVING = TypeAdapter(Serving)


def read_serving(location: str) -> Serving:
    """What is served at an index.

    Raises:
        StorageError: there is a pointer, and it cannot be read: no table is guessed, since an old one may show what
            was restricted since.
    """
    try:
        said = _read_row(location) if "://" in location else _read_file(location)
        return Serving() if said is None else _SERVING.validate_json(said)
    except (OSError, RuntimeError, ValueError, ValidationError) as error:
        raise StorageError(
            f"What is served at {location} cannot be read ({type(error).__name__}): restore {POINTER_FILE} there, or "
            "delete the index folder and run `testigo sync --full`."
        ) from error


def write_serving(location: str, serving: Serving) -> None:
    """Move the pointer, in one step.

    Raises:
        StorageError: it cannot be written; what was served is still served.
    """
    said = _SERVING.dump_json(serving)
    try:
        if "://" in location:
            _write_row(location, said)
        else:
            _write_file(location, said)
    except (OSError, RuntimeError, ValueError) as error:
        raise StorageError(
            f"What is served at {location} cannot be written ({type(error).__name__}): check that the disk is not "
            "full. What was served is still served."
        ) from error


def next_table(names: Iterable[str]) -> str:
    """A name for a new chunks table that none of these has."""
    numbers = [int(found[1] or 1) for name in names if (found := _NUMBERED.fullmatch(name))]
    return f"{FIRST_TABLE}_{max(numbers, default=1) + 1}"


def chunk_tables(names: Iterable[str]) -> list[str]:
    """Those of these tables that hold chunks."""
    return [name for name in names if _NUMBERED.fullmatch(name)]


def _read_file(location: str) -> bytes | None:
    try:
        return (Path(location) / POINTER_FILE).read_bytes()
    except FileNotFoundError:
        return None


def _write_file(location: str, said: bytes) -> None:
    folder = Path(location)
    partial = folder / f"{POINTER_FILE}.partial"
    with partial.open("wb") as file:
        file.write(said)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(folder / POINTER_FILE)
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)  # else a power cut may bring the old name back after the old table has gone
    finally:
        os.close(directory)


def _read_row(location: str) -> bytes | None:
    database = lancedb.connect(location)
    if POINTER_TABLE not in database.list_tables().tables:
        return None
    rows = database.open_table(POINTER_TABLE).to_arrow()["said"].to_pylist()
    return str(rows[0]).encode()


def _write_row(location: str, said: bytes) -> None:
    table = pa.table({"said": [said.decode()]})
    lancedb.connect(location).create_table(POINTER_TABLE, table, mode="overwrite")
