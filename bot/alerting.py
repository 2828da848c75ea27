"""Alerts in the admins' channel: what is wrong is looked for every so often, and each kind is told once a day."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence

from sqlalchemy.exc import SQLAlchemyError

from bot.admins_channel import AdminsChannel
from bot.rendering import Message
from bot.rendering.alerts import render_alert
from core.alerts.alert import Alert, AlertKind, SourceFact
from core.alerts.links import Link, LinkChecker
from core.alerts.watch import AlertWatch
from core.domain.access import Audience
from core.errors import SettingsError, SlackError, StorageError

logger = logging.getLogger("testigo.alerting")

LINKS_ASKED = "links_asked"
"""What is noted of a day on which the links were asked."""

Links = Callable[[int], Sequence[Link]]
"""The links of what is served; the day's number says where to begin."""


class Alerting:
    """Looks, and tells."""

    def __init__(
        self,
        channel: AdminsChannel,
        watch: AlertWatch,
        links: Links | None = None,
        checker: LinkChecker | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._channel = channel
        self._watch = watch
        self._links = links
        self._checker = checker
        self._clock = clock

    async def round(self) -> None:
        """Look for all that is wrong, and tell what was not told today. What fails is tried again next time."""
        if not self._channel.is_named:
            return
        now = dt.datetime.fromtimestamp(self._clock(), dt.UTC)
        try:
            found = list(await asyncio.to_thread(self._watch.alerts, now))
        except SQLAlchemyError as error:
            raise StorageError(f"The database does not answer ({type(error).__name__}).") from None
        for alert in found:
            await self._tell(alert)

    async def check_links(self) -> None:
        """Ask the links of documents whether they are there, once a day over all processes, and tell of the others."""
        today = dt.datetime.fromtimestamp(self._clock(), dt.UTC).date()
        if not self._channel.is_named or self._checker is None or self._links is None:
            return
        if not await self._channel.is_first_today(LINKS_ASKED):
            return
        links = await asyncio.to_thread(self._links, today.toordinal())
        checked = await self._checker.check(links)
        logger.info("%d links were asked, %d do not answer", checked.asked, len(checked.broken))
        if not checked.broken:
            return
        asked = Counter(link.source for link in links if self._checker.is_below(link.uri))
        broken = Counter(link.source for link in checked.broken)
        facts = tuple(SourceFact(source, count, asked[source]) for source, count in sorted(broken.items()))
        await self._tell(Alert(AlertKind.LINKS, count=len(checked.broken), total=checked.asked, sources=facts))

    async def _tell(self, alert: Alert) -> None:
        async def drawn(_: Audience) -> Message:
            return render_alert(alert, self._channel.words)

        try:
            await self._channel.tell_once(alert.kind.value, drawn)
        except (SlackError, SettingsError) as error:
            logger.warning("an alert (%s) is not told: %s", alert.kind.value, type(error).__name__)
