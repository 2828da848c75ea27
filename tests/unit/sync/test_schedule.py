from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from core.domain.syncing import SyncCounts, SyncEvent, SyncFinished
from core.errors import BusyError, SettingsError
from core.settings import SourceKind, SourceSettings
from core.store.database import open_database
from core.store.sync_schedule import SyncScheduleStore
from sync.schedule import ASKED_BY, SyncScheduler, Timed, Timetable, read_schedule, timed

NINE = dt.datetime(2026, 11, 29, 9, tzinfo=dt.UTC)  # a Sunday
HOUR = dt.timedelta(hours=1)


@dataclass
class Clock:
    now: dt.datetime = NINE

    def __call__(self) -> dt.datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path) -> SyncScheduleStore:
    return SyncScheduleStore(open_database(f"sqlite:///{tmp_path}/testigo.db"))


def entry(schedule: str = "every 6 hours", zone: str = "UTC", source: str = "hr") -> Timed:
    return Timed(source, f"{schedule} ({zone})", read_schedule(schedule, zone))


def following(schedule: str, zone: str = "UTC", after: dt.datetime = NINE) -> str:
    time = read_schedule(schedule, zone).get_next_fire_time(None, after)
    assert time is not None
    return time.astimezone(dt.UTC).strftime("%a %d %H:%M")


@pytest.mark.parametrize(
    ("schedule", "zone", "next_time"),
    [
        ("every 6 hours", "UTC", "Sun 29 12:00"),
        ("every hour", "UTC", "Sun 29 09:00"),
        ("every 45 minutes", "UTC", "Sun 29 09:00"),
        ("Every  day", "Europe/Madrid", "Sun 29 23:00"),
        ("0 3 * * *", "UTC", "Mon 30 03:00"),
        ("0 3 * * *", "Europe/Madrid", "Mon 30 02:00"),
        ("30 8 * * mon-fri", "UTC", "Mon 30 08:30"),
        ("0 12 * * 0", "UTC", "Sun 29 12:00"),
        ("0 12 * * 7", "UTC", "Sun 29 12:00"),
        ("0 12 * * 1", "UTC", "Mon 30 12:00"),
        ("0 12 * * 1-5", "UTC", "Mon 30 12:00"),
        ("0 12 * * 6-1", "UTC", "Sun 29 12:00"),
        ("0 12 * * sat,tue", "UTC", "Tue 01 12:00"),
        ("*/15 9-17 * * *", "UTC", "Sun 29 09:00"),
    ],
)
def test_schedules_mean_what_they_say(schedule: str, zone: str, next_time: str) -> None:
    assert following(schedule, zone) == next_time


@pytest.mark.parametrize("schedule", ["every 0 hours", "hourly", "0 3 * *", "0 25 * * *", "0 3 * * 9", "0 3 * * x"])
def test_a_schedule_that_cannot_be_read_is_named_with_its_source(schedule: str) -> None:
    source = SourceSettings(name="hr", kind=SourceKind.FOLDER, path=Path("x"), schedule=schedule)
    with pytest.raises(SettingsError, match="'hr'"):
        timed(source, "UTC")


def test_an_unknown_time_zone_is_said() -> None:
    source = SourceSettings(name="hr", kind=SourceKind.FOLDER, path=Path("x"), schedule="every day", timezone="Mars")
    with pytest.raises(SettingsError, match="Mars"):
        timed(source, "UTC")


def test_a_source_has_its_own_time_zone_and_without_a_schedule_none_at_all() -> None:
    settings = SourceSettings(name="hr", kind=SourceKind.FOLDER, path=Path("x"), schedule="0 3 * * *", timezone="UTC")
    made = timed(settings, "Europe/Madrid")
    assert made is not None and made.schedule == "0 3 * * * (UTC)"
    assert timed(settings.model_copy(update={"schedule": " "}), "UTC") is None


def test_a_new_schedule_waits_for_its_first_time(store: SyncScheduleStore, clock: Clock) -> None:
    timetable = Timetable([entry()], store, now=clock)
    assert not timetable.take("hr")
    clock.now = NINE + 2 * HOUR
    assert not timetable.take("hr")
    clock.now = NINE + 3 * HOUR
    assert timetable.take("hr")
    assert not timetable.take("hr")
    assert timetable.upcoming()[0].next_run == NINE + 9 * HOUR


def test_missed_runs_are_made_up_for_by_one_at_the_next_start(store: SyncScheduleStore, clock: Clock) -> None:
    Timetable([entry()], store, now=clock).take("hr")
    clock.now = NINE + 34 * HOUR  # missed 12:00, 18:00, 00:00, 06:00, 12:00 and 18:00, which is an hour ago
    restarted = Timetable([entry()], store, grace=dt.timedelta(minutes=30), now=clock)
    assert restarted.take("hr")
    assert not restarted.take("hr")
    [upcoming] = restarted.upcoming()
    assert upcoming.missed == 6
    assert upcoming.next_run == NINE + 39 * HOUR
    clock.now = NINE + 39 * HOUR
    assert restarted.take("hr")
    assert restarted.upcoming()[0].missed == 0


def test_a_run_within_its_grace_is_late_but_not_missed(store: SyncScheduleStore, clock: Clock) -> None:
    timetable = Timetable([entry()], store, grace=HOUR, now=clock)
    timetable.take("hr")
    clock.now = NINE + 3.9 * HOUR
    assert timetable.take("hr")
    assert timetable.upcoming()[0].missed == 0


def test_of_two_processes_one_takes_the_run(store: SyncScheduleStore, clock: Clock) -> None:
    one, other = Timetable([entry()], store, now=clock), Timetable([entry()], store, now=clock)
    one.take("hr"), other.take("hr")
    clock.now = NINE + 3 * HOUR
    assert [one.take("hr"), other.take("hr")] == [True, False]


def test_another_schedule_in_the_settings_begins_anew(store: SyncScheduleStore, clock: Clock) -> None:
    Timetable([entry()], store, now=clock).take("hr")
    clock.now = NINE + 30 * HOUR
    changed = Timetable([entry("0 3 * * *")], store, now=clock)
    assert not changed.take("hr")
    assert changed.upcoming()[0].next_run == dt.datetime(2026, 12, 1, 3, tzinfo=dt.UTC)


def test_what_was_missed_for_years_is_counted_up_to_a_limit(store: SyncScheduleStore, clock: Clock) -> None:
    Timetable([entry("every minute")], store, now=clock).take("hr")
    clock.now = NINE + dt.timedelta(days=400)
    timetable = Timetable([entry("every minute")], store, now=clock)
    assert timetable.take("hr")
    next_run = timetable.upcoming()[0].next_run
    assert next_run is not None and next_run > clock.now


@dataclass
class Reader:
    """Reads nothing and remembers who asked."""

    asked: list[tuple[str | None, str]] = field(default_factory=list)
    error: Exception | None = None

    async def reindex(self, source: str | None, asked_by: str, wait_seconds: float = 0) -> AsyncIterator[SyncEvent]:
        self.asked.append((source, asked_by))
        if self.error is not None:
            raise self.error
        yield SyncFinished(source or "", SyncCounts(), 0.1)


async def test_the_scheduler_catches_up_at_its_start(store: SyncScheduleStore, clock: Clock) -> None:
    entries = [entry(), entry(source="it")]
    for each in entries:
        Timetable(entries, store, now=clock).take(each.source)
    clock.now = NINE + 100 * HOUR
    reader = Reader()
    scheduler = SyncScheduler(Timetable(entries, store, now=clock), reader)
    scheduler.start()
    await asyncio.gather(*scheduler._running)
    await scheduler.close()
    assert reader.asked == [("hr", ASKED_BY), ("it", ASKED_BY)]


@pytest.mark.parametrize("error", [BusyError("ana", NINE), RuntimeError("a fault")])
async def test_a_scheduled_sync_that_fails_does_not_end_the_timetable(
    store: SyncScheduleStore, clock: Clock, error: Exception
) -> None:
    Timetable([entry()], store, now=clock).take("hr")
    reader = Reader(error=error)
    scheduler = SyncScheduler(Timetable([entry()], store, now=clock), reader)
    for hours in (3, 9):
        clock.now = NINE + hours * HOUR
        await scheduler.run_if_due("hr")
    assert len(reader.asked) == 2


async def test_without_schedules_nothing_is_started(store: SyncScheduleStore) -> None:
    scheduler = SyncScheduler(Timetable([], store), Reader())
    scheduler.start()
    assert scheduler.upcoming() == []
    await scheduler.close()
