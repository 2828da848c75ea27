from __future__ import annotations

import json
import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, delete, update

from core.domain.auditing import AuditKind, AuditNote
from core.store.audit import AuditStore, commitment
from core.store.conversations import ConversationStore
from core.store.database import open_database
from core.store.forgetting import Forgetting
from core.store.schema import audit, audit_head, audit_salts


@pytest.fixture
def store(engine: Engine) -> AuditStore:
    return AuditStore(engine)


def note(n: int = 0) -> AuditNote:
    return AuditNote(AuditKind.ADMIN, "t", "U1", "C1", {"n": n})


def noted(store: AuditStore, count: int) -> None:
    for n in range(count):
        store.note(note(n))


def test_a_record_that_nobody_touched_is_whole(store: AuditStore) -> None:
    assert store.verify() == []
    noted(store, 5)
    assert store.verify() == []
    assert [json.loads(entry.body)["n"] for entry in store.entries()] == [0, 1, 2, 3, 4]


def test_facts_cannot_pass_for_who_did_it(store: AuditStore) -> None:
    entry = store.note(AuditNote(AuditKind.DENIED, "t", "U1", "C1", {"actor": "U2", "kind": "admin", "at": 0}))
    said = json.loads(entry.body)
    assert (said["actor"], said["kind"], said["at"]) == ("U1", "denied", entry.at)


def test_a_changed_row_is_found(store: AuditStore, engine: Engine) -> None:
    noted(store, 5)
    with engine.begin() as connection:
        body = json.dumps({"n": 99})
        connection.execute(update(audit).where(audit.c.seq == 3).values(body=body))
    assert [(f.seq, f.what) for f in store.verify()] == [(3, "its content was changed")]


def test_a_row_whose_time_was_changed_is_found(store: AuditStore, engine: Engine) -> None:
    noted(store, 3)
    with engine.begin() as connection:
        connection.execute(update(audit).where(audit.c.seq == 2).values(at=1.0))
    assert [f.seq for f in store.verify()] == [2]


def test_a_changed_row_with_a_hash_that_fits_is_found_by_the_next(store: AuditStore, engine: Engine) -> None:
    from core.store.audit import _hash

    noted(store, 3)
    second = list(store.entries())[1]
    with engine.begin() as connection:
        body = second.body.replace('"n":1', '"n":7')
        changed = {"body": body, "hash": _hash(second.previous, 2, body)}
        connection.execute(update(audit).where(audit.c.seq == 2).values(changed))
    assert [f.seq for f in store.verify()] == [3]


@pytest.mark.parametrize("gone", [1, 3, 5])
def test_a_missing_row_is_found_wherever_it_was(store: AuditStore, engine: Engine, gone: int) -> None:
    noted(store, 5)
    with engine.begin() as connection:
        connection.execute(delete(audit).where(audit.c.seq == gone))
    assert store.verify() != []


def test_two_rows_in_each_others_place_are_found(store: AuditStore, engine: Engine) -> None:
    noted(store, 4)
    with engine.begin() as connection:
        for old, new in ((2, 100), (3, 2), (100, 3)):
            connection.execute(update(audit).where(audit.c.seq == old).values(seq=new))
    assert {f.seq for f in store.verify()} >= {2, 3}


def test_a_chain_made_anew_is_found_by_a_head_that_was_noted_elsewhere(store: AuditStore, engine: Engine) -> None:
    noted(store, 3)
    head = store.head()
    assert store.verify(head) == []
    with engine.begin() as connection:
        connection.execute(delete(audit))
        connection.execute(delete(audit_head))
    noted(store, 4)
    assert store.verify() == []
    assert store.verify(head) != []


def test_a_head_that_was_taken_away_leaves_the_chain_whole(store: AuditStore, engine: Engine) -> None:
    noted(store, 2)
    with engine.begin() as connection:
        connection.execute(delete(audit_head))
    noted(store, 1)
    assert store.verify() == []
    assert store.head()[0] == 3


def test_threads_write_one_after_another(store: AuditStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: store.note(note(n)), range(40)))
    assert store.verify() == []
    assert len(list(store.entries())) == 40


def _write(url: str) -> None:
    engine = open_database(url)
    noted(AuditStore(engine), 10)
    engine.dispose()


def test_processes_write_one_after_another(database_url: str, store: AuditStore) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_write, args=(database_url,)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert store.verify() == []
    assert store.head()[0] == 20


def test_whom_one_forgets_leaves_the_chain_valid_and_no_way_to_try_their_words(
    store: AuditStore, engine: Engine
) -> None:
    salt = store._salt("t", "U1", "ana@x.com")
    store.note(AuditNote(AuditKind.RUN, "t", "U1", "C1", {"question": commitment(salt, "how many days?")}))
    found = store.committed("t", "U1", "how many days?")
    assert found is not None
    assert found in next(iter(store.entries())).body
    ConversationStore(engine).add("t", "C1:1", "ana@x.com", "how many days?", "run")
    ConversationStore(engine).add("t", "C1:1", "ben@x.com", "and nights?", "run")
    forgotten = Forgetting(engine).forget("t", "U1")
    assert (forgotten.questions, forgotten.salts) == (1, 1)
    assert store.committed("t", "U1", "how many days?") is None
    assert store.verify() == []
    assert ConversationStore(engine).last("t", "C1:1", "ana@x.com") == []
    assert len(ConversationStore(engine).last("t", "C1:1", "ben@x.com")) == 1


def test_forgetting_by_address_finds_the_slack_id(store: AuditStore, engine: Engine) -> None:
    store._salt("t", "U1", "ana@x.com")
    store._salt("other", "U1", "ana@x.com")
    assert Forgetting(engine).forget("t", "Ana@X.com").salts == 1
    with engine.connect() as connection:
        assert connection.execute(audit_salts.select()).one().tenant_id == "other"


def test_questions_are_deleted_when_their_time_is_over(engine: Engine) -> None:
    ConversationStore(engine, clock=lambda: 100.0).add("t", "c", "a", "old", "run")
    ConversationStore(engine, clock=lambda: 200.0).add("t", "c", "a", "new", "run")
    assert Forgetting(engine).expire("t", 150.0) == 1
    assert [turn.question for turn in ConversationStore(engine).last("t", "c", "a")] == ["new"]
