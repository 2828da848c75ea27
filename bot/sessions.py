"""The names of conversations in Slack's list of an agent's sessions: each is named by its first question.

Nothing here matters to an answer: whatever Slack refuses is left at that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from slack_sdk.web.async_client import AsyncWebClient

from bot.background import Background
from bot.rendering.escape import one_line
from bot.rendering.split import cut
from bot.reply import reason_of
from bot.slack_client import slack_errors
from core.domain.question import Question
from core.errors import SlackError

logger = logging.getLogger("testigo.sessions")

NO_SESSION = "session_not_found"
AGAIN_AFTER = (0.5, 2.0, 8.0)
"""Seconds between the attempts after an answer was found."""
LONGEST_TITLE = 80
"""Characters; Slack takes 200, and a list shows fewer."""


class SessionNames:
    """Names sessions, in the background."""

    def __init__(self, client: AsyncWebClient, background: Background) -> None:
        self._client = client
        self._background = background

    @contextmanager
    def naming(self, question: Question) -> Iterator[None]:
        """Name the session of a direct message by its first question, while that is answered in this block."""
        over = asyncio.Event()
        title = cut(one_line(question.text), LONGEST_TITLE)
        if question.place.startswith("D") and question.conversation and title:
            self._background.start("a session's name", self._name(question.conversation, title, over))
        try:
            yield
        finally:
            over.set()

    async def _name(self, conversation: str, title: str, over: asyncio.Event) -> None:
        """Try at once, and again when the answer is found: the session begins some time in between, or soon after."""
        if await self._rename(conversation, title) != NO_SESSION:
            return
        await over.wait()
        for seconds in AGAIN_AFTER:
            await asyncio.sleep(seconds)
            if await self._rename(conversation, title) != NO_SESSION:
                return

    async def _rename(self, conversation: str, title: str) -> str:
        """Slack's word for why it did not; empty when it did."""
        _, channel_id, thread_ts = conversation.split(":")
        try:
            with slack_errors("agents.sessions.rename"):
                await self._client.agents_sessions_rename(channel_id=channel_id, thread_ts=thread_ts, title=title)
        except SlackError as error:
            logger.info("a session in %s has no name (%s)", channel_id, reason_of(error))
            return reason_of(error)
        return ""
