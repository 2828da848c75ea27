"""Who asks: a Slack user becomes a `Person` with a `Reader`.

Fails closed: whoever is not a known, living member of the tenant's own workspace holds no more than what names them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError
from slack_sdk.web.async_client import AsyncWebClient

from bot.languages import Languages
from bot.slack_client import SlackRefusedError, slack_errors
from bot.slack_groups import SlackGroups
from bot.tenancy import Tenancy
from core.access.groups import Groups
from core.domain.access import PrincipalKind, Reader
from core.errors import SlackError

CACHE_SECONDS = 300.0
"""How long a person is remembered where no event says that something has changed."""
CACHE_SIZE = 10_000
LOCALE_SECONDS = 1.0
NAMED = frozenset({PrincipalKind.USER, PrincipalKind.GROUP})
"""What a guest may hold: only what names them."""


class Standing(StrEnum):
    """What a Slack user is to the company."""

    MEMBER = "member"
    GUEST = "guest"
    """Somebody invited to some channels only (`is_restricted`, `is_ultra_restricted`)."""
    OUTSIDER = "outsider"
    """A user of another workspace: their e-mail address was not checked by ours, so it counts for nothing."""
    UNKNOWN = "unknown"
    """A user without an e-mail address that Slack has confirmed."""
    BOT = "bot"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Person:
    """A Slack user as far as access goes. `locale` is Slack's, such as `es-ES`.

    `is_listed_admin` says that the people file calls them an admin, `is_slack_admin` that Slack does.
    """

    user_id: str
    standing: Standing
    reader: Reader
    locale: str = ""
    is_listed_admin: bool = False
    is_slack_admin: bool = False

    @property
    def is_known(self) -> bool:
        """Whether questions of this person are answered at all."""
        return self.standing in {Standing.MEMBER, Standing.GUEST}


class GroupsSource(Protocol):
    """Gives the groups as they are now (`core.access.groups.GroupsFile`)."""

    def current(self) -> Groups:
        """The groups.

        Raises:
            SettingsError: the file cannot be read.
        """
        ...


class _Profile(BaseModel):
    model_config = ConfigDict(extra="ignore")

    email: str | None = None


class _EnterpriseUser(BaseModel):
    model_config = ConfigDict(extra="ignore")

    enterprise_id: str | None = None


class _SlackUser(BaseModel):
    """The fields of `users.info` that decide."""

    model_config = ConfigDict(extra="ignore")

    id: str
    team_id: str | None = None
    deleted: bool = False
    is_bot: bool = False
    is_workflow_bot: bool = False
    is_admin: bool = False
    is_owner: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    is_stranger: bool = False
    is_email_confirmed: bool | None = None
    locale: str | None = None
    profile: _Profile = _Profile()
    enterprise_user: _EnterpriseUser = _EnterpriseUser()

    @property
    def email(self) -> str:
        """The address, where Slack does not say that it is unconfirmed."""
        return "" if self.is_email_confirmed is False else (self.profile.email or "").strip()


class Directory:
    """Looks people up and remembers them for a while. Groups are read afresh each time, so that they work at once."""

    def __init__(
        self,
        client: AsyncWebClient,
        tenancy: Tenancy,
        groups: GroupsSource,
        clock: Callable[[], float] = time.monotonic,
        slack_groups: SlackGroups | None = None,
        languages: Languages | None = None,
    ) -> None:
        """`languages` knows who chose a language of their own; without it Slack's locale is everybody's."""
        self._client = client
        self._slack_groups = slack_groups
        self._languages = languages
        self._tenancy = tenancy
        self._groups = groups
        self._clock = clock
        self._users: dict[str, tuple[float, _SlackUser]] = {}
        self._drops = 0

    async def person(self, user_id: str, tenant_id: str) -> Person:
        """Find out who a user is and what they hold in a tenant.

        Raises:
            SlackError: it cannot be found out. Then nothing may be shown to them.
            SettingsError: the groups file cannot be read.
        """
        user = await self._look_up(user_id)
        standing = self._standing(user, tenant_id)
        locale = await self._chosen(user_id, tenant_id) or user.locale or ""
        if standing not in {Standing.MEMBER, Standing.GUEST}:
            return Person(user_id, standing, Reader.nobody(tenant_id), locale)
        in_slack = await self._slack_groups.of(user_id) if self._slack_groups is not None else frozenset[str]()
        groups = self._groups.current()
        email = groups.canonical_email(user.email)
        listed = groups.person(email)
        principals = groups.principals_of(email, in_slack)
        if standing is Standing.GUEST:
            principals = frozenset(held for held in principals if held.kind in NAMED)
        is_member = standing is Standing.MEMBER
        return Person(
            user_id,
            standing,
            Reader(tenant_id, principals, email),
            locale,
            is_listed_admin=is_member and listed is not None and listed.is_admin,
            is_slack_admin=is_member and (user.is_admin or user.is_owner),
        )

    def listed(self, address: str, tenant_id: str) -> Person:
        """Somebody by address, as the groups file knows them: what a member of this address would hold.

        Raises:
            SettingsError: the groups file cannot be read.
        """
        groups = self._groups.current()
        email = groups.canonical_email(address)
        return Person("", Standing.MEMBER, Reader(tenant_id, groups.principals_of(email), email))

    async def locale(self, user_id: str) -> str:
        """The language that a user chose, else Slack's locale of them.

        Nothing where neither is known at once: only the language of a sentence hangs on it.
        """
        try:
            async with asyncio.timeout(LOCALE_SECONDS):
                user = await self._look_up(user_id)
                return await self._chosen(user_id, self._tenant_of(user) or "") or user.locale or ""
        except (SlackError, TimeoutError):
            return ""

    async def chosen_language(self, user_id: str, tenant_id: str) -> str:
        """The language that a user of a tenant chose; empty where they chose none. Slack is not asked."""
        return await self._chosen(user_id, tenant_id)

    def forget(self, user_id: str) -> None:
        """Drop what is remembered of a user (`user_change`)."""
        self._drops += 1
        self._users.pop(user_id, None)

    def forget_all(self) -> None:
        """Drop everything (`team_join`, `subteam_*`)."""
        self._drops += 1
        self._users.clear()
        if self._slack_groups is not None:
            self._slack_groups.forget()

    def _standing(self, user: _SlackUser, tenant_id: str) -> Standing:
        if user.deleted:
            return Standing.DELETED
        if user.is_bot or user.is_workflow_bot or user.id == "USLACKBOT":
            return Standing.BOT
        if user.is_stranger or self._tenant_of(user) != tenant_id:
            return Standing.OUTSIDER
        if not user.email:
            return Standing.UNKNOWN
        return Standing.GUEST if user.is_restricted or user.is_ultra_restricted else Standing.MEMBER

    def _tenant_of(self, user: _SlackUser) -> str | None:
        return self._tenancy.tenant_of(user.team_id or "", user.enterprise_user.enterprise_id or "")

    async def _chosen(self, user_id: str, tenant_id: str) -> str:
        return await self._languages.of(tenant_id, user_id) if self._languages is not None and tenant_id else ""

    async def _look_up(self, user_id: str) -> _SlackUser:
        known = self._users.get(user_id)
        if known is not None and self._clock() - known[0] < CACHE_SECONDS:
            return known[1]
        drops = self._drops
        try:
            with slack_errors("users.info"):
                answer = await self._client.users_info(user=user_id, include_locale=True)
            user = _parsed(answer.get("user"))
        except SlackRefusedError as error:
            if error.code in {"user_not_found", "user_not_visible"}:
                return _SlackUser(id=user_id)  # of no team: an outsider
            raise
        if drops == self._drops:  # else it may have changed while Slack was asked
            if len(self._users) >= CACHE_SIZE:
                self._users.clear()
            self._users[user_id] = (self._clock(), user)
        return user


def _parsed(user: Any) -> _SlackUser:
    try:
        return _SlackUser.model_validate(user)
    except ValidationError:
        raise SlackError("Slack's answer to users.info cannot be read.") from None
