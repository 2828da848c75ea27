"""Where a question goes that is handed to people: who the settings name for it, and whether they can be reached now."""

from __future__ import annotations

import asyncio
import logging

from slack_sdk.web.async_client import AsyncWebClient

from bot.audience import Audiences
from bot.identity import Directory, Person, Standing
from bot.rendering.asking_people import Destination, Reach
from bot.slack_client import SlackRefusedError, slack_errors
from core.asking import Addressee, addressees
from core.domain.access import Audience, AudienceKind
from core.gaps import NearestDocuments
from core.settings import Settings

logger = logging.getLogger("testigo.asking")


class Destinations:
    """Finds where questions go. Everything is looked up each time, since it may have changed."""

    def __init__(
        self,
        settings: Settings,
        client: AsyncWebClient,
        nearest: NearestDocuments,
        directory: Directory,
        audiences: Audiences,
    ) -> None:
        self._settings = settings
        self._client = client
        self._nearest = nearest
        self._directory = directory
        self._audiences = audiences

    async def of(self, person: Person, question: str) -> Destination | None:
        """Where a question goes at this moment: the first of those who may get it that can be reached.

        Raises:
            SettingsError: the groups file cannot be read.
            SlackError: it cannot be found out who reads there.
        """
        reader = person.reader
        near = await asyncio.to_thread(
            self._nearest.near, question, reader, Audience.person(reader)
        ) if question else ()  # fmt: skip
        for addressee in addressees(near, self._settings):
            reached = await (
                self._channel(addressee, reader.tenant_id) if addressee.channel else self._owner(addressee, person)
            )
            if reached is not None:
                return reached
        return None

    async def _channel(self, addressee: Addressee, tenant_id: str) -> Destination | None:
        audience = await self._audiences.of_channel(addressee.channel, tenant_id)
        if audience.kind is AudienceKind.REFUSED:
            logger.warning("questions cannot be handed to a channel: others read there, or it cannot be looked up")
            return None
        is_public = self._audiences.was_public(addressee.channel)
        return Destination(addressee.channel, Reach.PUBLIC if is_public else Reach.CLOSED)

    async def _owner(self, addressee: Addressee, asker: Person) -> Destination | None:
        try:
            with slack_errors("users.lookupByEmail"):
                answer = await self._client.users_lookupByEmail(email=addressee.email)
        except SlackRefusedError as error:
            if error.code == "users_not_found":
                return None
            raise
        user_id = str((answer.get("user") or {}).get("id") or "")
        owner = await self._directory.person(user_id, asker.reader.tenant_id) if user_id else None
        if owner is None or owner.standing is not Standing.MEMBER or owner.user_id == asker.user_id:
            return None
        return Destination(user_id, Reach.DIRECT)

    async def is_public(self, channel_id: str, tenant_id: str) -> bool:
        """Whether any member of the company may open the channel that something was asked in.

        Raises:
            SettingsError: the groups file cannot be read.
            SlackError: it cannot be found out who reads there.
        """
        if channel_id.startswith("D"):
            return False
        audience = await self._audiences.of_channel(channel_id, tenant_id)
        return audience.kind is AudienceKind.TENANT and self._audiences.was_public(channel_id)
