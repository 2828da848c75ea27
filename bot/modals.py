"""Opening a modal while Slack's trigger lasts (three seconds), and putting in what it shows once that is known."""

from __future__ import annotations

from slack_sdk.web.async_client import AsyncWebClient

from bot.asides import tell
from bot.failures import NO_EVENT, log_failure, new_code
from bot.rendering import Message
from bot.rendering.blocks import View
from bot.slack_client import slack_errors
from core.errors import SlackError

LOOK_UP_SECONDS = 20.0
"""Longest time that looking up what a modal shows may take."""


async def open_modal(
    client: AsyncWebClient,
    view: View,
    otherwise: Message,
    *,
    trigger_id: str,
    user_id: str,
    channel_id: str,
    thread_ts: str = "",
) -> str | None:
    """Open a modal; its id, or None where Slack does not open it. The person is told `otherwise` then."""
    try:
        with slack_errors("views.open"):
            answer = await client.views_open(trigger_id=trigger_id, view=view)
    except SlackError as error:
        log_failure(NO_EVENT, error, new_code())
        await tell(client, otherwise, user_id=user_id, channel_id=channel_id, thread_ts=thread_ts)
        return None
    return str((answer.get("view") or {}).get("id") or "")


async def put_view(client: AsyncWebClient, view_id: str, view: View) -> None:
    """Put a view in the place of what an open modal shows. Never fails."""
    try:
        with slack_errors("views.update"):
            await client.views_update(view_id=view_id, view=view)
    except SlackError as error:  # closed already, most often
        log_failure(NO_EVENT, error, new_code())
