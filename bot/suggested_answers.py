"""People answer a question that was handed to them: their reply can go back to who asked, as a suggested answer."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable

from slack_sdk.web.async_client import AsyncWebClient
from sqlalchemy.exc import SQLAlchemyError

from bot.asides import tell
from bot.audience import Audiences
from bot.auditing import Auditor
from bot.failures import NO_EVENT, log_failure, new_code
from bot.identity import Directory, Person
from bot.incoming import SlackMessage, Surface
from bot.permalinks import permalink
from bot.pressing import Press, who_pressed
from bot.rendering import ErrorKind, Message, error_kind, render_error, sentence
from bot.rendering.asking_people import render_offer, render_suggested
from bot.slack_client import post_message, slack_errors
from bot.slack_text import question_text
from bot.tenancy import BotIdentity, Tenancy
from bot.threads import is_remark, is_spoken
from bot.words import Words
from core.domain.auditing import AuditKind
from core.errors import SlackError, StorageError, TestigoError
from core.store.gaps import HandedOn, HandedOnStore

logger = logging.getLogger("testigo.asking")

_VALUE = re.compile(r"([0-9]{1,12}):([0-9]{1,12}\.[0-9]{1,8})")


class SuggestedAnswers:
    """Offers to send replies back, and sends those that their authors want sent."""

    def __init__(
        self,
        client: AsyncWebClient,
        me: BotIdentity,
        handed: HandedOnStore,
        tenancy: Tenancy,
        directory: Directory,
        audiences: Audiences,
        auditor: Auditor,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._client = client
        self._me = me
        self._handed = handed
        self._tenancy = tenancy
        self._directory = directory
        self._audiences = audiences
        self._auditor = auditor
        self._clock = clock

    async def thread_of(self, message: SlackMessage, team_id: str, enterprise_id: str) -> HandedOn | None:
        """The question that a message answers in its thread; None when it stands in no such thread.

        Raises:
            StorageError: it is not known.
        """
        if not message.thread_ts or message.thread_ts == message.ts or not is_spoken(message, self._me.user_id):
            return None
        tenant_id = self._tenancy.tenant_of(team_id, enterprise_id)
        if tenant_id is None:
            return None
        try:
            return await asyncio.to_thread(
                self._handed.in_thread, tenant_id, team_id, message.channel, message.thread_ts
            )
        except SQLAlchemyError as error:
            raise StorageError(f"The database does not answer ({type(error).__name__}).") from None

    async def offer(self, message: SlackMessage, handed: HandedOn) -> None:
        """Ask who replied whether it is the answer; not who asked, and not for a word of thanks. Never fails."""
        taken = handed.suggested_by not in {"", message.user}
        if message.user == handed.user_id or taken or is_remark(question_text(message.text, self._me.user_id)):
            return
        words = Words(await self._directory.locale(message.user))
        await self._say(
            render_offer(f"{handed.id}:{message.ts}", words), message.user, message.channel, message.thread_ts
        )

    async def take(self, press: Press) -> None:
        """Send a reply back, for its own author. Never fails: whoever pressed is told."""
        words = Words(await self._directory.locale(press.user_id))
        try:
            said = sentence(await self._taken(press, words))
        except (TestigoError, SQLAlchemyError) as error:
            code = new_code()
            log_failure(NO_EVENT, error, code)
            kind = ErrorKind.INDEX if isinstance(error, SQLAlchemyError) else error_kind(error)
            said = render_error(kind, code, words)
        await self._say(said, press.user_id, press.channel_id, press.thread_ts)

    async def _taken(self, press: Press, words: Words) -> str:
        person = await who_pressed(press, self._tenancy, self._directory)
        tenant_id = person.reader.tenant_id
        match = _VALUE.fullmatch(press.value)
        handed = await asyncio.to_thread(self._handed.of_id, tenant_id, int(match[1])) if match else None
        if match is None or handed is None or handed.channel != press.channel_id or not person.is_known:
            return await self._refused(press, tenant_id, words)
        reply = await self._reply(handed, match[2], press.user_id)
        if not reply:
            return await self._refused(press, tenant_id, words)
        incoming = press.incoming(Surface.ASK_PERSON)
        await self._auditor.note(AuditKind.HANDED_ON, tenant_id, incoming, action="suggest", run=handed.run_id)
        if not await asyncio.to_thread(self._handed.suggest, tenant_id, handed.id, reply, press.user_id):
            return words.suggest_unavailable()
        await self._send(handed, reply, match[2], person, tenant_id)
        return words.suggest_done()

    async def _refused(self, press: Press, tenant_id: str, words: Words) -> str:
        incoming = press.incoming(Surface.ASK_PERSON)
        await self._auditor.note(AuditKind.DENIED, tenant_id, incoming, action="suggest")
        return words.suggest_unavailable()

    async def _reply(self, handed: HandedOn, ts: str, author: str) -> str:
        """What somebody said in the thread, as it stands now; empty when it is not there, or somebody else's."""
        with slack_errors("conversations.replies"):
            page = await self._client.conversations_replies(
                channel=handed.channel, ts=handed.ts, oldest=ts, latest=ts, inclusive=True, limit=2
            )
        for message in page.get("messages") or ():
            if str(message.get("ts")) == ts and ts != handed.ts and message.get("user") == author:
                return question_text(str(message.get("text") or ""), self._me.user_id)
        return ""

    async def _send(self, handed: HandedOn, reply: str, ts: str, author: Person, tenant_id: str) -> None:
        """Tell the asker alone, where they asked. Their address must still be the one that asked."""
        asker = await self._directory.person(handed.user_id, tenant_id)
        if not asker.is_known or asker.reader.email != handed.reader:
            logger.info("a suggested answer is kept, and its asker not told: they are somebody else now")
            return
        link = await permalink(self._client, handed.channel, ts) if await self._is_public(handed, tenant_id) else ""
        shown = render_suggested(author.user_id, handed.question, reply, link, Words(asker.locale))
        await self._say(shown, handed.user_id, handed.place, handed.thread)

    async def _is_public(self, handed: HandedOn, tenant_id: str) -> bool:
        if handed.channel.startswith("D"):
            return False
        await self._audiences.of_channel(handed.channel, tenant_id)
        return self._audiences.was_public(handed.channel)

    async def _say(self, message: Message, user_id: str, channel_id: str, thread_ts: str) -> None:
        """Say something to one person in a thread: alone in a channel, plainly in their direct messages."""
        if not channel_id.startswith("D"):
            await tell(self._client, message, user_id=user_id, channel_id=channel_id, thread_ts=thread_ts)
            return
        try:
            await post_message(self._client, channel_id, message, thread_ts)
        except SlackError as error:
            logger.warning("a person could not be told (%s)", type(error).__name__)
