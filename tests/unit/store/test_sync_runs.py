from __future__ import annotations

import pytest
from sqlalchemy import Engine

from core.domain.syncing import SyncCounts, SyncFinished
from core.store.sync_runs import SyncRunStore

HELD = SyncFinished("wiki", SyncCounts(unchanged=8), 1.0, held_back="12 of 20 are gone.", awaiting=12)
DONE = SyncFinished("wiki", SyncCounts(unchanged=8), 1.0)
EMPTY = SyncFinished("wiki", SyncCounts(), 1.0, held_back="The export holds no documents.")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture
def store(engine: Engine) -> SyncRunStore:
    return SyncRunStore(engine, Clock())


@pytest.mark.parametrize(("finished", "awaiting"), [(HELD, 12), (DONE, 0), (EMPTY, 0)])
def test_a_run_knows_how_many_documents_wait_for_somebodys_word(
    store: SyncRunStore, finished: SyncFinished, awaiting: int
) -> None:
    store.finish(store.begin("wiki", "ana"), finished)
    assert store.latest()["wiki"].awaiting == awaiting


def test_a_source_is_as_fresh_as_its_last_run_that_came_to_an_end(store: SyncRunStore) -> None:
    store.finish(store.begin("wiki", "ana"), DONE)  # ends at 1,002
    store.fail(store.begin("wiki", "ana"), "It is gone.")
    store.begin("wiki", "ana")
    store.begin("drive", "ana")
    assert store.read_at() == {"wiki": 1_002.0}
    store.finish(store.begin("wiki", "ana"), HELD)
    assert store.read_at()["wiki"] > 1_002.0
