"""Who may set what holds in a place: looked up at the moment of each change."""

from __future__ import annotations

from slack_sdk.web.async_client import AsyncWebClient

from bot.identity import Person, Standing
from bot.reindexing import is_admin
from bot.slack_client import slack_errors
from core.errors import SlackError
from core.settings import ChannelSettingsBy, Settings

PAGE = 200
MOST_PAGES = 25


class SettingsRights:
    """In a direct message with the bot each person sets their own; in a channel those whom the settings name."""

    def __init__(self, client: AsyncWebClient, settings: Settings) -> None:
        self._client = client
        self._settings = settings

    async def may_set(self, person: Person, place: str) -> bool:
        """Whether somebody may change what holds in a place; no where Slack does not say who created it or is in it.

        That a direct message is theirs is for the caller to know.
        """
        if not person.is_known:
            return False
        if place.startswith("D") or is_admin(person, self._settings):
            return True
        if person.standing is not Standing.MEMBER:
            return False
        try:
            match self._settings.channel_settings_by:
                case ChannelSettingsBy.ADMINS:
                    return False
                case ChannelSettingsBy.CREATOR:
                    return await self._creator(place) == person.user_id
                case ChannelSettingsBy.MEMBERS:
                    return await self._is_in(place, person.user_id)
        except SlackError:
            return False

    async def _creator(self, channel_id: str) -> str:
        with slack_errors("conversations.info"):
            answer = await self._client.conversations_info(channel=channel_id)
        channel = answer.get("channel")
        return str(channel.get("creator") or "") if isinstance(channel, dict) else ""

    async def _is_in(self, channel_id: str, user_id: str) -> bool:
        cursor = ""
        for _ in range(MOST_PAGES):
            with slack_errors("conversations.members"):
                page = await self._client.conversations_members(channel=channel_id, cursor=cursor, limit=PAGE)
            if user_id in (page.get("members") or ()):
                return True
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return False
        return False
