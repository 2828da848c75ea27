"""Read sources by themselves, at the times that the settings say.

When a source is due stands in SQL, not in the process: so a run that was missed while nothing was running is made up
for at the start, once for however many there were, and of several processes with the same timetable one does it.
APScheduler wakes us at the times; its own job stores pickle and cannot be shared.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger

from core.domain.syncing import ScheduledSync, SyncEvent, SyncFinished
from core.errors import SettingsError, TestigoError
from core.settings import SourceSettings
from core.store.sync_schedule import DueSync, SyncScheduleStore

logger = logging.getLogger(__name__)

ASKED_BY = "timetable"
MOST_COUNTED = 10_000
WAIT_SECONDS = 600.0
"""How long a scheduled sync waits for another to end."""

_EVERY = re.compile(r"every\s+(?:(?P<count>\d{1,4})\s*)?(?P<unit>minute|hour|day|week)s?", re.IGNORECASE)
_ANCHOR = dt.datetime(2024, 1, 1)  # a Monday: intervals count from midnight, the same in every process
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


class Trigger(Protocol):
    """What APScheduler's triggers do."""

    def get_next_fire_time(self, previous: dt.datetime | None, now: dt.datetime) -> dt.datetime | None:
        """The first time after `previous`, or not before `now`."""
        ...


class Reader(Protocol):
    """Reads a source again (`sync.service`)."""

    def reindex(self, source: str | None, asked_by: str, wait_seconds: float = 0) -> AsyncIterator[SyncEvent]:
        """See `SyncService.reindex`."""
        ...


@dataclass(frozen=True, slots=True)
class Timed:
    """A source with its schedule."""

    source: str
    schedule: str
    trigger: Trigger


def timed(source: SourceSettings, timezone: str) -> Timed | None:
    """A source's schedule, or None where it has none.

    Raises:
        SettingsError: schedule or time zone cannot be understood.
    """
    if not source.schedule.strip():
        return None
    name = source.timezone or timezone
    return Timed(source.name, f"{source.schedule.strip()} ({name})", read_schedule(source.schedule, name, source.name))


def read_schedule(text: str, timezone: str, source: str = "") -> Trigger:
    """Read `every 6 hours` or a crontab line of five fields (0 and 7 are Sunday).

    Raises:
        SettingsError: it is neither, or there is no such time zone.
    """
    try:
        zone = ZoneInfo(timezone)
    except (ValueError, OSError, LookupError):
        raise SettingsError(f"There is no time zone {timezone!r}: write one such as Europe/Madrid.") from None
    text = text.strip()
    trigger: Any
    if match := _EVERY.fullmatch(text):
        count = int(match["count"] or 1)
        if count == 0:
            raise SettingsError(f"The schedule {text!r} of the source {source!r} never comes: write every 1 hour.")
        trigger = IntervalTrigger(**{f"{match['unit'].lower()}s": count}, start_date=_ANCHOR, timezone=zone)
    else:
        try:
            fields = text.split()
            fields[4] = _weekdays(fields[4])
            trigger = CronTrigger.from_crontab(" ".join(fields), timezone=zone)
        except (ValueError, IndexError) as error:
            raise SettingsError(
                f"The schedule {text!r} of the source {source!r} cannot be read ({error}): "
                "write `every 6 hours`, or five fields of cron such as `0 3 * * mon-fri`."
            ) from None
    fires: Trigger = trigger
    return fires


def _weekdays(field: str) -> str:
    """Cron's numbers as names: APScheduler's own numbers begin with Monday, cron's with Sunday."""

    def number(text: str) -> int:
        return int(text) if text.isdigit() else _WEEKDAYS.index(text.lower()[:3])

    parts = []
    for part in field.split(","):
        if part.startswith("*") or "/" in part:
            parts.append(part)
            continue
        first, dash, last = part.partition("-")
        start, end = number(first), number(last) if dash else number(first)
        if not (0 <= start <= 7 and 0 <= end <= 7):
            raise ValueError(f"there is no day of the week {part}")
        span = range(start, end + 1 if end >= start else end + 8)
        parts += [_WEEKDAYS[day % 7] for day in span]
    return ",".join(dict.fromkeys(parts))


class Timetable:
    """Which sources are due. `now` is in UTC."""

    def __init__(
        self,
        entries: Sequence[Timed],
        store: SyncScheduleStore,
        *,
        grace: dt.timedelta = dt.timedelta(hours=1),
        now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
    ) -> None:
        self.entries = {entry.source: entry for entry in entries}
        self._store = store
        self._grace = grace
        self._now = now

    def upcoming(self) -> list[ScheduledSync]:
        """When each source is read next; a time that has passed is one that will be made up for."""
        return [self._upcoming(entry) for entry in self.entries.values()]

    def take(self, source: str) -> bool:
        """Whether a source is due and ours to read: asked twice for one time, the second answer is no."""
        entry, now = self.entries[source], self._now()
        due = self._due(entry)
        if due is None:
            following = entry.trigger.get_next_fire_time(None, now)
            if following is not None:
                self._store.set(source, entry.schedule, following.timestamp())
            return False
        if due.due_at > now.timestamp():
            return False
        times, following = self._times(entry, due, now)
        missed = len(times) - (1 if times and now - times[-1] <= self._grace else 0)
        next_due = following.timestamp() if following is not None else float("inf")
        if not self._store.claim(due, next_due, missed):
            return False
        if missed:
            logger.warning("%d scheduled syncs of %s were missed: they are made up for by one", missed, source)
        return True

    def _due(self, entry: Timed) -> DueSync | None:
        due = self._store.due(entry.source)
        return due if due is not None and due.schedule == entry.schedule else None

    def _upcoming(self, entry: Timed) -> ScheduledSync:
        due = self._due(entry)
        if due is None:
            return ScheduledSync(entry.source, entry.schedule, entry.trigger.get_next_fire_time(None, self._now()))
        when = dt.datetime.fromtimestamp(due.due_at, dt.UTC) if due.due_at != float("inf") else None
        return ScheduledSync(entry.source, entry.schedule, when, due.missed)

    def _times(self, entry: Timed, due: DueSync, now: dt.datetime) -> tuple[list[dt.datetime], dt.datetime | None]:
        """The times from the one that is due until now, and the one after."""
        times: list[dt.datetime] = []
        time: dt.datetime | None = dt.datetime.fromtimestamp(due.due_at, dt.UTC)
        while time is not None and time <= now:
            if len(times) == MOST_COUNTED:
                return times, entry.trigger.get_next_fire_time(None, now + dt.timedelta(microseconds=1))
            times.append(time)
            time = entry.trigger.get_next_fire_time(time, time + dt.timedelta(microseconds=1))
        return times, time


class SyncScheduler:
    """Keeps the timetable while the bot serves."""

    def __init__(self, timetable: Timetable, reader: Reader, stop_reading: Callable[[], None] = lambda: None) -> None:
        self._timetable = timetable
        self._reader = reader
        self._stop_reading = stop_reading
        self._scheduler: Any = None
        self._running: set[asyncio.Task[None]] = set()

    def upcoming(self) -> list[ScheduledSync]:
        """When each source is read next."""
        return self._timetable.upcoming()

    def start(self) -> None:
        """Begin, in the running event loop, with what was missed."""
        if not self._timetable.entries:
            return
        self._scheduler = AsyncIOScheduler(timezone=dt.UTC)
        for source, entry in self._timetable.entries.items():
            # However late it wakes (a laptop that slept), the timetable knows what that means.
            options = {"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
            self._scheduler.add_job(self.run_if_due, entry.trigger, args=[source], id=source, **options)
        self._scheduler.start()
        catching_up = asyncio.get_running_loop().create_task(self._catch_up())
        self._running.add(catching_up)
        catching_up.add_done_callback(self._running.discard)

    async def close(self) -> None:
        """End; a run that is going stops after the documents that it is writing."""
        if self._scheduler is not None:
            self._scheduler.shutdown(wait=False)
        self._stop_reading()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def run_if_due(self, source: str) -> None:
        """Read a source when it is its time."""
        if not await asyncio.to_thread(self._timetable.take, source):
            return
        try:
            async for event in self._reader.reindex(source, ASKED_BY, WAIT_SECONDS):
                if isinstance(event, SyncFinished):
                    logger.info("%s was read as scheduled: %d documents", source, event.counts.total)
        except TestigoError as error:
            logger.warning("the scheduled sync of %s failed: %s", source, error)
        except Exception:
            logger.exception("the scheduled sync of %s failed", source)

    async def _catch_up(self) -> None:
        for source in self._timetable.entries:
            await self.run_if_due(source)
