"""Slack's user groups: who is in which, by the name that rules may use for them, `slack:HANDLE`.

Never the bare handle: where members may make user groups, one that is called `hr` would open what `hr` may read. A
people file or `group_aliases` says which of them mean something.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack_client import SlackRefusedError, slack_errors
from core.errors import SlackError

logger = logging.getLogger("testigo.groups")

CACHE_SECONDS = 300.0
PREFIX = "slack:"
NONE_HERE = frozenset({"missing_scope", "paid_teams_only", "plan_upgrade_required", "not_allowed_token_type"})
"""Refusals that say that a workspace has no user groups, or that the app may not read them: then nobody is in any."""


class _Usergroup(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str
    handle: str = ""
    team_id: str = ""
    date_delete: int = 0
    is_usergroup: bool = True
    is_external: bool = False
    user_count: int | str | None = None
    users: list[str] | None = None


class SlackGroups:
    """The user groups of the workspace, remembered for a while, and dropped when an event says that they changed."""

    def __init__(self, client: AsyncWebClient, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._clock = clock
        self._members: tuple[float, Mapping[str, frozenset[str]]] | None = None
        self._drops = 0

    async def of(self, user_id: str) -> frozenset[str]:
        """The groups that a user is in, as `slack:handle`.

        Raises:
            SlackError: it cannot be found out. Then nothing may be shown to them.
        """
        if self._members is not None and self._clock() - self._members[0] < CACHE_SECONDS:
            return self._members[1].get(user_id, frozenset())
        drops = self._drops
        members = await self._read()
        if drops == self._drops:  # else they may have changed while Slack was asked
            self._members = (self._clock(), members)
        return members.get(user_id, frozenset())

    def forget(self) -> None:
        """Drop what is remembered (`subteam_*`)."""
        self._drops += 1
        self._members = None

    async def _read(self) -> Mapping[str, frozenset[str]]:
        try:
            with slack_errors("usergroups.list"):
                answer = await self._client.usergroups_list(include_users=True, include_disabled=False)
        except SlackRefusedError as error:
            if error.code not in NONE_HERE:
                raise
            logger.info("Slack's user groups are not read (%s)", error.code)
            return {}
        groups: dict[str, set[str]] = {}
        for each in answer.get("usergroups") or ():
            group = _parsed(each)
            if not group.handle or group.date_delete or group.is_external:
                continue
            users = group.users if group.users is not None else await self._users(group.id)
            for user in users:
                groups.setdefault(user, set()).add(PREFIX + group.handle)
        return {user: frozenset(names) for user, names in groups.items()}

    async def _users(self, group_id: str) -> list[str]:
        """The members of a group that the list did not give."""
        with slack_errors("usergroups.users.list"):
            answer = await self._client.usergroups_users_list(usergroup=group_id)
        return [str(user) for user in answer.get("users") or ()]


def _parsed(group: Any) -> _Usergroup:
    try:
        return _Usergroup.model_validate(group)
    except ValidationError:
        raise SlackError("Slack's answer to usergroups.list cannot be read.") from None
