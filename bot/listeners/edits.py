"""A person edits or deletes a message that was asked as a question.

An edit that adds a mention is a question of its own (`mention`). Changes that are no edit of a person's words, such as
unfurls, counters, and the bot's own updates, are nothing. A question that has replies leaves a tombstone when it is
deleted: Slack then says that it has changed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from slack_bolt.async_app import AsyncApp, AsyncBoltContext

from bot.incoming import Incoming, SlackMessage, Surface
from bot.intake import claim
from bot.places import Places
from bot.services import Services
from bot.slack_text import mentions, question_text
from bot.threads import is_spoken
from core.store.edited_questions import EditedQuestion

EVENTS = ("message",)
TOMBSTONE = "tombstone"


def register(app: AsyncApp, services: Services) -> None:
    """Hear edits and deletions of what was asked. Without what is known of places none is heard."""
    places = services.places
    if places is None:
        return
    bot_user_id = services.me.user_id

    async def is_edit(event: dict[str, Any]) -> bool:
        return reworded(SlackMessage.parse(event), bot_user_id) is not None

    async def on_edit(event: dict[str, Any], body: dict[str, Any], context: AsyncBoltContext) -> None:
        message = reworded(SlackMessage.parse(event), bot_user_id)
        assert message is not None
        incoming = _about(message, context, Surface.EDITED, _edition(message))
        await _offer(services, places, incoming, question_text(message.text, bot_user_id), str(body.get("event_id")))

    async def is_deletion(event: dict[str, Any]) -> bool:
        return deleted(SlackMessage.parse(event), bot_user_id) is not None

    async def on_deletion(event: dict[str, Any], body: dict[str, Any], context: AsyncBoltContext) -> None:
        message = deleted(SlackMessage.parse(event), bot_user_id)
        assert message is not None
        if not services.settings.delete_with_question:
            return
        words = question_text(message.text, bot_user_id)
        incoming = _about(message, context, Surface.DELETED, "deleted", words)
        event_id = str(body.get("event_id"))
        if message.is_direct or mentions(message.text, bot_user_id):
            # Its question may still be on its way. A message is claimed once: claimed by this, it is never answered.
            if await claim(services, event_id, replace(incoming, edition="")):
                return
        elif not await places.about(incoming.team_id, f"{message.channel}:{message.ts}"):
            return
        await claim(services, event_id, incoming)

    app.event("message", matchers=[is_edit])(on_edit)
    app.event("message", matchers=[is_deletion])(on_deletion)


def reworded(event: SlackMessage, bot_user_id: str) -> SlackMessage | None:
    """The message that a person has given other words, or None when the event is about nothing such."""
    now, before = event.message, event.previous_message
    if event.subtype != "message_changed" or now is None or before is None or now.edited is None:
        return None
    if not is_spoken(now, bot_user_id):
        return None
    if question_text(now.text, bot_user_id) == question_text(before.text, bot_user_id):
        return None
    return now.model_copy(update={"channel": event.channel})


def deleted(event: SlackMessage, bot_user_id: str) -> SlackMessage | None:
    """The message of a person that is deleted, as it was; None when the event is about nothing such."""
    before = event.previous_message
    is_gone = event.subtype == "message_deleted" or (
        event.subtype == "message_changed" and event.message is not None and event.message.subtype == TOMBSTONE
    )
    if not is_gone or before is None or not is_spoken(before, bot_user_id):
        return None
    return before.model_copy(update={"channel": event.channel})


async def _offer(services: Services, places: Places, incoming: Incoming, text: str, event_id: str) -> None:
    """Have a new answer offered, where the message was asked as a question.

    Raises:
        StorageError: it is not known. The event stays unacknowledged, so that Slack sends it again.
    """
    tenant_id = services.tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
    if tenant_id is None or not text:
        return
    if not await places.about(incoming.team_id, f"{incoming.channel_id}:{incoming.ts}"):
        return
    edited = EditedQuestion(
        incoming.channel_id, incoming.ts, incoming.thread_ts, incoming.edition, incoming.user_id, text
    )
    await places.keep_edited(tenant_id, edited)
    await claim(services, event_id, incoming)


def _about(
    message: SlackMessage, context: AsyncBoltContext, surface: Surface, edition: str, text: str = ""
) -> Incoming:
    return Incoming(
        surface=surface,
        team_id=context.team_id or "",
        enterprise_id=context.enterprise_id or "",
        user_id=message.user,
        channel_id=message.channel,
        text=text,
        ts=message.ts,
        thread_ts=message.thread_ts,
        edition=edition,
    )


def _edition(message: SlackMessage) -> str:
    return str((message.edited or {}).get("ts") or "")
