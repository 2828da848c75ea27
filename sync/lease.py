"""One writer at a time over several hosts, by a lease in the database that they share."""

from __future__ import annotations

import datetime as dt
import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from core.errors import BusyError, StorageError
from core.store.lease import Clock, LeaseStore, database_time

WRITING = "index"
LEASE_SECONDS = 60.0
LOST = (
    "Another process took over the right to write, since this one could not renew it in time: it was stopped, "
    "and the next sync goes on where it ended."
)
_LOOK_AGAIN_SECONDS = 0.5

_log = logging.getLogger(__name__)


class LeaseWriter:
    """Fulfils `sync.lock.Writer`. A thread renews the lease; before each commit the writer renews it itself, so that it
    never writes beside the next holder: a commit takes far less than the lease lasts. One task of a process holds it at
    a time, for as long as it runs: one that has lost the lease must not go on under that of the next.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        seconds: float = LEASE_SECONDS,
        clock: Clock = database_time,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = LeaseStore(engine, WRITING, clock)
        self._seconds = seconds
        self._sleep = sleep
        self._monotonic = monotonic
        self._owner = ""

    @contextmanager
    def hold(self, asked_by: str, wait_seconds: float = 0) -> Iterator[None]:
        """Hold the right to write, once it is free: given back, or its holder dead for as long as a lease lasts.

        Raises:
            BusyError: after the wait another process, or another task of this one, is writing.
            StorageError: the database does not answer.
        """
        owner = uuid.uuid4().hex
        self._take(owner, asked_by, self._monotonic() + wait_seconds)
        self._owner = owner
        ended = threading.Event()
        renewing = threading.Thread(target=self._keep_renewing, args=(owner, ended), daemon=True)
        renewing.start()
        try:
            yield
        finally:
            ended.set()
            renewing.join()
            self._owner = ""
            with suppress(SQLAlchemyError):  # it ends by itself
                self._store.give_back(owner)

    def check(self) -> None:
        """Make sure, just before a commit, that nobody else may write.

        Raises:
            StorageError: the lease is lost, or the database does not answer.
        """
        try:
            held = self._store.renew(self._owner, self._seconds)
        except SQLAlchemyError as error:
            raise StorageError(f"The database does not answer ({type(error).__name__}): nothing is written.") from None
        if not held:
            raise StorageError(LOST)

    def _take(self, owner: str, asked_by: str, give_up_at: float) -> None:
        while True:
            try:
                if not self._owner and self._store.take(owner, asked_by, self._seconds):
                    return
                holder = self._store.holder()
            except SQLAlchemyError as error:
                raise StorageError(f"The database does not answer ({type(error).__name__}).") from None
            if self._monotonic() >= give_up_at:
                if holder is None:  # it has just ended
                    raise BusyError("somebody", dt.datetime.now(dt.UTC))
                raise BusyError(holder.asked_by, dt.datetime.fromtimestamp(holder.since, dt.UTC))
            self._sleep(_LOOK_AGAIN_SECONDS)

    def _keep_renewing(self, owner: str, ended: threading.Event) -> None:
        """Hold the lease while passages are embedded, which may take longer than it lasts."""
        while not ended.wait(self._seconds / 3):
            try:
                if not self._store.renew(owner, self._seconds):
                    return  # the next `check` says so
            except SQLAlchemyError as error:
                _log.warning("The writer's lease could not be renewed (%s).", type(error).__name__)
