"""The stores that several hosts share, where no other file of this folder tests them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, create_engine, inspect

from core.domain.auditing import AuditKind, AuditNote
from core.domain.syncing import SyncCounts, SyncFinished
from core.errors import StorageError
from core.store.audit import AuditStore
from core.store.conversations import ConversationStore
from core.store.database import open_database
from core.store.events import EventStore
from core.store.forgetting import Forgetting
from core.store.rates import Asking
from core.store.revocations import RevocationStore
from core.store.schema import metadata
from core.store.sync_runs import SyncRunStore
from core.store.sync_schedule import SyncScheduleStore

LONGEST_ADDRESS = f"{'a' * 64}@{'b' * 251}.com"


def test_hosts_that_start_at_once_make_the_tables_together(empty_database_url: str) -> None:
    def start(_: int) -> None:
        open_database(empty_database_url).dispose()

    with ThreadPoolExecutor(1 if empty_database_url.startswith("sqlite") else 6) as pool:
        list(pool.map(start, range(6)))
    engine = create_engine(empty_database_url)
    assert set(inspect(engine).get_table_names()) >= set(metadata.tables)
    engine.dispose()


@pytest.mark.postgres
def test_an_address_without_a_driver_is_taken_with_ours(postgres_server: str) -> None:
    engine = open_database(postgres_server.replace("postgresql+psycopg", "postgresql"))
    assert engine.driver == "psycopg"
    engine.dispose()


def test_a_driver_that_is_not_installed_is_named() -> None:
    with pytest.raises(StorageError, match=r"driver of the database is missing \(MySQLdb\)"):
        open_database("mysql://ana@localhost/testigo")


def test_people_with_the_longest_addresses_are_written_down(engine: Engine) -> None:
    name = LONGEST_ADDRESS
    assert len(name) == 320
    ConversationStore(engine).add("t", "C1:1.0", name, "¿Cuántos días?", "r")
    RevocationStore(engine).revoke("t", "doc", name)
    SyncRunStore(engine).begin("wiki", name)
    AuditStore(engine).note(AuditNote(AuditKind.ADMIN, "t", name, "C1", {}))
    assert Asking(engine).enter(1, name, 60, 3)
    assert [turn.question for turn in ConversationStore(engine).last("t", "C1:1.0", name)] == ["¿Cuántos días?"]
    assert Forgetting(engine).forget("t", name).questions == 1


def test_a_payload_comes_back_as_it_was(engine: Engine) -> None:
    payload = {"text": "nul \0, half a pair \ud83d, ñ, 🌱", "deep": {"list": [1, 2.5, None, True]}}
    store = EventStore(engine)
    assert store.claim(team_id="T", event_id="E", subject=None, kind="k", payload=payload)
    [event] = store.lease("a", 60)
    assert event.payload == payload


def test_turns_are_read_newest_first_and_expire(engine: Engine) -> None:
    now = [100.0]
    store = ConversationStore(engine, lambda: now[0])
    for n in range(4):
        now[0] += 1
        store.add("t", "C1:1.0", "ana@x.com", f"q{n}", f"r{n}")
    assert [turn.question for turn in store.last("t", "C1:1.0", "ana@x.com", 3)] == ["q3", "q2", "q1"]
    assert Forgetting(engine).expire("t", 103.0) == 2
    assert [turn.question for turn in store.last("t", "C1:1.0", "ana@x.com")] == ["q3", "q2"]


def test_what_one_host_hides_is_hidden_on_all(connect: Callable[[], Engine]) -> None:
    here, there = RevocationStore(connect(), lambda: 1.0), RevocationStore(connect())
    assert here.revoke("t", "doc", "ana@x.com")
    assert not there.revoke("t", "doc", "bo@x.com")
    assert there.revoked("t") == {"doc"}
    assert there.revoked("u") == frozenset()
    assert there.lift("t", "doc")
    assert here.listed("t") == []


def test_a_run_that_is_due_is_taken_by_one_host(connect: Callable[[], Engine]) -> None:
    stores = [SyncScheduleStore(connect()) for _ in range(4)]
    for store in stores:
        store.set("wiki", "every 6 hours", 1_796_000_000.123456)
    with ThreadPoolExecutor(4) as pool:
        dues = list(pool.map(lambda store: store.due("wiki"), stores))
        taken = list(pool.map(lambda pair: pair[1] and pair[0].claim(pair[1], 2e9, 0), zip(stores, dues, strict=True)))
    assert taken.count(True) == 1


def test_the_record_of_syncs_is_read_by_all(connect: Callable[[], Engine]) -> None:
    here, there = SyncRunStore(connect()), SyncRunStore(connect())
    first = here.begin("wiki", "ana@x.com")
    here.finish(first, SyncFinished("wiki", SyncCounts(added=3), 1.5))
    second = here.begin("wiki", "")
    there.end_interrupted()
    assert [(run.id, run.state, run.counts.get("added")) for run in there.recent("wiki")] == [
        (second, "interrupted", None),
        (first, "done", 3),
    ]
    assert there.latest()["wiki"].id == second
