"""A reply that only the person sees."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence

from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.incoming import Incoming
from bot.message_life import MessageLife
from bot.rendering import NO_UNFURL, Message
from bot.rendering.blocks import Block
from bot.reply import NOT_ABOUT_THE_PLACE, TOO_MUCH, in_plain_pieces, reason_of
from bot.slack_client import CALL_SECONDS, SlackRefusedError, post_message, slack_errors
from core.domain.message_life import Stage
from core.errors import SlackError

logger = logging.getLogger("testigo.delivery")

RESPONSE_URL_USES = 5


class PrivateReply:
    """Messages that only the person sees: through a command's `response_url`, else ephemeral, else in direct messages.

    They cannot be edited or found again: a process killed after one was sent and before that was noted sends it twice.
    """

    def __init__(self, client: AsyncWebClient, life: MessageLife, incoming: Incoming) -> None:
        self._client = client
        self._life = life
        self._incoming = incoming
        self._sent = int(life.noted("private") or 0)
        self._is_final = bool(life.noted("final"))

    @property
    def life(self) -> MessageLife:
        """Where the message stands, and what is noted of it."""
        return self._life

    @property
    def is_finished(self) -> bool:
        """Whether the last word is said."""
        return self._is_final

    @property
    def takes_claims(self) -> bool:
        """Each would be a message of its own."""
        return False

    async def progress(self, message: Message) -> None:
        """Nothing: each step would be a message of its own."""

    async def show(self, blocks: Sequence[Block]) -> None:
        """Nothing: it shows the answer when it is whole."""

    async def withdraw(self, message: Message) -> None:
        """Nothing was shown."""

    async def finish(self, messages: Sequence[Message], ending: Stage = Stage.FINISHED) -> None:
        """Send what has not been sent."""
        waiting = deque(messages)
        for _ in range(self._sent):
            if waiting:
                waiting.popleft()
        while waiting:
            message = waiting.popleft()
            try:
                await self._send(message)
            except SlackRefusedError as error:
                smaller = in_plain_pieces(message) if error.code in TOO_MUCH else []
                if not smaller:
                    raise
                waiting.extendleft(reversed(smaller))
                continue
            self._sent += 1
            self._is_final = not waiting
            await self._life.try_note(ending if self._is_final else None, private=self._sent, final=self._is_final)

    async def whisper(self, messages: Sequence[Message]) -> None:
        """Send something beside what the event is answered with: not noted with it, nor counted as its last word.

        Raises:
            SlackError: it could not be sent.
        """
        for message in messages:
            await self._send(message)

    async def _send(self, message: Message) -> None:
        if self._incoming.response_url and self._sent < RESPONSE_URL_USES and await self._respond(message):
            return
        if not self._incoming.channel_id:  # it was asked for in the home tab, which is no conversation
            await self._post_direct(message)
            return
        try:
            await self._post_ephemeral(message)
        except SlackError as error:
            if isinstance(error, SlackRefusedError) and error.code in TOO_MUCH | NOT_ABOUT_THE_PLACE:
                raise
            logger.info(
                "event %d: no ephemeral message (%s), going to direct messages", self._life.event_id, reason_of(error)
            )
            await self._post_direct(message)

    async def _post_direct(self, message: Message) -> None:
        await post_message(self._client, self._incoming.user_id, message)

    async def _respond(self, message: Message) -> bool:
        """Send through the `response_url` (30 minutes, 5 uses); False when it does not take the message."""
        webhook = AsyncWebhookClient(
            self._incoming.response_url,
            timeout=CALL_SECONDS,
            session=self._client.session,
            proxy=self._client.proxy,
            logger=self._client.logger,
            retry_handlers=[],
        )
        try:
            with slack_errors("response_url"):
                answer = await webhook.send(
                    text=message.text,
                    blocks=list(message.blocks) or None,
                    response_type="ephemeral",
                    **NO_UNFURL,
                )
        except SlackError as error:
            logger.info("event %d: response_url failed (%s)", self._life.event_id, reason_of(error))
            return False
        if answer.status_code != 200:
            logger.info("event %d: response_url answered %d", self._life.event_id, answer.status_code)
        return answer.status_code == 200

    async def _post_ephemeral(self, message: Message) -> None:
        """Post where the person asked; above a thread that has no reply yet, since Slack would not show it inside."""
        with slack_errors("chat.postEphemeral"):
            await self._client.chat_postEphemeral(
                channel=self._incoming.channel_id,
                user=self._incoming.user_id,
                thread_ts=self._incoming.thread_ts or None,
                text=message.text,
                blocks=list(message.blocks) or None,
            )
