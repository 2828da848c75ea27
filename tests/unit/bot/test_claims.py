"""Claims that come together wait for the disk together, and each hears of itself alone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence

import pytest
from sqlalchemy.exc import DataError, OperationalError

from bot.claims import Claims
from core.store.events import NewEvent

TIMEOUT = 10


class Disk:
    """Writes when `go_on` lets it, and remembers what was written together."""

    def __init__(self) -> None:
        self.written: list[list[str]] = []
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()
        self.away = False

    def write(self, arrivals: Sequence[NewEvent]) -> list[bool]:
        self.begun.set()
        assert self.go_on.wait(TIMEOUT)
        names = [arrival.event_id for arrival in arrivals]
        if self.away:
            raise OperationalError("insert", {}, OSError("away"))
        if "too long" in names:
            raise DataError("insert", {}, ValueError("too long"))
        self.written.append(names)
        return [not name.startswith("known") for name in names]


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
async def claims(disk: Disk) -> AsyncIterator[Claims]:
    made = Claims(disk.write)
    yield made
    made.close()


def arrival(name: str) -> NewEvent:
    return NewEvent("T1", name, None, "mention", {})


async def burst(claims: Claims, disk: Disk, *names: str) -> list[bool | BaseException]:
    """Claim the first, and the others while that is being written."""
    disk.go_on.clear()
    first = asyncio.create_task(claims.claim(arrival(names[0])))
    await asyncio.to_thread(disk.begun.wait, TIMEOUT)
    others = [asyncio.create_task(claims.claim(arrival(name))) for name in names[1:]]
    await asyncio.sleep(0)
    disk.go_on.set()
    return await asyncio.gather(first, *others, return_exceptions=True)


async def test_what_comes_during_a_write_is_written_in_one_go(claims: Claims, disk: Disk) -> None:
    assert await burst(claims, disk, "first", *(f"other {n}" for n in range(50))) == [True] * 51
    assert [len(together) for together in disk.written] == [1, 50]


async def test_each_hears_whether_it_is_new_itself(claims: Claims, disk: Disk) -> None:
    assert await burst(claims, disk, "known 1", "new", "known 2", "other") == [False, True, False, True]


async def test_one_that_cannot_be_written_does_not_keep_the_others_out(claims: Claims, disk: Disk) -> None:
    first, refused, other = await burst(claims, disk, "first", "too long", "other")
    assert (first, other) == (True, True)
    assert isinstance(refused, DataError)
    assert await claims.claim(arrival("later"))


async def test_where_the_database_is_away_nobody_is_told_that_it_was_written(claims: Claims, disk: Disk) -> None:
    disk.away = True
    told = await burst(claims, disk, "first", "second", "third")
    assert [type(answer) for answer in told] == [OperationalError] * 3
    disk.away = False
    assert await claims.claim(arrival("first"))


async def test_one_who_waits_no_longer_does_not_disturb_the_rest(claims: Claims, disk: Disk) -> None:
    disk.go_on.clear()
    gone = asyncio.create_task(claims.claim(arrival("gone")))
    await asyncio.to_thread(disk.begun.wait, TIMEOUT)
    rest = asyncio.create_task(claims.claim(arrival("rest")))
    await asyncio.sleep(0)
    gone.cancel()
    disk.go_on.set()
    assert await rest
    assert disk.written == [["gone"], ["rest"]]
