"""The channel of the admins: each kind of thing is told there at most once a day, and never where others read along."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import time
from collections.abc import Awaitable, Callable

from slack_sdk.web.async_client import AsyncWebClient

from bot.audience import Audiences
from bot.rendering import Message
from bot.reply import UNCERTAIN
from bot.slack_client import SlackRefusedError, post_message
from bot.words import Words
from core.domain.access import Audience, AudienceKind
from core.errors import SlackError
from core.settings import Settings
from core.store.alerts import ToldStore

logger = logging.getLogger("testigo.admins")

Draw = Callable[[Audience], Awaitable[Message | None]]
"""Draws what is told for those who read there now; None when there is nothing to tell."""


class AdminsChannel:
    """Tells the admins' channel. Without one in the settings, nothing is told."""

    def __init__(
        self,
        settings: Settings,
        client: AsyncWebClient,
        audiences: Audiences,
        told: ToldStore,
        clock: Callable[[], float] = time.time,
        language: str = "",
    ) -> None:
        self._tenant_id = settings.tenant_id
        self._channel = settings.admins_channel
        self._client = client
        self._audiences = audiences
        self._told = told
        self._clock = clock
        self.words = Words(language or settings.admins_language)

    @property
    def is_named(self) -> bool:
        """Whether the settings name one."""
        return bool(self._channel)

    async def is_first_today(self, kind: str) -> bool:
        """Take the right to do something once today (UTC), over all processes; False when it was taken."""
        return await asyncio.to_thread(self._told.claim, self._tenant_id, kind, self._today())

    def _today(self) -> str:
        return dt.datetime.fromtimestamp(self._clock(), dt.UTC).date().isoformat()

    async def tell_once(self, kind: str, draw: Draw) -> bool:
        """Tell something, unless something of this kind was told today (UTC); whether it was told now.

        The right to tell it is taken before it is posted: what two processes find at once is told by one. Where Slack
        says neither yes nor no it counts as told, since one alert less is better than a storm.

        Raises:
            SlackError: Slack did not take it. It may be told again later.
        """
        if not self._channel:
            return False
        day = self._today()
        if await asyncio.to_thread(self._told.was_told, self._tenant_id, kind, day):
            return False
        audience = await self._audiences.of_channel(self._channel, self._tenant_id)
        if audience.kind is AudienceKind.REFUSED:
            logger.warning("the admins' channel cannot be told: others read there, or it cannot be looked up")
            return False
        message = await draw(audience)
        if message is None or not await asyncio.to_thread(self._told.claim, self._tenant_id, kind, day):
            return False
        try:
            await post_message(self._client, self._channel, message)
        except SlackError as error:
            if isinstance(error, SlackRefusedError) and error.code not in UNCERTAIN:
                await asyncio.to_thread(self._told.give_back, self._tenant_id, kind, day)
            raise
        return True
