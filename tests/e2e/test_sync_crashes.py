"""A sync is killed with SIGKILL at any moment; nothing is torn, nothing is lost, and the next one goes on."""

from __future__ import annotations

from pathlib import Path

from core.domain.access import EVERYONE, Audience, Principal, Reader
from core.domain.syncing import SyncFinished
from core.index.reader import IndexReader
from tests.crashing import DOCUMENTS, damage_of, export_of, kill_often, open_index

KILLS = 4


def test_a_sync_that_is_killed_at_any_moment_tears_and_loses_nothing(tmp_path: Path) -> None:
    for damage in kill_often(tmp_path, KILLS, seed=7):
        assert (damage.torn, damage.lost) == ([], [])
    tables, lexical, engine = open_index(tmp_path)
    finished = list(engine.sync(export_of(500)))[-1]
    assert isinstance(finished, SyncFinished)
    assert finished.counts.failed == finished.counts.removed == finished.counts.added == 0
    damage = damage_of(tables)
    assert (damage.torn, damage.lost) == ([], [])
    reader = Reader("t", frozenset({EVERYONE, Principal.group("hr")}))
    snapshot = IndexReader(tables, lexical).snapshot(reader, Audience.person(reader))
    assert len(snapshot.lexical("warehouse", 1000)) == tables.counts("t")[1]
    assert tables.counts("t")[0] == DOCUMENTS
