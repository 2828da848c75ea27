from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.incoming import Incoming, Surface
from bot.ledger import Ledger
from bot.stopping import Stop, StoppedError, Stops
from bot.streaming_support import REMEMBERED_SECONDS, StreamingSupport, Surfacing
from core.errors import StorageError
from core.store.database import open_database
from core.store.events import EventStore


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    opened = Ledger(EventStore(open_database(f"sqlite:///{tmp_path / 'events.db'}")))
    yield opened
    opened.close()


async def claim(ledger: Ledger, surface: Surface = Surface.MENTION, ts: str = "1.0", thread_ts: str = "") -> None:
    await ledger.claim(f"Ev{surface}{ts}", Incoming(surface, "T1", "U1", "C1", "how?", ts=ts, thread_ts=thread_ts))


async def for_ever() -> str:
    await asyncio.Event().wait()
    return "never"


async def test_work_that_is_not_stopped_comes_to_its_end() -> None:
    async def work() -> str:
        return "done"

    assert await Stop().ends(work()) == "done"


async def test_what_work_raises_is_raised() -> None:
    async def work() -> str:
        raise LookupError("nothing")

    with pytest.raises(LookupError):
        await Stop().ends(work())


async def test_stopped_work_is_cancelled_before_anybody_is_told() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await for_ever()
        finally:
            ended.append("cancelled")

    stop = Stop()
    asyncio.get_running_loop().call_soon(stop.ask)
    with pytest.raises(StoppedError):
        await stop.ends(work())
    assert ended == ["cancelled"]


async def test_a_time_limit_around_stoppable_work_ends_it() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await Stop().ends(for_ever())


@pytest.mark.parametrize(
    ("channel", "thread", "user", "stopped"),
    [
        ("C1", "1.0", "U1", 1),
        ("C1", "1.0", "U2", 0),
        ("C1", "2.0", "U1", 0),
        ("C2", "1.0", "U1", 0),
        ("C1", "1.0", "", 0),
    ],
)
async def test_who_asked_stops_what_they_asked_there(
    ledger: Ledger, channel: str, thread: str, user: str, stopped: int
) -> None:
    await claim(ledger)
    assert await Stops(ledger).ask("T1", channel, thread, user) == stopped


async def test_every_question_of_the_person_in_the_thread_is_stopped(ledger: Ledger) -> None:
    await claim(ledger, ts="1.0")
    await claim(ledger, ts="2.0", thread_ts="1.0")
    await claim(ledger, Surface.REINDEX, ts="3.0", thread_ts="1.0")
    assert await Stops(ledger).ask("T1", "C1", "1.0", "U1") == 2
    assert await Stops(ledger).ask("T2", "C1", "1.0", "U1") == 0


async def test_an_event_that_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    store = EventStore(open_database(f"sqlite:///{tmp_path / 'events.db'}"))
    store.claim(team_id="T1", event_id="Ev0", subject=None, kind="mention", payload={"surface": "telepathy"})
    ledger = Ledger(store)
    await claim(ledger)
    assert await Stops(ledger).ask("T1", "C1", "1.0", "U1") == 1
    ledger.close()


async def test_a_wish_from_another_process_is_heard(ledger: Ledger) -> None:
    await claim(ledger)
    here, there = Stops(ledger, look_seconds=0.01), Stops(ledger)
    (event,) = await ledger.lease("here", 60, 1)
    async with here.watching(event.id) as stop:
        await there.ask("T1", "C1", "1.0", "U1")
        with pytest.raises(StoppedError):
            await stop.ends(for_ever())


async def test_a_database_that_is_away_for_a_while_does_not_make_it_deaf(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    await claim(ledger)
    (event,) = await ledger.lease("here", 60, 1)
    asked = ledger.to_stop
    failures = [StorageError("away")] * 3

    async def at_first_away(event_ids: list[int]) -> set[int]:
        if failures:
            raise failures.pop()
        return await asked(event_ids)

    monkeypatch.setattr(ledger, "to_stop", at_first_away)
    await ledger.ask_to_stop([event.id], "U1")
    async with Stops(ledger, look_seconds=0.01).watching(event.id) as stop:
        with pytest.raises(StoppedError):
            await stop.ends(for_ever())


def test_what_a_workspace_lacks_is_remembered_for_a_while_and_for_it_alone() -> None:
    now = [0.0]
    support = StreamingSupport(lambda: now[0])
    support.refused("T1", Surfacing.STREAM, "unknown_method")
    support.refused("T2", Surfacing.STREAM, "ratelimited")
    assert not support.has("T1", Surfacing.STREAM)
    assert support.has("T1", Surfacing.STATUS)
    assert support.has("T2", Surfacing.STREAM)
    now[0] = REMEMBERED_SECONDS
    assert support.has("T1", Surfacing.STREAM)
