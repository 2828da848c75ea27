"""What is to be told of answers: found from the flags, claimed by one process, and told once a day in a thread."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, insert

from core.domain.access import AudienceKind
from core.domain.keeping import EvidenceFlag, FlagKind
from core.store.evidence import EvidenceStore
from core.store.living import DAY, LivingStore, Thread
from core.store.revocations import RevocationStore
from core.store.schema import evidence_documents, runs
from core.store.shown import ShownAnswer, ShownStore

NOW = 1_795_953_600.0
THREAD = Thread("T1", "C1", "1.0")


class Clock:
    """A time that a test moves on."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def answered(engine: Engine, run_id: str = "r1", *, thread: str = "1.0", document: str = "d1", at: float = NOW) -> None:
    row = {
        "run_id": run_id, "tenant_id": "t", "reader": "ana@x.com", "channel": "C1", "started_at": at,
        "decision": "answered", "generator": "extractive", "index_version": 1, "confidence": 0.9, "claims": 1,
        "dropped_claims": 0,
    }  # fmt: skip
    cited = {
        "run_id": run_id, "tenant_id": "t", "document_id": document, "document_version": 1, "cited": 1,
        "checked_version": 1,
    }  # fmt: skip
    with engine.begin() as connection:
        connection.execute(insert(runs).values(row))
        connection.execute(insert(evidence_documents).values(cited))
    ShownStore(engine).note(ShownAnswer(run_id, 1, "T1", "", "U1", "C1", thread, AudienceKind.TENANT, "mention"))


def changed(engine: Engine, version: int = 2, run_id: str = "r1", document: str = "d1") -> None:
    EvidenceStore(engine).add_flags([EvidenceFlag(run_id, document, FlagKind.CHANGED, NOW)])
    EvidenceStore(engine).mark_checked("t", {document: version})


def due(store: LivingStore) -> dict[str, dict[str, str]]:
    return {a.shown.run_id: dict(a.state) for thread in store.due("t", NOW - DAY) for a in thread.answers}


def tell(store: LivingStore, thread: Thread = THREAD) -> None:
    (found,) = (each for each in store.due("t", NOW - DAY) if each.thread == thread)
    assert store.claim(thread, "one", 600)
    store.told(thread, found.answers)


def test_an_answer_is_due_once_its_source_changed_and_not_before(engine: Engine, clock: Clock) -> None:
    answered(engine)
    store = LivingStore(engine, clock)
    assert due(store) == {}
    changed(engine)
    assert due(store) == {"r1": {"d1": "2"}}
    assert store.due("other", NOW - DAY) == []


def test_what_was_told_is_due_again_only_when_it_changed_again(engine: Engine, clock: Clock) -> None:
    answered(engine)
    store = LivingStore(engine, clock)
    changed(engine)
    tell(store)
    clock.now += 2 * DAY
    assert due(store) == {}
    changed(engine, version=3)
    assert due(store) == {"r1": {"d1": "3"}}


def test_a_thread_that_was_told_something_rests_for_a_day(engine: Engine, clock: Clock) -> None:
    answered(engine)
    answered(engine, "r2", document="d2")
    store = LivingStore(engine, clock)
    changed(engine)
    tell(store)
    changed(engine, run_id="r2", document="d2")
    clock.now += DAY - 1
    assert due(store) == {}
    assert store.claim(THREAD, "two", 600) == 0
    clock.now += 1
    assert due(store) == {"r2": {"d2": "2"}}


def test_of_two_processes_one_gets_a_thread_and_the_other_when_it_died(
    connect: Callable[[], Engine], clock: Clock
) -> None:
    one, two = LivingStore(connect(), clock), LivingStore(connect(), clock)
    assert one.claim(THREAD, "one", 600) == 1
    assert two.claim(THREAD, "two", 600) == 0
    clock.now += 601
    assert two.claim(THREAD, "two", 600) == 2
    assert one.claim(THREAD, "one", 600) == 0


def test_a_hidden_document_is_due_and_its_lifting_too(engine: Engine, clock: Clock) -> None:
    answered(engine)
    store = LivingStore(engine, clock)
    RevocationStore(engine).revoke("t", "d1", "ana")
    assert due(store) == {"r1": {"d1": "hidden"}}
    tell(store)
    RevocationStore(engine).lift("t", "d1")
    clock.now += DAY
    assert due(store) == {"r1": {}}


def test_a_changed_access_is_due_by_its_rule_and_not_by_each_version(engine: Engine, clock: Clock) -> None:
    answered(engine)
    store, evidence = LivingStore(engine, clock), EvidenceStore(engine)
    evidence.add_flags([EvidenceFlag("r1", "d1", FlagKind.ACCESS, NOW, 7)])
    assert due(store) == {"r1": {"d1": "rule:7"}}
    tell(store)
    evidence.mark_checked("t", {"d1": 5})
    clock.now += DAY
    assert due(store) == {}
    evidence.add_flags([EvidenceFlag("r1", "d1", FlagKind.ACCESS, NOW, 8)])
    assert due(store) == {"r1": {"d1": "rule:8"}}
    tell(store)
    evidence.drop_flags(FlagKind.ACCESS, [("r1", "d1"), ("r1", "d2")])
    clock.now += DAY
    assert due(store) == {"r1": {}}


def test_of_a_document_that_changed_in_text_and_access_each_version_is_due(engine: Engine, clock: Clock) -> None:
    answered(engine)
    EvidenceStore(engine).add_flags([EvidenceFlag("r1", "d1", FlagKind.ACCESS, NOW, 7)])
    changed(engine)
    assert due(LivingStore(engine, clock)) == {"r1": {"d1": "2"}}


def test_answers_that_only_one_person_saw_rest_by_person(engine: Engine, clock: Clock) -> None:
    answered(engine, thread="")
    changed(engine)
    (found,) = LivingStore(engine, clock).due("t", NOW - DAY)
    assert found.thread == Thread("T1", "C1", "~U1")


def test_old_answers_are_not_due(engine: Engine, clock: Clock) -> None:
    answered(engine, at=NOW - 2 * DAY)
    changed(engine)
    assert due(LivingStore(engine, clock)) == {}


def test_what_goes_with_its_run_is_not_told(engine: Engine, clock: Clock) -> None:
    answered(engine)
    changed(engine)
    store = LivingStore(engine, clock)
    (found,) = store.due("t", NOW - DAY)
    assert store.claim(THREAD, "one", 600)
    EvidenceStore(engine).delete_before("t", NOW + 1)
    store.told(THREAD, found.answers)
    assert due(store) == {}
