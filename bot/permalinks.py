"""Slack's own address of a message."""

from __future__ import annotations

import logging

from slack_sdk.web.async_client import AsyncWebClient

from bot.reply import reason_of
from bot.slack_client import slack_errors
from core.errors import SlackError

logger = logging.getLogger("testigo.permalinks")


async def permalink(client: AsyncWebClient, channel_id: str, ts: str) -> str:
    """The address of a message, or nothing where Slack gives none: only a link hangs on it."""
    try:
        with slack_errors("chat.getPermalink"):
            answer = await client.chat_getPermalink(channel=channel_id, message_ts=ts)
    except SlackError as error:
        logger.info("no link to a message (%s)", reason_of(error))
        return ""
    link = str(answer.get("permalink") or "")
    return link if link.startswith("https://") else ""
