from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.domain.syncing import SyncFinished
from core.errors import BusyError, SettingsError, SourceError
from core.settings import SourceKind, SourceSettings
from core.store.database import open_database
from core.store.sync_runs import SyncRunStore
from sync.lock import FileWriter, writer_lock
from sync.service import STOPPED, SyncService
from sync.sources.base import FailedDocument, Source
from tests.fakes import Shelf, document
from tests.unit.sync.conftest import Workshop

Serve = Callable[..., SyncService]


@pytest.fixture
def runs(tmp_path: Path) -> SyncRunStore:
    ticks = iter(range(1000, 10_000, 5))
    return SyncRunStore(open_database(f"sqlite:///{tmp_path}/testigo.db"), lambda: float(next(ticks)))


@pytest.fixture
def serve(workshop: Workshop, runs: SyncRunStore) -> Serve:
    def serve(**shelves: Shelf | SourceError) -> SyncService:
        def open_source(settings: SourceSettings) -> Source:
            shelf = shelves[settings.name]
            if isinstance(shelf, SourceError):
                raise shelf
            return shelf

        return SyncService(
            engine=workshop.engine,
            sources=[SourceSettings(name=name, kind=SourceKind.FOLDER, path=Path(name)) for name in shelves],
            open_source=open_source,
            runs=runs,
            writer=FileWriter(workshop.folder),
        )

    return serve


def shelf(name: str = "hr", count: int = 3) -> Shelf:
    return Shelf([document(f"{name}-{i}", f"Page {i} of {name}.", source=name) for i in range(count)], name)


def test_each_run_is_recorded_with_who_asked_and_how_long_it_took(serve: Serve, runs: SyncRunStore) -> None:
    broken = [FailedDocument(f"{i}.pdf", f"{i}.pdf is broken.") for i in range(40)]
    service = serve(hr=Shelf([*shelf().documents, *broken], "hr"))
    list(service.run("hr", "ana@x.com"))
    run = runs.latest()["hr"]
    assert (run.asked_by, run.state, run.counts["added"], run.counts["failed"]) == ("ana@x.com", "done", 3, 40)
    assert run.seconds == 5
    assert len(run.failures) == 1
    assert run.failures[0].startswith("40 documents: … is broken.")


def test_one_source_that_cannot_be_read_does_not_keep_the_others_from_it(serve: Serve, runs: SyncRunStore) -> None:
    service = serve(gone=SourceError("There is no export."), hr=shelf())
    with pytest.raises(SourceError):
        list(service.run(None, "ana"))
    assert {name: run.state for name, run in runs.latest().items()} == {"gone": "failed", "hr": "done"}


def test_a_second_sync_is_told_who_is_at_it_or_waits(serve: Serve, workshop: Workshop) -> None:
    service = serve(hr=shelf())
    with writer_lock(workshop.folder, "bo@x.com"), pytest.raises(BusyError, match=r"bo@x\.com"):
        list(service.run("hr", "ana"))
    assert list(service.run("hr", "ana", wait_seconds=1))


def test_a_dry_run_needs_no_lock_and_leaves_no_record(serve: Serve, workshop: Workshop, runs: SyncRunStore) -> None:
    service = serve(hr=shelf())
    with writer_lock(workshop.folder, "bo@x.com"):
        finished = list(service.run("hr", "ana", dry_run=True))[-1]
    assert isinstance(finished, SyncFinished) and finished.counts.added == 3
    assert runs.latest() == {}


def test_a_run_that_a_crash_cut_short_is_not_said_to_go_on(serve: Serve, runs: SyncRunStore) -> None:
    runs.begin("it", "ana")
    list(serve(hr=shelf()).run("hr", "ana"))
    assert runs.latest()["it"].state == "interrupted"


def test_an_unknown_source_is_answered_with_the_known_ones(serve: Serve) -> None:
    with pytest.raises(SettingsError, match="hr, it"):
        list(serve(hr=shelf(), it=shelf("it")).run("x", "ana"))
    with pytest.raises(SettingsError, match=r"testigo\.toml"):
        list(serve().run(None, "ana"))


async def test_a_sync_in_a_thread_tells_the_same(serve: Serve) -> None:
    service = serve(hr=shelf())
    events = [event async for event in service.reindex("hr", "ana")]
    assert isinstance(events[-1], SyncFinished)
    with pytest.raises(SettingsError):
        [event async for event in service.reindex("x", "ana")]


async def test_a_service_that_stops_ends_its_runs_between_documents(serve: Serve, runs: SyncRunStore) -> None:
    service = serve(hr=shelf(count=100))
    service.stop()
    with pytest.raises(OSError, match="stopped"):
        [event async for event in service.reindex("hr", "ana")]
    assert runs.latest()["hr"].failures == [STOPPED]


def test_sources_are_described_each_or_why_not(serve: Serve) -> None:
    described = list(serve(gone=SourceError("There is no export."), hr=shelf()).describe())
    assert isinstance(described[0], SourceError)
    assert not isinstance(described[1], Exception) and described[1].documents == 3


async def test_who_watches_may_only_plan_or_agree_to_what_was_held_back(serve: Serve, runs: SyncRunStore) -> None:
    pages = shelf(count=10)
    service = serve(hr=pages)
    [event async for event in service.reindex("hr", "ana@x.com")]
    pages.take(*(f"hr-{n}" for n in range(4)))
    planned = [event async for event in service.reindex("hr", "ana@x.com", dry_run=True)][-1]
    assert isinstance(planned, SyncFinished)
    assert (planned.dry_run, planned.awaiting) == (True, 4)
    assert len(runs.recent("hr")) == 1
    [event async for event in service.reindex("hr", "ana@x.com")]
    assert runs.latest()["hr"].awaiting == 4
    gone = [event async for event in service.reindex("hr", "ana@x.com", agreed_removals=4)][-1]
    assert isinstance(gone, SyncFinished)
    assert gone.counts.removed == 4
    assert runs.latest()["hr"].awaiting == 0


async def test_everything_is_read_anew_where_that_is_wanted(serve: Serve) -> None:
    service = serve(hr=shelf())
    [event async for event in service.reindex("hr", "ana@x.com")]
    again = [event async for event in service.reindex("hr", "ana@x.com", full=True)][-1]
    assert isinstance(again, SyncFinished)
    assert again.counts.changed == 3
