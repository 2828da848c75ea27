"""Answers that live on: when a cited sentence changed, or its document went or was closed to them, readers are told.

The answer's message gets a line that only says what everybody there may read at this moment, and whoever asked gets one
quiet note, by their own rights. A thread is told something at most once a day, all that has come together by then.
What is due is found in the database, whichever process read the exports; `core.store.living` says how it is claimed.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient
from sqlalchemy.exc import SQLAlchemyError

from bot.asides import tell
from bot.audience import Audiences
from bot.failures import NO_EVENT, log_failure, new_code
from bot.identity import Directory, Person
from bot.incoming import Incoming, Surface
from bot.rendering.answer_buttons import EVIDENCE_ACTION, Meant
from bot.rendering.living import render_news, render_news_for_asker, with_news
from bot.reply import UNCERTAIN, reason_of
from bot.showing import ADDITION
from bot.slack_client import SlackRefusedError, post_message, slack_errors
from bot.words import Words
from core.domain.access import Audience, AudienceKind
from core.errors import SettingsError, SlackError, TestigoError
from core.living import LivingDesk, News
from core.settings import Settings
from core.store.living import DAY, MAX_ATTEMPTS, DueAnswer, DueThread, LivingStore
from core.store.shown import ShownStore
from core.text.language import language_of

logger = logging.getLogger("testigo.living")

LEASE_SECONDS = 600.0
"""How long a thread is held; one that failed is tried again after this time."""
GONE = frozenset({"message_not_found", "channel_not_found", "is_archived", "not_in_channel", "thread_not_found"})
"""Refusals after which there is nothing left to edit."""


@dataclass(frozen=True, slots=True)
class _Standing:
    """An answer's last message as it stands in Slack, and which of its claims it shows."""

    channel: str
    ts: str
    thread: str
    blocks: tuple[Mapping[str, Any], ...]
    text: str
    metadata: Mapping[str, Any] | None
    marks: tuple[str, ...]


class Living:
    """Tells what became of answers. Its rounds may overlap with those of other processes."""

    def __init__(
        self,
        settings: Settings,
        client: AsyncWebClient,
        desk: LivingDesk,
        store: LivingStore,
        shown: ShownStore,
        directory: Directory,
        audiences: Audiences,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._days = settings.living_days
        self._tenant_id = settings.tenant_id
        self._client = client
        self._desk = desk
        self._store = store
        self._shown = shown
        self._directory = directory
        self._audiences = audiences
        self._clock = clock
        self._owner = f"{socket.gethostname()[:32]}:{os.getpid()}:{secrets.token_hex(4)}"

    async def round(self) -> None:
        """Tell all that is due. Never fails: what could not be told is tried again in a later round."""
        if not self._days:
            return
        try:
            due = await asyncio.to_thread(self._store.due, self._tenant_id, self._clock() - self._days * DAY)
        except SQLAlchemyError as error:
            logger.warning("what is to be told of answers is not known (%s)", type(error).__name__)
            return
        for thread in due:
            try:
                await self._tell(thread)
            except (TestigoError, SQLAlchemyError) as error:
                log_failure(NO_EVENT, error, new_code())

    async def _tell(self, due: DueThread) -> None:
        attempt = await asyncio.to_thread(self._store.claim, due.thread, self._owner, LEASE_SECONDS)
        if not attempt:
            return
        told: list[DueAnswer] = []
        if attempt <= MAX_ATTEMPTS:
            told = [answer for answer in due.answers if await self._tell_readers(answer)]
        else:
            logger.warning("a thread is given up after %d attempts", MAX_ATTEMPTS)
        # Before the notes: a process killed here leaves one unsaid, and none is ever said twice.
        await asyncio.to_thread(self._store.told, due.thread, due.answers)
        for user_id in dict.fromkeys(answer.shown.user_id for answer in told):
            await self._tell_asker([answer for answer in told if answer.shown.user_id == user_id])

    async def _tell_readers(self, answer: DueAnswer) -> bool:
        """Give the answer's message its line; whether its asker is to be told as well.

        Raises:
            SlackError: it could not be done now.
        """
        delivered = await asyncio.to_thread(self._shown.delivered, answer.shown.event_id)
        if answer.shown.surface == ADDITION or delivered.get("private"):
            return True  # ephemeral: no message of it can be edited
        standing = await self._standing(answer, delivered)
        if standing is None:
            return False  # deleted, or answered anew since
        audience = await self._audience(answer)
        news = await self._news(answer, audience, standing.marks)
        words = Words(await asyncio.to_thread(language_of, standing.text))
        drawn = with_news(standing.blocks, standing.text, news, words)
        if drawn is None and not news:
            return True
        if drawn is not None:
            try:
                with slack_errors("chat.update"):
                    await self._client.chat_update(
                        channel=standing.channel,
                        ts=standing.ts,
                        text=drawn.text,
                        blocks=list(drawn.blocks),
                        parse="none",
                        metadata=dict(standing.metadata) if standing.metadata else None,
                    )
                return True
            except SlackRefusedError as error:
                if error.code in GONE:
                    return False
                if error.code in UNCERTAIN | {"ratelimited"}:
                    raise
                logger.info("an answer cannot be edited (%s): its thread is told", error.code)
        below = render_news(news, words)
        await post_message(self._client, standing.channel, below, standing.thread or standing.ts)
        return True

    async def _tell_asker(self, answers: list[DueAnswer]) -> None:
        """One quiet note of all that is new in a thread, by the asker's own rights. Failing, nothing is said."""
        shown = answers[0].shown
        try:
            person = await self._directory.person(shown.user_id, answers[0].tenant_id)
            if not person.is_known or not all(_asked_by(answer, person) for answer in answers):
                return
            alone = Audience.person(person.reader)
            found = [await self._news(answer, alone) for answer in answers]
        except (SlackError, SettingsError) as error:
            logger.info("an asker is not told (%s)", type(error).__name__)
            return
        news = tuple(dict.fromkeys(each for of_one in found for each in of_one))
        if not news:
            return
        note = render_news_for_asker(news, Words(person.locale))
        await tell(
            self._client,
            note,
            user_id=shown.user_id,
            channel_id=shown.place or shown.user_id,
            thread_ts=shown.thread,
        )

    async def _news(self, answer: DueAnswer, audience: Audience, marks: tuple[str, ...] = ()) -> tuple[News, ...]:
        run_id = answer.shown.run_id
        return await asyncio.to_thread(
            self._desk.news, answer.tenant_id, run_id, frozenset(answer.state), audience, marks
        )

    async def _audience(self, answer: DueAnswer) -> Audience:
        """Who reads the message now; refused where that is not known, so that nothing of a document is said."""
        shown = answer.shown
        surface = Surface.DIRECT if shown.audience is AudienceKind.PERSON else Surface.MENTION
        incoming = Incoming(surface, shown.team_id, shown.user_id, shown.place, "", shown.enterprise_id)
        try:
            person = await self._directory.person(shown.user_id, answer.tenant_id)
            if shown.audience is AudienceKind.PERSON and not _asked_by(answer, person):
                return Audience.refused(answer.tenant_id)
            return await self._audiences.of(incoming, person)
        except (SlackError, SettingsError) as error:
            logger.info("it is not known who reads an answer (%s)", type(error).__name__)
            return Audience.refused(answer.tenant_id)

    async def _standing(self, answer: DueAnswer, delivered: Mapping[str, Any]) -> _Standing | None:
        """The message with the answer's buttons, as it stands; None when it is not there, or shows something else."""
        channel, thread = str(delivered.get("channel") or ""), str(delivered.get("thread_ts") or "")
        parts = delivered.get("parts") or ()
        if not channel or not parts:
            return None
        ts = str(parts[-1])
        try:
            with slack_errors("conversations.replies"):
                page = await self._client.conversations_replies(
                    channel=channel, ts=thread or ts, oldest=ts, latest=ts, inclusive=True, limit=2,
                    include_all_metadata=True,
                )  # fmt: skip
        except SlackRefusedError as error:
            if reason_of(error) in GONE:
                return None
            raise
        for message in page.get("messages") or ():
            if str(message.get("ts")) != ts:
                continue
            marks = _marks_of(message, answer.shown.run_id)
            if marks is None:
                return None
            blocks = tuple(message.get("blocks") or ())
            return _Standing(
                channel, ts, thread, blocks, str(message.get("text") or ""), message.get("metadata"), marks
            )
        return None


def _asked_by(answer: DueAnswer, person: Person) -> bool:
    """Whether somebody is the one whom the record names: else they were forgotten, or their address is another's."""
    return bool(person.reader.email) and person.reader.email == answer.reader


def _marks_of(message: Mapping[str, Any], run_id: str) -> tuple[str, ...] | None:
    """The claims that a message shows, by its evidence button; None when it is not a message of this answer."""
    for block in message.get("blocks") or ():
        for element in block.get("elements") or ():
            if isinstance(element, Mapping) and element.get("action_id") == EVIDENCE_ACTION:
                meant = Meant.parse(str(element.get("value") or ""))
                if meant is not None and meant.run_id == run_id:
                    return meant.marks
    return None
