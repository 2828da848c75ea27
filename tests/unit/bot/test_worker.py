from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.incoming import Incoming, Surface
from bot.ledger import Ledger
from bot.worker import Worker
from core.errors import SlackError, StorageError
from core.store.database import open_database
from core.store.events import MAX_ATTEMPTS, ClaimedEvent, EventStore


class Recorder:
    """A handler that does what a test says."""

    def __init__(self) -> None:
        self.handled: list[str] = []
        self.given_up: list[str] = []
        self.working = 0
        self.most_at_once = 0
        self.cancelled = asyncio.Event()
        self.began = asyncio.Event()
        self.work: Callable[[ClaimedEvent], Awaitable[None]] | None = None

    async def handle(self, event: ClaimedEvent, incoming: Incoming) -> None:
        self.handled.append(incoming.text)
        self.working += 1
        self.most_at_once = max(self.most_at_once, self.working)
        self.began.set()
        try:
            if self.work is not None:
                await self.work(event)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        finally:
            self.working -= 1

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        self.given_up.append(incoming.text)
        raise SlackError("nobody can be told")


@dataclass
class StoreClock:
    """The time as the store sees it."""

    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> StoreClock:
    return StoreClock()


@pytest.fixture
def store(tmp_path: Path, clock: StoreClock) -> EventStore:
    return EventStore(open_database(f"sqlite:///{tmp_path / 'events.db'}"), clock)


@pytest.fixture
async def ledger(store: EventStore) -> AsyncIterator[Ledger]:
    opened = Ledger(store)
    yield opened
    opened.close()


@pytest.fixture
async def recorder() -> Recorder:
    return Recorder()


@asynccontextmanager
async def working(
    ledger: Ledger, recorder: Recorder, at_once: int = 8, lease_seconds: float = 60
) -> AsyncIterator[Worker]:
    """A worker that works during the block."""
    handlers = {Surface.MENTION: recorder}
    worker = Worker(
        ledger, handlers, at_once=at_once, lease_seconds=lease_seconds, look_around_seconds=0.02, grace_seconds=0.05
    )
    stop = asyncio.Event()
    running = asyncio.create_task(worker.run(stop))
    try:
        async with asyncio.timeout(10):
            yield worker
    finally:
        stop.set()
        await running


async def claim(ledger: Ledger, *texts: str) -> None:
    for text in texts:
        await ledger.claim(f"Ev-{text}", Incoming(Surface.MENTION, "T1", "U1", "C1", text, ts=text))


async def test_what_was_claimed_before_the_start_is_worked_on(ledger: Ledger, recorder: Recorder) -> None:
    await claim(ledger, "1", "2", "3")
    async with working(ledger, recorder) as worker:
        await worker.idle()
    assert recorder.handled == ["1", "2", "3"]
    assert await ledger.open_count() == 0


async def test_no_more_are_worked_on_at_once_than_settings_say(ledger: Ledger, recorder: Recorder) -> None:
    go_on = asyncio.Event()
    recorder.work = lambda event: _until(go_on)
    await claim(ledger, *map(str, range(7)))
    async with working(ledger, recorder, at_once=3) as worker:
        await recorder.began.wait()
        go_on.set()
        await worker.idle()
    assert sorted(recorder.handled) == [str(number) for number in range(7)]
    assert recorder.most_at_once <= 3


async def test_a_lease_is_renewed_while_the_work_goes_on(
    ledger: Ledger, store: EventStore, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, renewed, renewals = asyncio.Event(), asyncio.Event(), []
    renew = ledger.renew

    async def counted(event_id: int, owner: str, seconds: float) -> bool:
        renewals.append(event_id)
        if len(renewals) == 6:
            renewed.set()
        return await renew(event_id, owner, seconds)

    monkeypatch.setattr(ledger, "renew", counted)
    recorder.work = lambda event: _until(go_on)
    await claim(ledger, "1")
    async with working(ledger, recorder, lease_seconds=0.3) as worker:
        await renewed.wait()
        assert store.lease("another", 60) == []
        go_on.set()
        await worker.idle()
    assert recorder.handled == ["1"]


async def test_work_whose_lease_another_has_stops(
    ledger: Ledger, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(event_id: int, owner: str, seconds: float) -> bool:
        return False

    monkeypatch.setattr(ledger, "renew", lost)
    recorder.work = lambda event: _until(asyncio.Event())
    await claim(ledger, "1")
    async with working(ledger, recorder, lease_seconds=0.3):
        await recorder.cancelled.wait()


async def test_work_stops_before_its_lease_ends_when_the_database_is_gone(
    ledger: Ledger, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(event_id: int, owner: str, seconds: float) -> bool:
        raise StorageError("gone")

    monkeypatch.setattr(ledger, "renew", gone)
    recorder.work = lambda event: _until(asyncio.Event())
    await claim(ledger, "1")
    async with working(ledger, recorder, lease_seconds=0.3):
        await recorder.cancelled.wait()


async def test_what_does_not_end_in_time_is_given_back_at_the_stop(
    ledger: Ledger, store: EventStore, recorder: Recorder
) -> None:
    recorder.work = lambda event: _until(asyncio.Event())
    await claim(ledger, "1")
    async with working(ledger, recorder):
        await recorder.began.wait()
    assert recorder.cancelled.is_set()
    assert [event.attempts for event in store.lease("another", 60)] == [2]


@pytest.mark.parametrize("error", [SlackError("down"), RuntimeError("broken")])
async def test_what_nobody_could_be_told_of_is_tried_again_and_given_up_in_the_end(
    ledger: Ledger, recorder: Recorder, clock: StoreClock, error: Exception
) -> None:
    async def fail(event: ClaimedEvent) -> None:
        raise error

    recorder.work = fail
    await claim(ledger, "1")
    async with working(ledger, recorder) as worker:
        await let_leases_run_out(worker, clock)
    assert await ledger.open_count() == 0
    assert recorder.handled == ["1"] * MAX_ATTEMPTS
    assert recorder.given_up == ["1"]


async def test_an_event_that_cannot_be_read_does_not_stop_the_others(
    ledger: Ledger, store: EventStore, recorder: Recorder, clock: StoreClock
) -> None:
    store.claim(team_id="T1", event_id="Ev0", subject=None, kind="mention", payload={"surface": "telepathy"})
    await claim(ledger, "1")
    async with working(ledger, recorder) as worker:
        await let_leases_run_out(worker, clock)
    assert await ledger.open_count() == 0
    assert recorder.handled == ["1"]


async def test_the_worker_survives_a_database_that_is_away_for_a_while(
    ledger: Ledger, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = ledger.lease
    failures: list[str] = []

    async def at_first_away(owner: str, seconds: float, limit: int) -> list[ClaimedEvent]:
        if len(failures) < 3:
            failures.append(owner)
            raise StorageError("away")
        return await lease(owner, seconds, limit)

    monkeypatch.setattr(ledger, "lease", at_first_away)
    await claim(ledger, "1")
    async with working(ledger, recorder) as worker:
        await worker.idle()
    assert recorder.handled == ["1"]


async def let_leases_run_out(worker: Worker, clock: StoreClock) -> None:
    """Let as many attempts be made as there may be."""
    for _ in range(MAX_ATTEMPTS + 1):
        await worker.idle()
        clock.now += 61
        worker.wake()
    await worker.idle()


async def _until(event: asyncio.Event) -> None:
    await event.wait()
