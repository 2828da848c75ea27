"""One writer at a time, over processes, by a lock that a crash releases."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from filelock import FileLock, Timeout

from core.errors import BusyError


class Writer(Protocol):
    """The right to write to the index. Two ways to it: a locked file on one host, a lease over several."""

    def hold(self, asked_by: str, wait_seconds: float = 0) -> AbstractContextManager[None]:
        """Hold it, once it is free.

        Raises:
            BusyError: after the wait another is writing; says since when and for whom.
        """

    def check(self) -> None:
        """Make sure, just before a commit, that it is still held.

        Raises:
            StorageError: it is not, and nothing may be written.
        """


class FileWriter:
    """Fulfils `Writer` on one host. The operating system keeps the lock for as long as the process lives."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir

    def hold(self, asked_by: str, wait_seconds: float = 0) -> AbstractContextManager[None]:
        """See `writer_lock`."""
        return writer_lock(self._data_dir, asked_by, wait_seconds)

    def check(self) -> None:
        """Nobody can have taken it."""


@contextmanager
def writer_lock(data_dir: Path, asked_by: str, wait_seconds: float = 0) -> Iterator[None]:
    """Hold the right to write, once it is free.

    Raises:
        BusyError: after the wait, another process, or another task of this one, is writing; says since when and for
            whom.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    holder = data_dir / "sync.holder.json"
    # The operating system frees the lock when its process dies. A thread of its own may hold it: not thread-local.
    lock = FileLock(str(data_dir / "sync.lock"), thread_local=False)
    try:
        lock.acquire(timeout=wait_seconds)
    except Timeout:
        raise _busy(holder) from None
    try:
        holder.write_text(json.dumps({"asked_by": asked_by, "since": dt.datetime.now(dt.UTC).isoformat()}))
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def _busy(holder: Path) -> BusyError:
    try:
        held = json.loads(holder.read_text())
        return BusyError(str(held["asked_by"]), dt.datetime.fromisoformat(held["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return BusyError("somebody", dt.datetime.now(dt.UTC))  # its holder is just beginning or ending
