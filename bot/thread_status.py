"""What shows under a thread that something is being done: a status, and a session with its stop button.

Nothing here matters to the answer: whatever fails is logged, and whoever asked is told of the progress another way.
"""

from __future__ import annotations

import asyncio
import logging

from slack_sdk.web.async_client import AsyncWebClient

from bot.incoming import Incoming
from bot.reply import reason_of
from bot.slack_client import slack_errors
from bot.streaming_support import StreamingSupport, Surfacing
from core.errors import SlackError

logger = logging.getLogger("testigo.delivery")

STATUS_SECONDS = 5.0
"""Longest time that a status may take; what comes after waits for it."""


class ThreadStatus:
    """The status and the session of one thread."""

    def __init__(
        self,
        client: AsyncWebClient,
        support: StreamingSupport,
        team_id: str,
        channel: str,
        thread_ts: str,
        user_id: str,
        said: str = "",
    ) -> None:
        """`said` is the status that shows already."""
        self._client = client
        self._support = support
        self._team_id = team_id
        self._channel = channel
        self._thread_ts = thread_ts
        self._user_id = user_id
        self._said = said
        self._was_begun = self._in_session = False

    @classmethod
    def under(
        cls, client: AsyncWebClient, support: StreamingSupport, incoming: Incoming, said: str = ""
    ) -> ThreadStatus:
        """That of the thread which a question is answered in."""
        channel, thread = incoming.channel_id, incoming.thread
        return cls(client, support, incoming.team_id, channel, thread, incoming.user_id, said)

    async def say(self, status: str) -> bool:
        """Show what is being done; whether that worked. Slack takes it away after a message, or two minutes.

        Nothing said takes away what shows.
        """
        if not self._support.has(self._team_id, Surfacing.STATUS):
            return False
        if status == self._said:
            return True
        try:
            async with asyncio.timeout(STATUS_SECONDS):
                with slack_errors("assistant.threads.setStatus"):
                    await self._client.assistant_threads_setStatus(
                        channel_id=self._channel, thread_ts=self._thread_ts, status=status
                    )
        except (SlackError, TimeoutError) as error:
            self._failed(Surfacing.STATUS, error)
            return False
        self._said = status
        return True

    async def begin_session(self) -> None:
        """Say, once, that the agent is at work, by which people get the stop button."""
        if not self._was_begun:
            self._was_begun = True
            self._in_session = await self._set_session("processing")

    async def end_session(self) -> None:
        """Say that the agent is at rest. The end of a stream says it too."""
        if self._in_session:
            self._in_session = False
            await self._set_session("active")

    def session_has_ended(self) -> None:
        """Take note that the end of a stream has said it."""
        self._in_session = False

    async def _set_session(self, status: str) -> bool:
        if not self._support.has(self._team_id, Surfacing.SESSION):
            return False
        try:
            async with asyncio.timeout(STATUS_SECONDS):
                with slack_errors("agents.sessions.setStatus"):
                    await self._client.agents_sessions_setStatus(
                        channel_id=self._channel,
                        thread_ts=self._thread_ts,
                        status=status,
                        initiator_user_id=self._user_id,
                    )
        except (SlackError, TimeoutError) as error:
            self._failed(Surfacing.SESSION, error)
            return False
        return True

    def _failed(self, surface: Surfacing, error: Exception) -> None:
        reason = reason_of(error) if isinstance(error, SlackError) else "too slow"
        self._support.refused(self._team_id, surface, reason)
        logger.info("%s: no %s (%s)", self._channel, surface.value, reason)
