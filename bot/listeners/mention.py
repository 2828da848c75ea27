"""A question in a channel: the bot is mentioned, at once or by a later edit.

One post may arrive as `app_mention` and as `message`, with two event ids; and after an edit `app_mention` comes again.
All are about one channel and ts, by which they are claimed once.
"""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncApp, AsyncBoltContext

from bot.incoming import SlackMessage
from bot.intake import claim, question_in_channel
from bot.services import Services
from bot.slack_text import mentions
from bot.threads import is_spoken

EVENTS = ("app_mention", "message")


def register(app: AsyncApp, services: Services) -> None:
    """Hear mentions."""
    bot_user_id = services.me.user_id

    async def is_mention(event: dict[str, Any]) -> bool:
        return mentioning(SlackMessage.parse(event), bot_user_id) is not None

    async def on_mention(event: dict[str, Any], body: dict[str, Any], context: AsyncBoltContext) -> None:
        message = mentioning(SlackMessage.parse(event), bot_user_id)
        assert message is not None
        incoming = await question_in_channel(services, message, context)
        await claim(services, str(body.get("event_id") or incoming.subject), incoming)

    for event in EVENTS:
        app.event(event, matchers=[is_mention])(on_mention)


def mentioning(event: SlackMessage, bot_user_id: str) -> SlackMessage | None:
    """The message by which a person mentions the bot in a channel, or None when the event is about nothing such."""
    if event.subtype == "message_changed":
        now, before = event.message, event.previous_message
        if now is None or before is None or mentions(before.text, bot_user_id):
            return None
        message = now.model_copy(update={"channel": event.channel, "channel_type": event.channel_type})
    else:
        message = event
    if message.is_direct or not is_spoken(message, bot_user_id):
        return None
    return message if mentions(message.text, bot_user_id) else None
