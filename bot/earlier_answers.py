"""The messages that were shown for a question before it was edited or deleted, and what becomes of them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from slack_sdk.web.async_client import AsyncWebClient

from bot.rendering import Message
from bot.reply import reason_of
from bot.slack_client import SlackRefusedError, slack_errors
from core.errors import SlackError
from core.store.asked import Asked

logger = logging.getLogger("testigo.delivery")

GONE = frozenset(
    {"cant_delete_message", "cant_update_message", "channel_not_found", "is_archived", "message_not_found"}
)
"""Refusals after which there is nothing left to do."""


class EarlierAnswers:
    """Replaces or deletes them. What only the person saw cannot be reached any more."""

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client

    async def replace(self, asked: Iterable[Asked], message: Message) -> None:
        """Let each answer say this instead.

        Raises:
            SlackError: Slack cannot be reached; doing it again does no harm.
        """
        for one in asked:
            for number, (channel, ts) in enumerate(_shown(one)):
                if number:
                    await self._delete(channel, ts)
                else:
                    await self._update(channel, ts, message)

    async def delete(self, asked: Iterable[Asked]) -> int:
        """Take the answers away; how many messages there were.

        Raises:
            SlackError: Slack cannot be reached; doing it again does no harm.
        """
        shown = [place for one in asked for place in _shown(one)]
        for channel, ts in shown:
            await self._delete(channel, ts)
        return len(shown)

    async def _update(self, channel: str, ts: str, message: Message) -> None:
        try:
            with slack_errors("chat.update"):
                await self._client.chat_update(
                    channel=channel, ts=ts, text=message.text, blocks=list(message.blocks), parse="none"
                )
        except SlackRefusedError as error:
            _unless_gone(error)

    async def _delete(self, channel: str, ts: str) -> None:
        try:
            with slack_errors("chat.delete"):
                await self._client.chat_delete(channel=channel, ts=ts)
        except SlackRefusedError as error:
            _unless_gone(error)


def _shown(asked: Asked) -> Iterator[tuple[str, str]]:
    """The channel and ts of each message, in order, as the reply has noted them."""
    channel = asked.delivered.get("channel")
    for ts in asked.delivered.get("parts") or () if channel else ():
        yield str(channel), str(ts)


def _unless_gone(error: SlackError) -> None:
    if reason_of(error) not in GONE:
        raise error
    logger.info("an earlier answer is not there any more (%s)", reason_of(error))
