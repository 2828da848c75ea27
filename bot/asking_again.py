"""A question is asked again from the home tab: it is answered in the person's direct messages, as if written there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient
from sqlalchemy.exc import SQLAlchemyError

from bot.delivery import Delivery
from bot.identity import Directory
from bot.incoming import Incoming, Surface
from bot.ledger import Ledger
from bot.message_life import MessageLife
from bot.rendering import sentence
from bot.rendering.escape import one_line
from bot.rendering.split import cut
from bot.reply import reason_of
from bot.slack_client import post_message, slack_errors
from bot.tenancy import Tenancy
from bot.words import Words
from bot.worker import Handler
from core.errors import SlackError, StorageError
from core.store.conversations import ConversationStore
from core.store.events import ClaimedEvent

logger = logging.getLogger("testigo.asking")

CHANNEL, ROOT = "again_channel", "again_root"
"""What is noted of the message that opens the thread."""
METADATA_TYPE = "testigo_asked_again"
"""The mark by which that message is found again; with it goes the event."""
LOOKED_BACK_SECONDS = 86_400.0
LOOKED_THROUGH = 200
"""How far back, and through how many messages, an earlier attempt's is looked for."""
LONGEST_SHOWN = 1_500


class AskingAgain:
    """Opens a thread for the question, and has it answered there."""

    def __init__(
        self,
        client: AsyncWebClient,
        answering: Handler,
        tenancy: Tenancy,
        directory: Directory,
        conversations: ConversationStore,
        delivery: Delivery,
        ledger: Ledger,
    ) -> None:
        self._client = client
        self._answering = answering
        self._tenancy = tenancy
        self._directory = directory
        self._conversations = conversations
        self._delivery = delivery
        self._ledger = ledger

    async def handle(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Answer, if the question is this person's own: what comes with the button is not believed.

        Raises:
            SlackError: nothing could be shown to the person.
            StorageError: it is not known what they asked.
        """
        if event.delivered.get("final"):
            return  # answered by a process that was killed before it could say so: the question may be gone by now
        tenant_id = self._tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
        words = Words(await self._directory.locale(incoming.user_id))
        if tenant_id is None:
            await self._tell(event, incoming, words.error_settings())
            return
        person = await self._directory.person(incoming.user_id, tenant_id)
        asked = await self._asked(tenant_id, person.reader.email, incoming.text)
        if asked is None:
            await self._tell(event, incoming, words.home_question_gone())
            return
        channel_id, root = await self._thread(event, incoming, asked, words)
        event = replace(event, delivered={**event.delivered, CHANNEL: channel_id, ROOT: root})
        await self._answering.handle(event, _as_asked(incoming, asked, channel_id, root))

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Tell the person that it will not be answered.

        Raises:
            SlackError: the person cannot be told either.
        """
        channel_id, root = str(event.delivered.get(CHANNEL) or ""), str(event.delivered.get(ROOT) or "")
        surface = Surface.DIRECT if root else Surface.COMMAND
        told = replace(incoming, surface=surface, text="", channel_id=channel_id, ts=root)
        await self._answering.give_up(event, told)

    async def _asked(self, tenant_id: str, email: str, number: str) -> str | None:
        if not (number.isascii() and number.isdigit() and len(number) < 16):
            return None
        try:
            return await asyncio.to_thread(self._conversations.own, tenant_id, email, int(number))
        except SQLAlchemyError as error:
            raise StorageError(f"The database does not answer ({type(error).__name__}).") from None

    async def _thread(self, event: ClaimedEvent, incoming: Incoming, asked: str, words: Words) -> tuple[str, str]:
        """The channel and the message that opens the thread: an earlier attempt's, or a new one."""
        life = MessageLife(self._ledger, event)
        if root := life.noted(ROOT):
            return str(life.noted(CHANNEL)), str(root)
        said = sentence(words.home_asked_again(cut(one_line(asked), LONGEST_SHOWN)))
        mark = {"event_type": METADATA_TYPE, "event_payload": {"event": event.id, "team": event.team_id}}
        posted = await post_message(self._client, incoming.user_id, said, metadata=mark)
        channel_id, root = str(posted.get("channel") or incoming.user_id), str(posted.get("ts") or "")
        if life.is_another_attempt:
            root = await self._only_one(event, channel_id, root)
        await life.try_note(None, **{CHANNEL: channel_id, ROOT: root})
        return channel_id, root

    async def _only_one(self, event: ClaimedEvent, channel_id: str, posted: str) -> str:
        """The first of the messages that attempts at this event have posted, with the later ones deleted.

        It can only be looked for once one is posted: by that Slack says which channel the direct messages are, which to
        look up before would need a scope of its own.
        """
        try:
            with slack_errors("conversations.history"):
                page = await self._client.conversations_history(
                    channel=channel_id,
                    oldest=f"{float(posted) - LOOKED_BACK_SECONDS:.6f}",
                    include_all_metadata=True,
                    limit=LOOKED_THROUGH,
                )
        except SlackError as error:  # it may stand there twice, which is better than an answer that never comes
            logger.warning("event %d: an earlier message is not looked for (%s)", event.id, reason_of(error))
            return posted
        found = {posted, *(str(message["ts"]) for message in page.get("messages") or () if _opens(message, event))}
        first, *later = sorted(found, key=float)
        for ts in later:
            try:
                with slack_errors("chat.delete"):
                    await self._client.chat_delete(channel=channel_id, ts=ts)
            except SlackError as error:
                logger.warning("event %d: a left-over message stays (%s)", event.id, reason_of(error))
        return first

    async def _tell(self, event: ClaimedEvent, incoming: Incoming, said: str) -> None:
        """Say something instead of an answer, noted as the last word: the next attempt does not say it again."""
        reply = await self._delivery.private(event, incoming)
        await reply.finish([sentence(said)])


def _opens(message: Mapping[str, Any], event: ClaimedEvent) -> bool:
    metadata = message.get("metadata") or {}
    payload = metadata.get("event_payload") or {}
    return metadata.get("event_type") == METADATA_TYPE and payload.get("event") == event.id


def _as_asked(incoming: Incoming, asked: str, channel_id: str, root: str) -> Incoming:
    return replace(incoming, surface=Surface.DIRECT, text=asked, channel_id=channel_id, ts=root)
