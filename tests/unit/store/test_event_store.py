from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from sqlalchemy import Engine

from core.errors import StorageError
from core.store.database import open_database
from core.store.events import EventStore, NewEvent


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(engine: Engine, clock: Clock) -> EventStore:
    return EventStore(engine, clock)


def claim(store: EventStore, event_id: str, subject: str | None = None, team: str = "T1") -> bool:
    return store.claim(team_id=team, event_id=event_id, subject=subject, kind="mention", payload={"text": "hi"})


def test_the_same_event_is_claimed_once(store: EventStore) -> None:
    assert claim(store, "Ev1")
    assert not claim(store, "Ev1")


def test_two_events_about_one_message_are_one(store: EventStore) -> None:
    assert claim(store, "Ev1", "C1:1.0")
    assert not claim(store, "Ev2", "C1:1.0")


def test_events_without_a_message_do_not_collide(store: EventStore) -> None:
    assert claim(store, "Ev1")
    assert claim(store, "Ev2")


def test_two_workspaces_may_use_one_event_id(store: EventStore) -> None:
    assert claim(store, "Ev1", team="T1")
    assert claim(store, "Ev1", team="T2")


def test_claims_of_one_moment_are_told_apart_each_for_itself(store: EventStore) -> None:
    claim(store, "Ev1", "C1:1.0")
    pairs = [("Ev2", "C1:2.0"), ("Ev1", "C1:1.0"), ("Ev3", "C1:2.0"), ("Ev4", None), ("Ev5", "C1:1.0"), ("Ev4", None)]
    arrivals = [NewEvent("T1", event_id, subject, "mention", {"text": event_id}) for event_id, subject in pairs]
    assert store.claim_all(arrivals) == [True, False, False, True, False, False]
    assert {event.payload["text"] for event in store.lease("a", 30, 10)} == {"hi", "Ev2", "Ev4"}


def test_processes_that_claim_the_same_messages_at_once_claim_each_once(
    connect: Callable[[], Engine], clock: Clock
) -> None:
    stores = [EventStore(connect(), clock) for _ in range(2)]
    numbers = range(60)
    # As Slack tells of one message twice: other event ids, and in another order.
    batches = [
        [NewEvent("T1", f"{kind}{number}", f"C1:{number}", kind, {}) for number in order]
        for kind, order in (("message", numbers), ("app_mention", reversed(numbers)))
    ]
    both = threading.Barrier(2)
    results: list[list[bool]] = []

    def run(store: EventStore, batch: list[NewEvent]) -> None:
        both.wait(10)
        results.append(store.claim_all(batch))

    threads = [threading.Thread(target=run, args=pair) for pair in zip(stores, batches, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(map(sum, results)) == len(numbers)
    assert len(stores[0].lease("a", 30, 100)) == len(numbers)


def test_a_leased_event_is_not_given_to_another_worker(store: EventStore) -> None:
    claim(store, "Ev1")
    assert len(store.lease("a", 30)) == 1
    assert store.lease("b", 30) == []


def test_an_event_whose_worker_died_is_given_out_again_with_what_was_delivered(store: EventStore, clock: Clock) -> None:
    claim(store, "Ev1")
    [event] = store.lease("a", 30)
    store.note_delivered(event.id, {"ts": "5.0"})
    clock.now += 31
    [again] = store.lease("b", 30)
    assert again.id == event.id
    assert again.attempts == 2
    assert again.delivered == {"ts": "5.0"}
    assert not store.renew(event.id, "a", 30)


def test_a_renewed_lease_holds(store: EventStore, clock: Clock) -> None:
    claim(store, "Ev1")
    [event] = store.lease("a", 30)
    clock.now += 20
    assert store.renew(event.id, "a", 30)
    clock.now += 20
    assert store.lease("b", 30) == []


def test_a_finished_event_is_over_and_its_words_are_forgotten(store: EventStore, clock: Clock) -> None:
    claim(store, "Ev1")
    [event] = store.lease("a", 30)
    store.finish(event.id)
    clock.now += 100
    assert store.lease("b", 30) == []
    assert store.open_count() == 0
    assert not claim(store, "Ev1")


def test_events_survive_the_process(connect: Callable[[], Engine]) -> None:
    claim(EventStore(connect()), "Ev1")
    [event] = EventStore(connect()).lease("b", 30)
    assert event.payload == {"text": "hi"}


def test_many_workers_share_events_without_doubles(engine: Engine) -> None:
    store = EventStore(engine)
    for i in range(40):
        claim(store, f"Ev{i}")
    taken: list[int] = []

    def work(name: str) -> None:
        while batch := store.lease(name, 60):
            taken.extend(event.id for event in batch)

    threads = [threading.Thread(target=work, args=(f"w{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == len(set(taken)) == 40


def test_a_database_that_cannot_be_opened_says_what_to_do() -> None:
    with pytest.raises(StorageError, match="TESTIGO_DATABASE_URL"):
        open_database("sqlite:////proc/nowhere/events.db")
