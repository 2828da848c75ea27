"""What was said in a Slack thread before a question. It is read only where the bot's own memory has nothing.

Slack pages a thread from its oldest message on, and may allow an app one page a minute. So the end of the thread is
aimed at, few pages are read, nothing is waited for, and it is known when there is more.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, ValidationError
from slack_sdk.web.async_client import AsyncWebClient

from bot.incoming import SlackMessage, without_nulls
from bot.slack_client import slack_errors
from bot.slack_text import question_text
from bot.threads import is_spoken
from core.errors import SlackError
from core.retrieval.history import within_budget

logger = logging.getLogger("testigo.history")

PAGE = 200
CALLS = 4
"""Pages of one thread that are read at most."""
SECONDS = 2.5
"""How long an answer waits for them."""
TOKENS = 1_000
LATELY = 3600.0
"""Seconds before now in which the end of a thread is looked for first."""
AIM = 0.5
"""Share of what can still be read that is aimed to lie before the end of a long thread: replies do not come evenly."""


class Author(StrEnum):
    """Who wrote a message, as the one who asks sees it."""

    ASKER = "asker"
    PERSON = "person"
    APP = "app"
    """This bot, another, or Slack."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a thread."""

    author: Author
    text: str


@dataclass(frozen=True, slots=True)
class History:
    """The end of a thread, newest first, within the budget. `is_partial`: more was said than stands here."""

    messages: tuple[Said, ...] = ()
    is_partial: bool = False

    @property
    def own(self) -> tuple[str, ...]:
        """What the one who asks said: all that a question of theirs may lean on. The rest is data."""
        return tuple(said.text for said in self.messages if said.author is Author.ASKER)


class ThreadReader:
    """Reads the end of threads."""

    def __init__(
        self,
        client: AsyncWebClient,
        bot_user_id: str,
        clock: Callable[[], float] = time.time,
        tokens: int = TOKENS,
        seconds: float = SECONDS,
    ) -> None:
        self._client = client
        self._bot_user_id = bot_user_id
        self._clock = clock
        self._tokens = tokens
        self._seconds = seconds

    async def read(self, channel_id: str, thread_ts: str, asker: str, question: str) -> History:
        """What was said before a question of `asker`. Never fails: what Slack refuses is missing, and known to be.

        Args:
            channel_id: where.
            thread_ts: the thread's first message.
            asker: the user whose words are theirs, not data.
            question: left out of the history, with all after it.
        """
        end = None
        try:
            async with asyncio.timeout(self._seconds):
                end = await self._end_of(channel_id, thread_ts)
        except (SlackError, TimeoutError) as error:
            logger.info("a thread in %s is not read to its end (%s)", channel_id, type(error).__name__)
        if end is None:
            # Without the newest, what is known may be about another matter by now.
            return History(is_partial=True)
        said = [self._said(message, asker) for message in reversed(end.messages) if message.text.strip()]
        asked = next((n for n, one in enumerate(said) if one == Said(Author.ASKER, question)), -1)
        before = said[asked + 1 :]
        kept = within_budget([one.text for one in before], self._tokens)
        return History(tuple(before[: len(kept)]), is_partial=end.is_partial or len(kept) < len(before))

    async def _end_of(self, channel_id: str, thread_ts: str) -> _End | None:
        """The end of a thread, or None where it is out of reach. Read forward, from a place that is near it."""
        oldest, cursor = max(float(thread_ts), self._clock() - LATELY), ""
        opening, has_jumped = _Reply(ts=thread_ts), False
        replies: list[_Reply] = []
        for left in reversed(range(CALLS)):
            page = await self._page(channel_id, thread_ts, oldest, cursor)
            opening = next((message for message in page.messages if message.ts == thread_ts), opening)
            fresh = [message for message in page.messages if message.ts != thread_ts]
            replies += fresh
            cursor = page.response_metadata.next_cursor
            is_whole = len(replies) >= opening.reply_count
            if cursor:
                missing = _ahead(fresh, opening) if has_jumped and fresh else opening.reply_count - len(replies)
                reach = len(fresh) * left
                if fresh and missing > reach:  # too far to read on: go on nearer to the end
                    latest, last = float(opening.latest_reply or fresh[-1].ts), float(fresh[-1].ts)
                    oldest = latest - (latest - last) * AIM * reach / missing
                    replies, cursor, has_jumped = [], "", True
            elif replies or is_whole or has_jumped:
                return _End([opening, *replies] if is_whole else replies, is_partial=not is_whole)
            else:
                oldest = float(thread_ts)  # nothing was said lately
        return None

    async def _page(self, channel_id: str, thread_ts: str, oldest: float, cursor: str) -> _Page:
        with slack_errors("conversations.replies"):
            answer = await self._client.conversations_replies(
                channel=channel_id, ts=thread_ts, oldest=f"{oldest:.6f}", limit=PAGE, cursor=cursor or None
            )
        try:
            return _Page.model_validate(without_nulls(answer.data))
        except ValidationError:
            raise SlackError("Slack's answer to conversations.replies cannot be read.") from None

    def _said(self, message: SlackMessage, asker: str) -> Said:
        text = question_text(message.text, self._bot_user_id)
        if not is_spoken(message, self._bot_user_id):
            return Said(Author.APP, text)
        return Said(Author.ASKER if message.user == asker else Author.PERSON, text)


class _Reply(SlackMessage):
    """A message of a thread; its first one says how many follow, and when the last of them came."""

    reply_count: int = 0
    latest_reply: str = ""


def _ahead(page: Sequence[_Reply], opening: _Reply) -> float:
    """How many replies lie ahead of a page, if they come at its pace."""
    first, last = float(page[0].ts), float(page[-1].ts)
    pace = (last - first) / (len(page) - 1) if len(page) > 1 else 0.0
    return (float(opening.latest_reply or last) - last) / pace if pace > 0 else 0.0


class _Cursor(BaseModel):
    model_config = ConfigDict(extra="ignore")

    next_cursor: str = ""


class _Page(BaseModel):
    model_config = ConfigDict(extra="ignore")

    messages: tuple[_Reply, ...] = ()
    response_metadata: _Cursor = _Cursor()


@dataclass(frozen=True, slots=True)
class _End:
    """The end of a thread, without gaps, oldest first; with its first message where it is the whole."""

    messages: list[_Reply]
    is_partial: bool
