"""Syncs as front ends start them: by name, one at a time, watched as a stream, and recorded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from pathlib import Path

from core.domain.syncing import SyncEvent, SyncFinished
from core.errors import SettingsError, TestigoError
from core.settings import SourceSettings
from core.store.sync_runs import SyncRunStore
from sync.engine import SyncEngine
from sync.lock import writer_lock
from sync.sources.base import Source


class SyncService:
    """Runs syncs. The engine's work is plain and blocking; `reindex` runs it in a thread."""

    def __init__(
        self,
        *,
        engine: SyncEngine,
        sources: Sequence[SourceSettings],
        open_source: Callable[[SourceSettings], Source],
        runs: SyncRunStore,
        data_dir: Path,
    ) -> None:
        self._engine = engine
        self._sources = {source.name: source for source in sources}
        self._open_source = open_source
        self._runs = runs
        self._data_dir = data_dir

    def run(self, source: str | None, asked_by: str, *, confirm_removals: bool = False) -> Iterator[SyncEvent]:
        """Sync one source, or all, in the caller's thread.

        Raises:
            SettingsError: there is no such source.
            BusyError: a sync is going.
            SourceError, StorageError: see `SyncEngine.sync`. With several sources, the others have been synced first.
        """
        chosen = self._chosen(source)
        with writer_lock(self._data_dir, asked_by):
            failed: list[TestigoError] = []
            for settings in chosen:
                try:
                    yield from self._one(settings, asked_by, confirm_removals)
                except TestigoError as error:
                    failed.append(error)
            if failed:
                raise failed[0]

    async def reindex(self, source: str | None, asked_by: str) -> AsyncGenerator[SyncEvent, None]:
        """As `run`, in a thread of its own."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[SyncEvent | BaseException | None] = asyncio.Queue()

        def work() -> None:
            end: BaseException | None = None
            try:
                for event in self.run(source, asked_by):
                    loop.call_soon_threadsafe(queue.put_nowait, event)
            except BaseException as error:  # handed to whoever waits
                end = error
            loop.call_soon_threadsafe(queue.put_nowait, end)

        worker = asyncio.create_task(asyncio.to_thread(work))
        try:
            while (item := await queue.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            # A watcher that leaves does not stop a sync; it is waited for, so that its lock is not left behind.
            await asyncio.shield(worker)

    def _chosen(self, source: str | None) -> list[SourceSettings]:
        if not self._sources:
            raise SettingsError("There are no sources: add a [[sources]] table to testigo.toml.")
        if source is None:
            return list(self._sources.values())
        if source not in self._sources:
            raise SettingsError(f"There is no source {source!r}; the sources are {', '.join(self._sources)}.")
        return [self._sources[source]]

    def _one(self, settings: SourceSettings, asked_by: str, confirm_removals: bool) -> Iterator[SyncEvent]:
        run_id = self._runs.begin(settings.name, asked_by)
        try:
            for event in self._engine.sync(self._open_source(settings), confirm_removals=confirm_removals):
                if isinstance(event, SyncFinished):
                    self._runs.finish(run_id, event)
                yield event
        except TestigoError as error:
            self._runs.fail(run_id, str(error))
            raise
        except BaseException as error:
            self._runs.fail(run_id, type(error).__name__)
            raise
