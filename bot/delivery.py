"""Bringing messages to people: whatever Slack answers, the person gets them somewhere, whole, and once.

A `Reply` is where one event is answered. Three kinds: `PostedReply` edits a message of its own, `StreamedReply` lets
one grow in a thread, `PrivateReply` shows what only the person sees. What has been shown is noted with the event, and
each posted message carries the event's id: when a process is killed between the two, the next one finds the message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from slack_sdk.web.async_client import AsyncWebClient

from bot.first_signs import FirstSigns
from bot.incoming import Incoming, Surface
from bot.ledger import Ledger
from bot.message_life import MessageLife
from bot.posted_reply import PostedReply
from bot.private_reply import PrivateReply
from bot.rendering import Message
from bot.reply import Reply
from bot.streamed_reply import StreamedReply
from bot.streaming_support import StreamingSupport
from bot.thread_status import ThreadStatus
from core.store.events import ClaimedEvent


class Delivery:
    """Opens replies."""

    def __init__(
        self,
        client: AsyncWebClient,
        ledger: Ledger,
        support: StreamingSupport,
        signs: FirstSigns,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._client = client
        self._ledger = ledger
        self._support = support
        self._signs = signs
        self._sleep = sleep

    async def open(self, event: ClaimedEvent, incoming: Incoming) -> Reply:
        """Where the answer belongs: the question's thread, or a private message for a slash command.

        Raises:
            SlackError: it cannot be found out what an earlier attempt has posted.
        """
        if incoming.surface in {Surface.REINDEX, Surface.REMOVALS}:
            return await self.direct(event, incoming)
        if incoming.surface in {Surface.COMMAND, Surface.REVOKE, Surface.WHY, Surface.STATUS}:
            return self._unseen(event, incoming)
        return await self._streamed(event, incoming)

    async def direct(self, event: ClaimedEvent, incoming: Incoming) -> Reply:
        """A message in the person's direct messages that is edited while the work goes on."""
        life = MessageLife(self._ledger, event)
        reply = PostedReply(self._client, life, incoming.user_id, incoming.user_id, "", self._sleep)
        await reply.adopt(since="")
        return reply

    async def private(self, event: ClaimedEvent, incoming: Incoming) -> Reply:
        """Messages that only the person sees, wherever they asked. In a direct message that is any message.

        Where an earlier attempt has begun in the thread, the last word belongs there: it must not go on "searching".

        Raises:
            SlackError: it cannot be found out what an earlier attempt has posted.
        """
        if incoming.surface is Surface.DIRECT:
            return await self._streamed(event, incoming)
        if incoming.surface is Surface.MENTION and event.attempts > 1:
            begun = await self._streamed(event, incoming)
            if begun.has_begun:
                return begun
        if said := await self._signs.shown(incoming):
            await ThreadStatus.under(self._client, self._support, incoming, said).say("")
        return self._unseen(event, incoming)

    async def whisper(self, event: ClaimedEvent, incoming: Incoming, messages: Sequence[Message]) -> None:
        """Show the person something beside the answer.

        Raises:
            SlackError: it could not be shown.
        """
        await self._unseen(event, incoming).whisper(messages)

    def _unseen(self, event: ClaimedEvent, incoming: Incoming) -> PrivateReply:
        return PrivateReply(self._client, MessageLife(self._ledger, event), incoming)

    async def _streamed(self, event: ClaimedEvent, incoming: Incoming) -> StreamedReply:
        channel, thread, user_id = incoming.channel_id, incoming.thread, incoming.user_id
        life = MessageLife(self._ledger, event)
        said = await self._signs.shown(incoming)
        reply = StreamedReply(
            self._client,
            PostedReply(self._client, life, user_id, channel, thread, self._sleep),
            ThreadStatus.under(self._client, self._support, incoming, said),
            self._support,
            channel=channel,
            thread_ts=thread,
            user_id=user_id,
            team_id=incoming.team_id,
        )
        await reply.adopt(since=incoming.ts)
        return reply
