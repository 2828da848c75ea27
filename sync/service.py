"""Syncs as front ends start them: by name, one at a time, watched as a stream, and recorded."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace

from core.domain.contexts import ContextCost, ContextReport
from core.domain.syncing import SourceDescription, SyncEvent, SyncFinished, SyncProgress
from core.errors import SettingsError, StorageError, TestigoError
from core.settings import SourceSettings
from core.store.sync_runs import SyncRunStore
from sync.contexts import ContextFiller
from sync.engine import SyncEngine
from sync.lock import Writer
from sync.sources.base import Source

STOPPED = "It was stopped: the next sync goes on where it ended."


class SyncService:
    """Runs syncs. The engine's work is plain and blocking; `reindex` runs it in a thread."""

    def __init__(
        self,
        *,
        engine: Callable[[], SyncEngine],
        sources: Sequence[SourceSettings],
        open_source: Callable[[SourceSettings], Source],
        runs: SyncRunStore,
        writer: Writer,
        maintain: Callable[[], object] = lambda: None,
        contexts: Callable[[], ContextFiller] | None = None,
        contexts_usd: float = 0.0,
    ) -> None:
        """`contexts` has sentences written about chunks, in a run that nobody was asked about for `contexts_usd`."""
        self._engine = engine
        self._sources = {source.name: source for source in sources}
        self._open_source = open_source
        self._runs = runs
        self._writer = writer
        self._maintain = maintain
        self._contexts = contexts
        self._contexts_usd = contexts_usd
        self._stopping = threading.Event()

    def describe(self) -> Iterator[SourceDescription | TestigoError]:
        """What each source holds, or why it cannot be read, in the order of the settings."""
        for settings in self._sources.values():
            try:
                yield self._open_source(settings).describe()
            except TestigoError as error:
                yield error

    def run(
        self,
        source: str | None,
        asked_by: str,
        *,
        confirm_removals: bool = False,
        agreed_removals: int = 0,
        full: bool = False,
        dry_run: bool = False,
        contexts: bool = True,
        wait_seconds: float = 0,
    ) -> Iterator[SyncEvent]:
        """Sync one source, or all, in the caller's thread.

        Args:
            source: its name; None for all.
            asked_by: who wants it, for the record.
            confirm_removals: remove documents even if more are gone than the settings allow.
            agreed_removals: remove so many documents all the same, and no more.
            full: write every document again, its vectors too.
            dry_run: only plan; needs no lock and leaves no record.
            contexts: have the sentences written that chunks lack, within the settings' budget for the whole run.
            wait_seconds: how long to wait for another sync to end.

        Raises:
            SettingsError: there is no such source.
            BusyError: a sync is going.
            SourceError, StorageError: see `SyncEngine.sync`. With several sources, the others have been synced first.
        """
        chosen = self._chosen(source)
        failed: list[TestigoError] = []
        purse = _Purse(self._contexts_usd) if contexts else None
        with nullcontext() if dry_run else self._writer.hold(asked_by, wait_seconds):
            if not dry_run:
                self._runs.end_interrupted()
            for settings in chosen:
                try:
                    if dry_run:
                        yield from self._engine().sync(self._open_source(settings), full=full, dry_run=True)
                    else:
                        yield from self._one(settings, asked_by, confirm_removals, agreed_removals, purse, full=full)
                except TestigoError as error:
                    failed.append(error)
            if not dry_run:
                try:
                    self._writer.check()
                    self._maintain()
                except TestigoError as error:
                    failed.append(error)
        if failed:
            raise failed[0]

    def contexts_cost(self, source: str | None) -> ContextCost | None:
        """Estimate what it costs to fill in the sentences that chunks lack; None where no model writes any.

        Raises:
            SettingsError: there is no such source.
            StorageError: the index cannot be read.
        """
        if self._contexts is None:
            return None
        filler = self._contexts()
        return sum((filler.cost(settings.name) for settings in self._chosen(source)), ContextCost())

    def fill_contexts(
        self, source: str | None, asked_by: str, budget_usd: float | None
    ) -> Iterator[SyncProgress | ContextReport]:
        """Have the sentences written that chunks of one source lack, or of all, for no more than somebody agreed to.

        Args:
            source: its name; None for all.
            asked_by: who wants it, for those who meet the lock.
            budget_usd: what it may cost; None where that is not known.

        Raises:
            SettingsError: there is no such source.
            BusyError: a sync is going.
            StorageError, ModelError: see `ContextFiller.fill`.
        """
        if self._contexts is None:
            return
        chosen = self._chosen(source)
        with self._writer.hold(asked_by, 0):
            filler, purse = self._contexts(), _Purse(budget_usd)
            for settings in chosen:
                report = yield from filler.fill(settings.name, purse.usd)
                purse.take(report)
                yield report

    def stop(self) -> None:
        """End the runs that are going, after the documents that they are writing; for the end of the process."""
        self._stopping.set()

    async def reindex(
        self,
        source: str | None,
        asked_by: str,
        wait_seconds: float = 0,
        *,
        full: bool = False,
        dry_run: bool = False,
        agreed_removals: int = 0,
    ) -> AsyncGenerator[SyncEvent, None]:
        """As `run`, in a thread of its own."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[SyncEvent | BaseException | None] = asyncio.Queue()

        def work() -> None:
            end: BaseException | None = None
            try:
                for event in self.run(
                    source,
                    asked_by,
                    agreed_removals=agreed_removals,
                    full=full,
                    dry_run=dry_run,
                    wait_seconds=wait_seconds,
                ):
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

    def _one(
        self,
        settings: SourceSettings,
        asked_by: str,
        confirm_removals: bool,
        agreed_removals: int,
        purse: _Purse | None,
        *,
        full: bool,
    ) -> Iterator[SyncEvent]:
        engine = self._engine()
        run_id = self._runs.begin(settings.name, asked_by)
        try:
            steps = engine.sync(
                self._open_source(settings),
                confirm_removals=confirm_removals,
                agreed_removals=agreed_removals,
                full=full,
            )
            for event in steps:
                if isinstance(event, SyncFinished):
                    if purse is not None and self._contexts is not None:
                        event = yield from self._with_contexts(event, self._contexts(), purse)
                    self._runs.finish(run_id, event)
                elif self._stopping.is_set():
                    raise StorageError(STOPPED)
                yield event
        except TestigoError as error:
            self._runs.fail(run_id, str(error))
            raise
        except BaseException as error:
            self._runs.fail(run_id, STOPPED if isinstance(error, GeneratorExit) else type(error).__name__)
            raise

    def _with_contexts(
        self, finished: SyncFinished, filler: ContextFiller, purse: _Purse
    ) -> Generator[SyncEvent, None, SyncFinished]:
        """Have sentences written, and tell of it in the report of the sync, whose documents are all there already."""
        filling = filler.fill(finished.source, purse.usd)
        while True:
            try:
                progress = next(filling)
            except StopIteration as end:
                report: ContextReport = end.value
                break
            if self._stopping.is_set():
                filling.close()
                return finished
            yield progress
        purse.take(report)
        return replace(finished, contexts=report, warnings=(*finished.warnings, *report.lines))


class _Purse:
    """What a run may still spend on sentences; None: whatever they cost."""

    def __init__(self, usd: float | None) -> None:
        self.usd = usd

    def take(self, report: ContextReport) -> None:
        """Take out what a source has cost."""
        if self.usd is not None:
            self.usd = max(0.0, self.usd - (report.usd or 0.0))
