"""`/rag-gaps` and the weekly digest: what people asked and the documents did not answer, told to admins alone."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Callable, Collection

from apscheduler.triggers.cron import CronTrigger

from bot.admins_channel import AdminsChannel
from bot.auditing import Auditor
from bot.identity import Directory
from bot.incoming import Incoming
from bot.reindexing import is_admin
from bot.rendering import ErrorKind, Message, render_error, sentence
from bot.rendering.gaps import CSV_ARGUMENT, render_gaps, render_gaps_csv
from bot.tenancy import Tenancy
from bot.words import Words
from core.domain.access import Audience
from core.domain.auditing import AuditKind
from core.errors import SettingsError
from core.gaps import Gap, Gaps
from core.settings import Settings

DIGEST = "gaps"
DIGEST_DAYS = 7
ALL = 500
"""Gaps of the CSV."""


class GapsListing:
    """The gaps for one claimed command. Who is an admin is checked when it is done."""

    def __init__(
        self,
        settings: Settings,
        gaps: Gaps,
        tenancy: Tenancy,
        directory: Directory,
        auditor: Auditor,
        hosts: Collection[str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._gaps = gaps
        self._tenancy = tenancy
        self._directory = directory
        self._auditor = auditor
        self._hosts = hosts
        self._clock = clock

    async def told(self, incoming: Incoming) -> list[Message]:
        """List them, for this person alone."""
        tenant_id = self._tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
        if tenant_id is None:
            return [sentence(Words(None).error_settings())]
        person = await self._directory.person(incoming.user_id, tenant_id)
        words = Words(person.locale)
        if not is_admin(person, self._settings):
            await self._auditor.note(AuditKind.DENIED, tenant_id, incoming, action=incoming.surface.value)
            return [render_error(ErrorKind.NOT_ALLOWED, "", words)]
        if not self._settings.gaps:
            return [sentence(words.gaps_off())]
        await self._auditor.note(AuditKind.ADMIN, tenant_id, incoming, action=incoming.surface.value)
        days = self._settings.question_days
        now = dt.datetime.fromtimestamp(self._clock(), dt.UTC)
        audience = Audience.person(person.reader)
        found = await asyncio.to_thread(self._gaps.listed, tenant_id, now - dt.timedelta(days=days), audience, ALL)
        if incoming.text.strip().casefold() == CSV_ARGUMENT:
            return render_gaps_csv(found, words)
        return [render_gaps(found, words, self._hosts, days)]


class GapsDigest:
    """Posts the gaps of the week to the admins' channel, when the settings say so."""

    def __init__(
        self,
        settings: Settings,
        gaps: Gaps,
        channel: AdminsChannel,
        hosts: Collection[str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._gaps = gaps
        self._channel = channel
        self._hosts = hosts
        self._due = due_times(settings.gaps_digest, settings.timezone) if settings.gaps_digest else None
        self._clock = clock

    async def round(self) -> None:
        """Post it, if it is due and was not posted today.

        Raises:
            SlackError: it could not be posted; it is tried again in the next round.
        """
        now = dt.datetime.fromtimestamp(self._clock(), dt.UTC)
        if self._due is None or not self._settings.gaps or not self._due(now):
            return
        await self._channel.tell_once(DIGEST, lambda audience: self._drawn(now, audience))

    async def _drawn(self, now: dt.datetime, audience: Audience) -> Message | None:
        since = now - dt.timedelta(days=DIGEST_DAYS)
        tenant_id = self._settings.tenant_id
        found: tuple[Gap, ...] = await asyncio.to_thread(self._gaps.listed, tenant_id, since, audience)
        return render_gaps(found, self._channel.words, self._hosts, DIGEST_DAYS) if found else None


def due_times(cron: str, timezone: str) -> Callable[[dt.datetime], bool]:
    """Whether a moment lies within an hour after one of the times that cron names.

    Raises:
        SettingsError: it is not cron.
    """
    try:
        trigger = CronTrigger.from_crontab(cron, timezone=timezone)
    except (ValueError, LookupError) as error:
        raise SettingsError(f"gaps_digest is not cron, such as `0 9 * * mon` ({error}).") from None

    def is_due(now: dt.datetime) -> bool:
        begun = now - dt.timedelta(hours=1)
        following = trigger.get_next_fire_time(None, begun)
        return following is not None and following <= now

    return is_due
