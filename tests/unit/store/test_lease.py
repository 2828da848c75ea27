from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, Engine

from core.store.lease import LeaseHolder, LeaseStore, database_time


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self, _: Connection) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(engine: Engine, clock: Clock) -> LeaseStore:
    return LeaseStore(engine, "index", clock)


def test_one_holds_it_and_the_others_learn_who(store: LeaseStore, connect: Callable[[], Engine], clock: Clock) -> None:
    assert store.take("a", "ana@x.com", 60)
    other = LeaseStore(connect(), "index", clock)
    assert not other.take("b", "bo@x.com", 60)
    assert other.holder() == LeaseHolder("ana@x.com", 1_000.0, 1_060.0)
    assert LeaseStore(connect(), "something else", clock).take("b", "bo@x.com", 60)


def test_what_is_given_back_is_free_at_once(store: LeaseStore) -> None:
    store.take("a", "ana@x.com", 60)
    store.give_back("b")
    assert not store.take("b", "bo@x.com", 60), "only its owner gives it back"
    store.give_back("a")
    assert store.holder() is None
    assert store.take("b", "bo@x.com", 60)


def test_a_holder_that_died_loses_it_when_its_time_is_over(store: LeaseStore, clock: Clock) -> None:
    store.take("a", "ana@x.com", 60)
    clock.now += 59
    assert not store.take("b", "bo@x.com", 60)
    clock.now += 1
    assert store.holder() is None
    assert store.take("b", "bo@x.com", 60)
    assert not store.renew("a", 60), "who comes back finds that it is another's"
    assert store.renew("b", 60)


def test_a_renewed_lease_lasts_from_then_on(store: LeaseStore, clock: Clock) -> None:
    store.take("a", "ana@x.com", 60)
    clock.now += 50
    assert store.renew("a", 60)
    clock.now += 50
    assert not store.take("b", "bo@x.com", 60)


def test_a_late_holder_keeps_what_nobody_took(store: LeaseStore, clock: Clock) -> None:
    store.take("a", "ana@x.com", 60)
    clock.now += 500
    assert store.renew("a", 60)
    assert not store.take("b", "bo@x.com", 60)


@pytest.mark.parametrize("begun", [False, True])
def test_of_many_that_come_at_once_one_gets_it(store: LeaseStore, clock: Clock, begun: bool) -> None:
    if begun:
        store.take("dead", "ana@x.com", 60)
        clock.now += 60
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda n: store.take(f"w{n}", f"{n}@x.com", 60), range(16)))
    assert sum(taken) == 1
    holder = store.holder()
    assert holder is not None
    assert holder.asked_by == f"{taken.index(True)}@x.com"


def test_the_clock_is_one_that_all_hosts_share(engine: Engine) -> None:
    with engine.begin() as connection:
        first, second = database_time(connection), database_time(connection)
    assert 1_700_000_000 < first <= second
