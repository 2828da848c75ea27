"""A question in a direct message: every message of a person is one, follow-ups in a thread too."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncApp, AsyncBoltContext

from bot.incoming import Incoming, SlackMessage, Surface
from bot.intake import claim
from bot.services import Services
from bot.slack_text import question_text
from bot.threads import is_spoken

EVENTS = ("app_mention", "message")


def register(app: AsyncApp, services: Services) -> None:
    """Hear direct messages."""

    async def is_direct_message(event: dict[str, Any]) -> bool:
        message = SlackMessage.parse(event)
        return message.is_direct and is_spoken(message, services.me.user_id)

    async def on_direct_message(event: dict[str, Any], body: dict[str, Any], context: AsyncBoltContext) -> None:
        message = SlackMessage.parse(event)
        incoming = Incoming(
            surface=Surface.DIRECT,
            team_id=context.team_id or "",
            enterprise_id=context.enterprise_id or "",
            user_id=message.user,
            channel_id=message.channel,
            text=question_text(message.text, services.me.user_id),
            ts=message.ts,
            thread_ts=message.thread_ts,
        )
        await claim(services, str(body.get("event_id") or incoming.subject), incoming)

    for event in EVENTS:
        app.event(event, matchers=[is_direct_message])(on_direct_message)
