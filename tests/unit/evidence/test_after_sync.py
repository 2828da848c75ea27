"""What a sync does for evidence at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from core.domain.syncing import SyncCounts, SyncEvent, SyncFinished
from core.errors import SourceError, StorageError
from core.settings import SourceKind, SourceSettings
from core.store.database import open_database
from core.store.sync_runs import SyncRunStore
from sync.engine import SyncEngine
from sync.lock import FileWriter
from sync.service import SyncService


class NothingToDo:
    """An engine that finishes at once."""

    def sync(self, source: object, **options: object) -> Iterator[SyncEvent]:
        yield SyncFinished("s", SyncCounts(), 0.0)


def service(
    folder: Path, maintain: Callable[[], object], open_source: Callable[..., Any] = lambda _: None
) -> SyncService:
    return SyncService(
        engine=lambda: cast(SyncEngine, NothingToDo()),
        sources=[SourceSettings(name="s", kind=SourceKind.FOLDER, path=folder)],
        open_source=open_source,
        runs=SyncRunStore(open_database(f"sqlite:///{folder}/testigo.db")),
        writer=FileWriter(folder),
        maintain=maintain,
    )


def test_evidence_is_looked_after_at_the_end_of_each_sync_and_not_of_a_dry_run(tmp_path: Path) -> None:
    done: list[str] = []
    syncs = service(tmp_path, lambda: done.append("maintained"))
    list(syncs.run(None, "ana", dry_run=True))
    assert done == []
    list(syncs.run(None, "ana"))
    assert done == ["maintained"]


def test_what_goes_wrong_with_evidence_does_not_hide_what_went_wrong_with_the_sync(tmp_path: Path) -> None:
    def no_export(_: object) -> None:
        raise SourceError("There is no export.")

    def full_disk() -> None:
        raise StorageError("The disk is full.")

    with pytest.raises(SourceError):
        list(service(tmp_path, full_disk, no_export).run(None, "ana"))
    with pytest.raises(StorageError):
        list(service(tmp_path, full_disk).run(None, "ana"))
