"""A reply that everybody in the conversation sees."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.message_life import MessageLife
from bot.rendering import NO_UNFURL, Message
from bot.rendering.blocks import Block
from bot.reply import NOT_ABOUT_THE_PLACE, TOO_MUCH, UNCERTAIN, in_plain_pieces, reason_of
from bot.slack_client import SlackRefusedError, slack_errors
from core.domain.message_life import Stage
from core.errors import SlackError

logger = logging.getLogger("testigo.delivery")

METADATA_TYPE = "testigo_answer"
MARK = "testigo-answer-{event}"
"""The id of the first block of a stream, which cannot be given metadata before its end."""
POSTING_TRIES = 3
LOOKED_THROUGH = 5
"""Pages of a thread in which a message of ours is looked for."""


class PostedReply:
    """Messages in a channel's thread; the first one appears at once and is edited until it is the answer."""

    def __init__(
        self,
        client: AsyncWebClient,
        life: MessageLife,
        user_id: str,
        channel: str,
        thread_ts: str,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._client = client
        self._life = life
        self._user_id = user_id
        self._channel = channel
        self._thread_ts = thread_ts
        self._sleep = sleep
        self._since = ""
        self._parts: dict[int, str] = {}
        self._is_final = False

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
        """It shows the answer when it is whole."""
        return False

    @property
    def has_begun(self) -> bool:
        """Whether a message of this event stands there already."""
        return bool(self._parts)

    async def adopt(self, since: str) -> None:
        """Take up what an earlier attempt has posted.

        Raises:
            SlackError: the thread cannot be read.
        """
        self._since = since
        if parts := self._life.noted("parts"):
            self._channel, self._thread_ts = str(self._life.noted("channel")), str(self._life.noted("thread_ts"))
            self._parts = {number: str(ts) for number, ts in enumerate(parts)}
            self._is_final = bool(self._life.noted("final"))
        if self._life.is_another_attempt and not self._is_final and self._thread_ts:
            self._parts |= await self._find()

    @property
    def first_ts(self) -> str | None:
        """The first message, where it stands."""
        return self._parts.get(0)

    async def look_for_first(self) -> str | None:
        """The first message, looked for in the thread.

        Raises:
            SlackError: the thread cannot be read.
        """
        self._parts |= await self._find()
        return self.first_ts

    async def take(self, ts: str) -> None:
        """Take a message as the first one."""
        self._parts[0] = ts
        await self._note()

    async def rewrite(self, message: Message) -> None:
        """Put something else in the place of the first message; where that fails, delete it."""
        try:
            await self._put(0, message)
        except SlackError as error:
            logger.warning("event %d: what was shown cannot be replaced (%s)", self._life.event_id, reason_of(error))
            await self._delete(0)

    def metadata(self, number: int) -> dict[str, Any]:
        """The mark by which a message is found again."""
        payload = {"event": self._life.event_id, "team": self._life.team_id, "part": number}
        return {"event_type": METADATA_TYPE, "event_payload": payload}

    def marked(self, block: Block) -> Block:
        """A block that tells which event its message is of."""
        return {**block, "block_id": MARK.format(event=self._life.event_id)}

    async def show(self, blocks: Sequence[Block]) -> None:
        """Nothing: it shows the answer when it is whole."""

    async def withdraw(self, message: Message) -> None:
        """Nothing was shown."""

    async def progress(self, message: Message) -> None:
        """Post the first message, or edit it; one that an earlier attempt left may be the answer already, and stays."""
        if self._is_final or (self._life.is_another_attempt and 0 in self._parts):
            return
        try:
            if 0 in self._parts:
                await self._edit(0, message)
            else:
                await self._post(0, message)
                await self._note(Stage.SEARCHING)
        except SlackError as error:
            logger.info("event %d: progress not shown (%s)", self._life.event_id, reason_of(error))

    async def finish(self, messages: Sequence[Message], ending: Stage = Stage.FINISHED, *, standing: int = 0) -> None:
        """Edit the first message into the answer and post the rest below it; on any refusal find another way.

        `standing` messages stand as they should already.
        """
        if self._is_final:
            return
        replaces = self._life.stage is Stage.STREAMING and 0 in self._parts and not standing
        waiting = deque(messages[standing:])
        number = standing
        while waiting:
            message = waiting.popleft()
            try:
                await self._put(number, message)
            except SlackRefusedError as error:
                smaller = in_plain_pieces(message) if error.code in TOO_MUCH else []
                if not smaller:
                    raise
                waiting.extendleft(reversed(smaller))
                continue
            number += 1
        for left_over in sorted(part for part in self._parts if part >= number):
            await self._delete(left_over)
        self._is_final = True
        await self._note(Stage.REPLACED if replaces and ending is Stage.FINISHED else ending)

    async def _put(self, number: int, message: Message) -> None:
        if number in self._parts:
            try:
                await self._edit(number, message)
                return
            except SlackRefusedError as error:
                if error.code in TOO_MUCH | NOT_ABOUT_THE_PLACE | UNCERTAIN:
                    raise
                # Deleted in the meantime, or not to be edited any more: a new message says it, and it alone.
                await self._delete(number)
        await self._post(number, message)

    async def _edit(self, number: int, message: Message) -> None:
        with slack_errors("chat.update"):
            await self._client.chat_update(
                channel=self._channel,
                ts=self._parts[number],
                text=message.text,
                blocks=list(message.blocks),
                parse="none",  # chat.update would make mentions and channel links of the text, unlike chat.postMessage
                metadata=self.metadata(number),
            )

    async def _post(self, number: int, message: Message) -> None:
        try:
            await self._post_here(number, message)
        except SlackRefusedError as error:
            if error.code in TOO_MUCH | UNCERTAIN | NOT_ABOUT_THE_PLACE or self._channel == self._user_id:
                raise
            # The place is closed to us: archived, left, gone, or the thread is locked. The person gets it directly.
            logger.info("event %d: posting refused (%s), going to direct messages", self._life.event_id, error.code)
            self._channel, self._thread_ts = self._user_id, ""
            await self._post_here(number, message)
        await self._note()

    async def _post_here(self, number: int, message: Message) -> None:
        """Post, and after an uncertain outcome look before posting again."""
        for attempt in range(1, POSTING_TRIES + 1):
            try:
                with slack_errors("chat.postMessage"):
                    answer = await self._client.chat_postMessage(
                        channel=self._channel,
                        thread_ts=self._thread_ts or None,
                        text=message.text,
                        blocks=list(message.blocks) or None,
                        metadata=self.metadata(number),
                        **NO_UNFURL,
                    )
            except SlackError as error:
                certain = isinstance(error, SlackRefusedError) and error.code not in UNCERTAIN
                if certain or attempt == POSTING_TRIES:
                    raise
                await self._sleep(2 ** (attempt - 1))
                found = await self._find()
                if number in found:
                    self._parts[number] = found[number]
                    await self._edit(number, message)  # it may be a placeholder of an earlier attempt
                    return
            else:
                self._channel = str(answer.get("channel") or self._channel)
                self._parts[number] = str(answer["ts"])
                return

    async def _find(self) -> dict[int, str]:
        """The messages of this event that stand in its thread, by their number.

        Raises:
            SlackError: the thread cannot be read, so it is not known.
        """
        if not self._thread_ts:
            return {}
        found: dict[int, str] = {}
        cursor = ""
        for _ in range(LOOKED_THROUGH):
            try:
                with slack_errors("conversations.replies"):
                    page = await self._client.conversations_replies(
                        channel=self._channel,
                        ts=self._thread_ts,
                        oldest=self._since or "0",
                        include_all_metadata=True,
                        limit=200,
                        cursor=cursor or None,
                    )
            except SlackRefusedError as error:
                if error.code in {"thread_not_found", "message_not_found", "channel_not_found", "not_in_channel"}:
                    return found
                raise
            for message in page.get("messages") or ():
                number = self._number_of(message)
                if number is not None:
                    found.setdefault(number, str(message["ts"]))
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                break
        return found

    async def _delete(self, number: int) -> None:
        ts = self._parts.pop(number)
        try:
            with slack_errors("chat.delete"):
                await self._client.chat_delete(channel=self._channel, ts=ts)
        except SlackError as error:
            logger.warning("event %d: a left-over message stays (%s)", self._life.event_id, reason_of(error))

    async def _note(self, stage: Stage | None = None) -> None:
        """Write down what stands; the messages' metadata say the same, should it fail."""
        parts = [self._parts[number] for number in sorted(self._parts)]
        if stage is Stage.SEARCHING and self._life.stage is not Stage.ACKNOWLEDGED:
            stage = None
        await self._life.try_note(
            stage, channel=self._channel, thread_ts=self._thread_ts, parts=parts, final=self._is_final
        )

    def _number_of(self, message: Mapping[str, Any]) -> int | None:
        if any(
            block.get("block_id") == MARK.format(event=self._life.event_id) for block in message.get("blocks") or ()
        ):
            return 0
        metadata = message.get("metadata") or {}
        payload = metadata.get("event_payload") or {}
        if metadata.get("event_type") != METADATA_TYPE or payload.get("event") != self._life.event_id:
            return None
        return int(payload.get("part") or 0)
