"""Who will see the answer: a Slack conversation becomes an `Audience`.

Fails closed: where Slack does not say, or other companies read, nothing is shown.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, ValidationError
from slack_sdk.web.async_client import AsyncWebClient

from bot.identity import Directory, Person, Standing
from bot.incoming import Incoming
from bot.slack_client import slack_errors
from bot.tenancy import BotIdentity, Tenancy
from core.domain.access import Audience, Reader
from core.errors import SlackError
from core.settings import Settings

CACHE_SECONDS = 300.0
CACHE_SIZE = 1_000
EXACT_UP_TO = 100
"""In a private channel with more members, only what is open to the whole tenant is shown."""
PAGE = 200
LOOK_UPS_AT_ONCE = 8


class _Channel(BaseModel):
    """The fields of `conversations.info` that decide."""

    model_config = ConfigDict(extra="ignore")

    id: str
    is_channel: bool = False
    is_im: bool = False
    is_mpim: bool = False
    is_group: bool = False
    is_private: bool | None = None
    is_shared: bool = False
    is_ext_shared: bool = False
    is_pending_ext_shared: bool = False
    is_org_shared: bool = False
    pending_shared: list[str] | None = None
    pending_connected_team_ids: list[str] | None = None
    shared_team_ids: list[str] | None = None

    @property
    def may_be_read_by_others(self) -> bool:
        """Whether another organisation reads here, or is about to."""
        return (
            self.is_ext_shared
            or self.is_pending_ext_shared
            or bool(self.pending_shared)
            or bool(self.pending_connected_team_ids)
            or (self.is_shared and not self.is_org_shared)
        )

    @property
    def is_public(self) -> bool:
        """Whether any member may open it. A channel that does not say that it is not private counts as private."""
        return self.is_channel and self.is_private is False and not (self.is_im or self.is_mpim or self.is_group)


class Audiences:
    """Finds the audience of a question. A channel's sharing is asked for each time; only its member list is kept."""

    def __init__(
        self,
        client: AsyncWebClient,
        directory: Directory,
        tenancy: Tenancy,
        me: BotIdentity,
        settings: Settings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._directory = directory
        self._tenancy = tenancy
        self._me = me
        self._everyone_groups = settings.everyone_groups
        self._clock = clock
        self._members: dict[str, tuple[float, tuple[str, ...]]] = {}
        self._public: dict[str, bool] = {}
        self._drops = 0

    async def of(self, incoming: Incoming, person: Person) -> Audience:
        """Who will see the answer to this.

        Raises:
            SlackError: a member of a private channel could not be looked up. Then nothing may be shown.
            SettingsError: the groups file cannot be read.
        """
        if incoming.is_private:
            return Audience.person(person.reader)
        return await self.of_channel(incoming.channel_id, person.reader.tenant_id, incoming.enterprise_id)

    async def of_channel(self, channel_id: str, tenant_id: str, enterprise_id: str = "") -> Audience:
        """Who reads in a channel, whoever says something there.

        Raises:
            SlackError: a member of a private channel could not be looked up. Then nothing may be shown.
            SettingsError: the groups file cannot be read.
        """
        try:
            channel = await self._look_up(channel_id)
        except SlackError:
            return Audience.refused(tenant_id)
        if channel.may_be_read_by_others or not self._is_of_one_tenant(channel, enterprise_id, tenant_id):
            return Audience.refused(tenant_id)
        if channel.is_public:
            return Audience.tenant(tenant_id, self._everyone_groups)
        members = await self._member_ids(channel.id)
        if members is None:
            return Audience.tenant(tenant_id, self._everyone_groups)
        return Audience.members(tenant_id, await self._readers(members, tenant_id))

    def was_public(self, channel_id: str) -> bool:
        """Whether a channel was one that any member may open when it was last looked up; else it counts as private.

        An audience does not tell: a private channel with many members is answered like a public one.
        """
        return self._public.get(channel_id, False)

    def forget(self, channel_id: str) -> None:
        """Drop the member list of a channel (somebody joined or left)."""
        self._drops += 1
        self._members.pop(channel_id, None)

    async def _look_up(self, channel_id: str) -> _Channel:
        with slack_errors("conversations.info"):
            answer = await self._client.conversations_info(channel=channel_id)
        try:
            channel = _Channel.model_validate(answer.get("channel"))
        except ValidationError:
            raise SlackError("Slack's answer to conversations.info cannot be read.") from None
        if len(self._public) >= CACHE_SIZE:
            self._public.clear()
        self._public[channel_id] = channel.is_public
        return channel

    def _is_of_one_tenant(self, channel: _Channel, enterprise_id: str, tenant_id: str) -> bool:
        """A channel that several workspaces of one organisation share is of one tenant when all of them are."""
        teams = channel.shared_team_ids or []
        return all(self._tenancy.tenant_of(team, enterprise_id) == tenant_id for team in teams)

    async def _member_ids(self, channel_id: str) -> tuple[str, ...] | None:
        """Everybody in a channel; None when there are more than `EXACT_UP_TO`."""
        known = self._members.get(channel_id)
        if known is not None and self._clock() - known[0] < CACHE_SECONDS:
            return known[1]
        drops = self._drops
        members: list[str] = []
        cursor = ""
        while True:
            with slack_errors("conversations.members"):
                page = await self._client.conversations_members(channel=channel_id, cursor=cursor, limit=PAGE)
            members.extend(str(member) for member in page.get("members") or ())
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if len(members) > EXACT_UP_TO + 1:  # one of them is the bot
                return None
            if not cursor:
                break
        if not members:
            raise SlackError("Slack names no member of a channel that somebody asked in.")
        if drops == self._drops:
            if len(self._members) >= CACHE_SIZE:
                self._members.clear()
            self._members[channel_id] = (self._clock(), tuple(members))
        return tuple(members)

    async def _readers(self, members: tuple[str, ...], tenant_id: str) -> list[Reader]:
        """A reader for each person.

        Apps are left out: they were let in by the workspace's admins and read for nobody.
        """
        turnstile = asyncio.Semaphore(LOOK_UPS_AT_ONCE)

        async def look_up(user_id: str) -> Person:
            async with turnstile:
                return await self._directory.person(user_id, tenant_id)

        people = await asyncio.gather(*(look_up(user_id) for user_id in members if user_id != self._me.user_id))
        return [person.reader for person in people if person.standing not in {Standing.BOT, Standing.DELETED}]
