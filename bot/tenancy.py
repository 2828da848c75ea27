"""Which tenant a Slack workspace belongs to."""

from __future__ import annotations

from dataclasses import dataclass

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack_client import slack_errors
from core.settings import Settings


@dataclass(frozen=True, slots=True)
class BotIdentity:
    """Who the bot is in Slack (`auth.test`)."""

    user_id: str
    bot_id: str
    team_id: str
    enterprise_id: str = ""


async def who_am_i(client: AsyncWebClient) -> BotIdentity:
    """Ask Slack who holds the bot token.

    Raises:
        SlackError: Slack cannot be reached, or does not take the token.
    """
    with slack_errors("auth.test"):
        answer = await client.auth_test()
    return BotIdentity(
        user_id=str(answer.get("user_id") or ""),
        bot_id=str(answer.get("bot_id") or ""),
        team_id=str(answer.get("team_id") or ""),
        enterprise_id=str(answer.get("enterprise_id") or ""),
    )


class Tenancy:
    """Maps a workspace, or the enterprise it is part of, to a tenant. Who is not mapped gets nothing."""

    def __init__(self, settings: Settings, me: BotIdentity) -> None:
        self._tenants = dict(settings.teams) or {me.team_id: settings.tenant_id}
        # A bot installed for a whole organisation has the organisation's id where others have their team's.
        if not settings.teams and me.team_id.startswith("E"):
            self._tenants[me.enterprise_id or me.team_id] = settings.tenant_id
        self._tenants.pop("", None)

    def tenant_of(self, team_id: str, enterprise_id: str = "") -> str | None:
        """The tenant of a workspace; the workspace's own entry goes before that of its enterprise."""
        return self._tenants.get(team_id) or self._tenants.get(enterprise_id)
