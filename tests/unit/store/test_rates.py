from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from limits import parse
from limits.strategies import FixedWindowRateLimiter
from sqlalchemy import Engine

from core.store.rates import Asking, SqlRates


def test_a_window_counts_up_and_begins_anew(engine: Engine) -> None:
    now = [100.0]
    rates = SqlRates(engine, lambda: now[0])
    assert [rates.incr("k", 60) for _ in range(3)] == [1, 2, 3]
    assert (rates.get("k"), rates.get("other"), rates.get_expiry("k")) == (3, 0, 160.0)
    now[0] = 160.0
    assert rates.get("k") == 0
    assert rates.incr("k", 60, 5) == 5
    rates.clear("k")
    assert rates.get("k") == 0
    assert rates.check()
    assert rates.reset() == 0


def test_processes_count_together(engine: Engine) -> None:
    limiters = [FixedWindowRateLimiter(SqlRates(engine)) for _ in range(2)]
    rate = parse("3/hour")
    assert [limiter.hit(rate, "ana") for _ in range(2) for limiter in limiters] == [True, True, True, False]
    assert limiters[0].hit(rate, "ben")


def test_threads_lose_no_count(engine: Engine) -> None:
    rates = SqlRates(engine)
    with ThreadPoolExecutor(6) as pool:
        counts = list(pool.map(lambda _: rates.incr("k", 60), range(60)))
    assert sorted(counts) == list(range(1, 61))


def test_so_many_questions_of_a_person_at_once_until_they_end_or_their_time_does(engine: Engine) -> None:
    now = [0.0]
    asking = Asking(engine, lambda: now[0])
    assert asking.enter(1, "ana", 60, 2)
    assert asking.enter(2, "ana", 60, 2)
    assert not asking.enter(3, "ana", 60, 2)
    assert asking.enter(4, "ben", 60, 2)
    assert asking.enter(2, "ana", 60, 2), "the same question, in another attempt"
    asking.leave(1)
    assert asking.enter(3, "ana", 60, 2)
    now[0] = 61.0
    assert asking.enter(5, "ana", 60, 1), "a killed process holds nobody up for ever"


def test_never_too_many_are_taken_at_the_same_time(engine: Engine) -> None:
    asking = Asking(engine)
    with ThreadPoolExecutor(6) as pool:
        taken = sum(pool.map(lambda n: asking.enter(n, "ana", 60, 3), range(30)))
    assert taken <= 3
