"""A question in a thread of a channel without a mention, where the channel's setting has the bot hear it.

The bot takes part in a thread when it has answered there before, by its own memory: Slack is asked nothing.
"""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncApp, AsyncBoltContext

from bot.incoming import SlackMessage, conversation_name
from bot.intake import claim, question_in_channel
from bot.places import Places
from bot.services import Services
from bot.threads import may_be_follow_up

EVENTS = ("message",)


def register(app: AsyncApp, services: Services) -> None:
    """Hear replies in threads. Without what is known of places nothing is heard."""
    places = services.places
    if places is None:
        return
    bot_user_id = services.me.user_id

    async def is_heard(event: dict[str, Any], context: AsyncBoltContext) -> bool:
        message = SlackMessage.parse(event)
        return may_be_follow_up(message, bot_user_id) and await _is_heard(services, places, message, context)

    async def on_follow_up(event: dict[str, Any], body: dict[str, Any], context: AsyncBoltContext) -> None:
        incoming = await question_in_channel(services, SlackMessage.parse(event), context)
        await claim(services, str(body.get("event_id") or incoming.subject), incoming)

    app.event("message", matchers=[is_heard])(on_follow_up)


async def _is_heard(services: Services, places: Places, message: SlackMessage, context: AsyncBoltContext) -> bool:
    """Whether follow-ups are answered in this channel, and the bot takes part in this thread.

    Raises:
        StorageError: it is not known. The event stays unacknowledged, so that Slack sends it again.
    """
    team_id = context.team_id or ""
    tenant_id = services.tenancy.tenant_of(team_id, context.enterprise_id or "")
    if tenant_id is None or not (await places.settings(tenant_id, message.channel)).follow_ups:
        return False
    return await places.takes_part(tenant_id, conversation_name(team_id, message.channel, message.thread_ts))
