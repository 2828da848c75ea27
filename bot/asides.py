"""A quiet sentence to one person beside a message: only they see it, and nothing waits for it."""

from __future__ import annotations

import logging

from slack_sdk.web.async_client import AsyncWebClient

from bot.rendering import Message
from bot.slack_client import post_message, slack_errors
from core.errors import SlackError

logger = logging.getLogger("testigo.asides")


async def tell(client: AsyncWebClient, message: Message, *, user_id: str, channel_id: str, thread_ts: str = "") -> None:
    """Show a person a message where they pressed something; where Slack does not, in their direct messages.

    Never fails: what it is about is done already.
    """
    try:
        with slack_errors("chat.postEphemeral"):
            await client.chat_postEphemeral(
                channel=channel_id,
                user=user_id,
                thread_ts=thread_ts or None,
                text=message.text,
                blocks=list(message.blocks),
            )
    except SlackError as error:
        logger.info("no ephemeral message (%s), going to direct messages", type(error).__name__)
    else:
        return
    try:
        await post_message(client, user_id, message)
    except SlackError as error:
        logger.warning("a person could not be told (%s)", type(error).__name__)
