"""A reply that grows while the person reads: a status while the search goes on, then each claim as it is verified.

The stream is a posted message's way of coming to be: however it dies, the posted message is completed, replaced whole,
or followed by another. Nothing is appended after a failure, nor by another process than the one that began.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from slack_sdk.web.async_client import AsyncWebClient

from bot.message_life import MessageLife
from bot.posted_reply import PostedReply
from bot.rendering import Message
from bot.rendering.blocks import Block
from bot.rendering.streaming import Chunk, calls, common_beginning, inert, plan, task
from bot.reply import UNCERTAIN, plain_text, reason_of
from bot.slack_client import SlackRefusedError, slack_errors
from bot.streaming_support import StreamingSupport, Surfacing
from bot.thread_status import ThreadStatus
from core.domain.message_life import Stage
from core.errors import SlackError

logger = logging.getLogger("testigo.delivery")

OVER = frozenset({"message_not_in_streaming_state", "message_not_found"})
"""Refusals that say that there is no stream to stop."""
RATE_LIMITED = "ratelimited"


class StreamedReply:
    """A message in a thread that is streamed where Slack lets it, and else posted and edited (`PostedReply`)."""

    def __init__(
        self,
        client: AsyncWebClient,
        posted: PostedReply,
        status: ThreadStatus,
        support: StreamingSupport,
        *,
        channel: str,
        thread_ts: str,
        user_id: str,
        team_id: str,
    ) -> None:
        self._client = client
        self._posted = posted
        self._status = status
        self._support = support
        self._channel = channel
        self._thread_ts = thread_ts
        self._user_id = user_id
        self._team_id = team_id
        self._steps: list[str] = []
        self._to_say: Message | None = None
        self._saying: asyncio.Task[None] | None = None
        self._streamed: list[Block] = []
        self._ts = ""
        self._may_be_open = False
        """Whether Slack may still show the message as one that grows."""
        self._takes_more = True
        self._is_certain = True
        """Whether it is known what stands in the message."""

    @property
    def life(self) -> MessageLife:
        """Where the message stands, and what is noted of it."""
        return self._posted.life

    @property
    def is_finished(self) -> bool:
        """Whether the last word is said."""
        return self._posted.is_finished

    @property
    def has_begun(self) -> bool:
        """Whether a message of this event stands there already."""
        return self._posted.has_begun

    @property
    def takes_claims(self) -> bool:
        """Whether a claim can be shown now."""
        return self._takes_more and self._support.has(self._team_id, Surfacing.STREAM)

    async def adopt(self, since: str) -> None:
        """Take up what an earlier attempt has posted; a stream of another run is ended, and never gone on with.

        Raises:
            SlackError: the thread cannot be read.
        """
        await self._posted.adopt(since)
        if self.life.stage is not Stage.STREAMING or self.is_finished:
            return
        self._takes_more = self._is_certain = False
        if self._posted.first_ts is not None:
            self._ts, self._may_be_open = self._posted.first_ts, True
            await self._stop([])

    async def progress(self, message: Message) -> None:
        """Show a status under the thread, or a message where there is none. Returns before it is shown."""
        step = plain_text(message)
        if step not in self._steps:
            self._steps.append(step)
        if self._ts or self.is_finished:
            return
        self._to_say = message
        if self._saying is None or self._saying.done():
            self._saying = asyncio.create_task(self._say())

    async def _say(self) -> None:
        while (message := self._to_say) is not None:
            self._to_say = None
            if not await self._status.say(inert(plain_text(message))):
                await self._posted.progress(message)
            if self.life.stage is Stage.ACKNOWLEDGED:
                await self.life.try_note(Stage.SEARCHING)
            await self._status.begin_session()

    async def _quiet(self) -> None:
        """Wait until no status is on its way, which would stand under what comes next."""
        if self._saying is not None:
            await self._saying

    async def show(self, blocks: Sequence[Block]) -> None:
        """Stream what of the answer's beginning has not been streamed."""
        if not self.takes_claims or len(blocks) <= len(self._streamed):
            return
        if len(common_beginning(blocks, self._streamed)) < len(self._streamed):
            self._takes_more = self._is_certain = False  # it begins differently now: the whole will be put in its place
            return
        first, *others = calls(blocks[len(self._streamed) :])
        if not self._ts:
            await self._start(first)
        else:
            others = [first, *others]
        for chunks in others:
            if not self._takes_more or not await self._append(chunks):
                return

    async def _start(self, chunks: Sequence[Chunk]) -> None:
        self._takes_more = False
        await self._quiet()
        if self._posted.has_begun:
            return  # there is no status here, so a message stands there, which will be edited
        if self.life.stage is Stage.ACKNOWLEDGED and not await self.life.try_note(Stage.SEARCHING):
            return
        if not await self.life.try_note(Stage.STREAMING):
            return  # a restart could not know of the stream
        (chunk,) = chunks
        first, *rest = chunk["blocks"]
        marked = {**chunk, "blocks": [self._posted.marked(first), *rest]}
        self._is_certain = False  # a call that is cancelled may have come through
        try:
            with slack_errors("chat.startStream"):
                answer = await self._client.chat_startStream(
                    channel=self._channel,
                    thread_ts=self._thread_ts,
                    recipient_user_id=self._user_id,
                    recipient_team_id=self._team_id,
                    task_display_mode="plan",
                    chunks=[*self._stages(is_done=False), marked],
                )
            ts = str(answer["ts"])
        except SlackError as error:
            logger.info("event %d: no stream (%s)", self.life.event_id, reason_of(error))
            if isinstance(error, SlackRefusedError) and error.code not in UNCERTAIN:
                self._support.refused(self._team_id, Surfacing.STREAM, error.code)
                self._is_certain = True
                return
            return  # it may be there all the same: it is looked for before the last word
        self._ts, self._may_be_open, self._takes_more, self._is_certain = ts, True, True, True
        self._streamed.extend(chunk["blocks"])
        await self._posted.take(ts)

    async def _append(self, chunks: Sequence[Chunk]) -> bool:
        self._is_certain = False  # a call that is cancelled may have come through
        try:
            with slack_errors("chat.appendStream"):
                await self._client.chat_appendStream(channel=self._channel, ts=self._ts, chunks=list(chunks))
        except SlackError as error:
            logger.info("event %d: nothing appended (%s)", self.life.event_id, reason_of(error))
            self._is_certain = isinstance(error, SlackRefusedError) and error.code not in UNCERTAIN
            code = error.code if isinstance(error, SlackRefusedError) else ""
            self._may_be_open = code not in OVER
            self._takes_more = code == RATE_LIMITED  # it comes with the next claim, or at the end
            return False
        self._is_certain = True
        self._streamed.extend(block for chunk in chunks for block in chunk["blocks"])
        return True

    async def withdraw(self, message: Message) -> None:
        """End the stream, and put something else in its place until the last word; forget what was done for others."""
        self._steps.clear()
        try:
            await self._find_unconfirmed()
        except SlackError:  # it is looked for again before the last word
            return
        if not self._ts:
            return
        self._takes_more = self._is_certain = False
        await self._stop([])
        await self._posted.rewrite(message)

    async def finish(self, messages: Sequence[Message], ending: Stage = Stage.FINISHED) -> None:
        """Complete the stream with the rest of the answer, or put the whole in its place.

        Raises:
            SlackError: it could not be shown anywhere.
        """
        if self.is_finished:
            return
        await self._quiet()
        self._takes_more = False
        standing = 0
        await self._find_unconfirmed()
        if self._ts and self._may_be_open:
            standing = int(await self._stop(messages if ending is Stage.FINISHED else []))
        await self._posted.finish(messages, ending, standing=standing)
        await self._status.end_session()

    async def _find_unconfirmed(self) -> None:
        """Look for the stream that may have come to be though Slack did not say so.

        Raises:
            SlackError: the thread cannot be read.
        """
        if self._ts or self._is_certain or self.life.stage is not Stage.STREAMING:
            return
        self._ts = await self._posted.look_for_first() or ""
        self._may_be_open = bool(self._ts)

    async def _stop(self, messages: Sequence[Message]) -> bool:
        """End the stream, completed to the first of these messages where what stands there is its beginning.

        False when it does not say now what that message says.
        """
        streamed = len(self._streamed)
        completes = (
            self._is_certain
            and bool(messages)
            and streamed > 0
            and len(common_beginning(messages[0].blocks, self._streamed)) == streamed
        )
        if completes and await self._stop_once(list(messages[0].blocks[streamed:])):
            return True
        if self._may_be_open:
            await self._stop_once([])
        return False

    async def _stop_once(self, blocks: list[Block]) -> bool:
        try:
            with slack_errors("chat.stopStream"):
                await self._client.chat_stopStream(
                    channel=self._channel,
                    ts=self._ts,
                    chunks=self._stages(is_done=True) or None,
                    blocks=blocks or None,
                    metadata=self._posted.metadata(0),
                )
        except SlackError as error:
            logger.info("event %d: the stream is not stopped (%s)", self.life.event_id, reason_of(error))
            self._may_be_open = not (isinstance(error, SlackRefusedError) and error.code in OVER)
            return False
        self._may_be_open = False
        self._status.session_has_ended()
        return True

    def _stages(self, *, is_done: bool) -> list[Chunk]:
        """The work as a plan of stages; the last one goes on until the end."""
        if not self._steps:
            return []
        last = len(self._steps) - 1
        stages = [task(number, step, is_done=is_done or number < last) for number, step in enumerate(self._steps)]
        return [plan(self._steps[last]), *stages]
